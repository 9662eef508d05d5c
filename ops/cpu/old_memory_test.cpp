// What a block of memory held before must not be computed with, not even for results that nobody
// reads: integers that were left there are denormal floats, which take a processor a hundred times
// as long. It remembers that it has seen one.
#ifdef __x86_64__
#include <xmmintrin.h>

#include "ops/linalg/testing/pattern.h"
#include "ops/parallel.h"

namespace notape::testing {
namespace {

/// Blocks of every size that kernels are likely to take next, full of small integers.
void leave_integers() {
  std::vector<Tensor> blocks;
  for (int round = 0; round < 4; ++round)
    for (int64_t numbers = 8; numbers <= 512; numbers += 8) blocks.push_back(full({numbers}, 1));
  for (int64_t pages = 2; pages <= 12; ++pages) blocks.push_back(full({512 * pages}, 1));
}

template <typename F>
bool sees_denormals(const F& f) {
  constexpr unsigned kDenormal = 1u << 1;
  leave_integers();
  _mm_setcsr(_mm_getcsr() & ~kDenormal);
  f();
  return (_mm_getcsr() & kDenormal) != 0;
}

TEST(OldMemory, IsNotComputedWith) {
  const int before = get_num_threads();
  set_num_threads(1);
  const Tensor denormal = full({4}, 1e-40, dtype(kFloat32));
  ASSERT_TRUE(sees_denormals([&] { denormal + denormal; }));
  manual_seed(1);
  const auto leaf = [](const std::vector<int64_t>& sizes) {
    return (rand(sizes) + 0.5).requires_grad_();
  };
  const std::pair<const char*, std::function<Tensor()>> calls[] = {
      {"depthwise",
       [&] {
         return conv2d(leaf({2, 5, 28, 28}), leaf({5, 1, 3, 3}), {}, 1, 1, 1, 5);
       }},
      {"few channels",
       [&] {
         return conv2d(leaf({1, 4, 13, 15}), leaf({7, 4, 3, 3}), {}, 1, 1);
       }},
      {"channels",
       [&] {
         return conv2d(leaf({1, 16, 9, 11}), leaf({32, 16, 3, 3}), {}, 1, 1);
       }},
      {"product",
       [&] {
         return mm(leaf({37, 45}), leaf({45, 51}));
       }},
      {"middling product",
       [&] {
         return mm(leaf({70, 33}), leaf({33, 64}));
       }},
      {"layer_norm",
       [&] {
         return layer_norm(leaf({9, 67}), {67}, leaf({67}), leaf({67}));
       }},
      {"softmax",
       [&] {
         return softmax(leaf({9, 67}), 1);
       }},
  };
  for (const auto& [name, call] : calls) {
    Tensor result;
    EXPECT_FALSE(sees_denormals([&] { result = call(); })) << name;
    EXPECT_FALSE(sees_denormals([&] { result.sum().backward(); })) << name << ", backward";
  }
  set_num_threads(before);
}

}  // namespace
}  // namespace notape::testing
#endif
