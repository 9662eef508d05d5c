// Every function that takes TensorOptions does what they ask for, or says that it does not.
#include <gtest/gtest.h>

#include "autograd/autograd.h"
#include "cuda/sim/simulated_device.h"
#include "ops/ops.h"

namespace notape::sim {
namespace {

struct Function {
  const char* name;
  std::function<Tensor(const TensorOptions&)> make;
  bool requires_grad = true, pinned_memory = true;  ///< whether it does these
};

const std::vector<Function>& functions() {
  using O = const TensorOptions&;
  static double memory[2];
  static const Tensor like = ones({2}), like_columns = ones({2, 2}).t();
  static const std::optional<Generator> generator = default_generator();
  static const std::vector<Function> all = {
      {"empty", [](O o) { return empty({2}, o); }},
      {"empty_strided",
       [](O o) {
         return empty_strided({2, 2}, {1, 2}, o);
       }},
      {"zeros", [](O o) { return zeros({2}, o); }},
      {"ones", [](O o) { return ones({2}, o); }},
      {"full", [](O o) { return full({2}, 3, o); }},
      {"scalar_tensor", [](O o) { return scalar_tensor(3, o); }},
      {"arange", [](O o) { return arange(3, o); }},
      {"arange of reals", [](O o) { return arange(0.5, 3, 1, o); }},
      {"linspace", [](O o) { return linspace(0, 1, 3, o); }},
      {"eye", [](O o) { return eye(2, o); }},
      {"empty_like", [](O o) { return empty_like(like_columns, o); }},
      {"zeros_like", [](O o) { return zeros_like(like_columns, o); }},
      {"ones_like", [](O o) { return ones_like(like, o); }},
      {"full_like", [](O o) { return full_like(like, 3, o); }},
      {"tensor",
       [](O o) {
         return tensor({1, 2}, o);
       }},
      {"tensor of a vector",
       [](O o) {
         return tensor(std::vector<int>{1, 2}, o);
       }},
      {"from_blob", [](O o) { return from_blob(memory, {2}, o); }, true, false},
      {"from_blob with a deleter",
       [](O o) {
         return from_blob(
             memory, {2}, [](void*) {}, o);
       },
       true, false},
      {"rand", [](O o) { return rand({2}, o); }},
      {"randn", [](O o) { return randn({2}, o); }},
      {"randint", [](O o) { return randint(0, 3, {2}, o); }},
      {"randperm", [](O o) { return randperm(3, o); }},
      {"rand_like", [](O o) { return rand_like(like, o); }},
      {"randn_like", [](O o) { return randn_like(like, o); }},
      {"randint_like", [](O o) { return randint_like(like, 3, o); }},
      {"rand of a generator", [](O o) { return rand({2}, generator, o); }},
      {"normal", [](O o) { return normal(0, 1, {2}, o); }},
      {"new_empty", [](O o) { return like.new_empty({2}, o); }},
      {"new_zeros", [](O o) { return like.new_zeros({2}, o); }},
      {"new_ones", [](O o) { return like.new_ones({2}, o); }},
      {"new_full", [](O o) { return like.new_full({2}, 3, o); }},
      {"to", [](O o) { return like.to(o); }, false, false},
      {"to that copies", [](O o) { return like.to(o, false, true); }, false, false},
  };
  return all;
}

TEST(TensorOptions, AreDoneOrRefusedByEveryFunctionThatTakesThem) {
  use_simulated_device();
  for (const Function& function : functions()) {
    SCOPED_TRACE(function.name);
    const TensorOptions plain = kFloat64;
    EXPECT_EQ(function.make(plain).dtype(), kFloat64);
    EXPECT_EQ(function.make(plain.device(kSIM)).device(), Device(kSIM));
    const auto check = [&](bool does, const TensorOptions& options, bool (*has)(const Tensor&)) {
      if (does)
        EXPECT_TRUE(has(function.make(options)));
      else
        EXPECT_THROW(function.make(options), ValueError);
    };
    check(function.requires_grad, plain.requires_grad(true),
          [](const Tensor& made) { return made.requires_grad() && made.is_leaf(); });
    check(function.pinned_memory, plain.pinned_memory(true),
          [](const Tensor& made) { return made.is_pinned(); });
    check(function.requires_grad && function.pinned_memory,
          plain.pinned_memory(true).requires_grad(true),
          [](const Tensor& made) { return made.requires_grad() && made.is_pinned(); });
  }
}

}  // namespace
}  // namespace notape::sim
