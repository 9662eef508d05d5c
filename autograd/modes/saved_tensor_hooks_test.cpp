// Saved-tensor hooks: what is packed when, and that unpacked values keep their place in the graph.
#include "autograd/modes/saved_tensor_hooks.h"

#include "autograd/graph/node.h"
#include "autograd/graph/saved_variable.h"
#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

const auto pass_value = [](const Tensor& value) { return std::any(value); };
const auto give_back = [](const std::any& packed) { return std::any_cast<Tensor>(packed); };

TEST(SavedTensorHooks, SeeEverySavedValueOnceAndGiveItBack) {
  const NothingLeaks guard;
  const Tensor x = leaf({2, 3});
  int packed = 0, unpacked = 0;
  Tensor y;
  {
    const SavedTensorHooksGuard hooks(
        [&](const Tensor& value) {
          ++packed;
          EXPECT_FALSE(GradMode::is_enabled());
          EXPECT_FALSE(value.requires_grad());
          return std::any(value.clone());
        },
        [&](const std::any& value) {
          ++unpacked;
          return std::any_cast<Tensor>(value);
        });
    y = (x * x).tanh();
  }
  EXPECT_EQ(packed, 3);
  y.sum().backward();
  EXPECT_EQ(unpacked, 3);
  const std::vector<double> t = values(y);
  expect_values(x.grad(), {(1 - t[0] * t[0]) * 4, (1 - t[1] * t[1]) * 6}, 1e-15);
}

TEST(SavedTensorHooks, ChangeTheValueThatBackwardUses) {
  const Tensor x = leaf({2, 3});
  const SavedTensorHooksGuard hooks(pass_value,
                                    [](const std::any& p) { return give_back(p) * 10; });
  x.square().sum().backward();
  expect_values(x.grad(), {40, 60});
}

TEST(SavedTensorHooks, UnpackedValuesKeepTheirEdgeSoHigherOrdersWork) {
  const NothingLeaks guard;
  const Tensor x = leaf({2});
  const SavedTensorHooksGuard hooks(pass_value, give_back);
  const Tensor y = x.exp() * x * x;
  const Tensor first = autograd::grad({y}, {x}, {constant({1})}, true, true)[0];
  const Tensor second = autograd::grad({first}, {x}, {constant({1})})[0];
  expect_values(second, {std::exp(2) * (4 + 8 + 2)}, 1e-12);
}

TEST(SavedTensorHooks, TheInnermostGuardWinsAndNumbersAreNotPacked) {
  const Tensor x = leaf({2, 3});
  int outer = 0, inner = 0;
  const auto counting = [](int& count) {
    return [&count](const Tensor& value) {
      ++count;
      return std::any(value);
    };
  };
  const SavedTensorHooksGuard first(counting(outer), give_back);
  {
    const SavedTensorHooksGuard second(counting(inner), give_back);
    x.square();
  }
  x.square();
  x * 3;
  EXPECT_EQ(outer, 1);
  EXPECT_EQ(inner, 1);
}

TEST(SavedTensorHooks, TakeThePlaceOfTheVersionCheck) {
  const Tensor x = leaf({2, 3});
  Tensor y = x * 1;
  Tensor z;
  {
    const SavedTensorHooksGuard hooks([](const Tensor& value) { return std::any(value.clone()); },
                                      give_back);
    z = y.square();
  }
  y.add_(1);
  z.sum().backward();
  expect_values(x.grad(), {4, 6});
}

TEST(SavedTensorHooks, APackThatWritesItsInputFails) {
  const Tensor x = leaf({2, 3});
  const SavedTensorHooksGuard hooks(
      [](const Tensor& value) {
        Tensor written = value;
        written.add_(1);
        return std::any(written);
      },
      give_back);
  expect_error<SavedHookError>("A saved tensor pack hook is modifying its input in place.",
                               [&] { x.square(); });
}

TEST(SavedTensorHooks, UnpackMustGiveTheSameSizeDtypeAndDevice) {
  const Tensor x = leaf({2, 3});
  const auto with_unpack = [&](auto unpack) {
    const SavedTensorHooksGuard hooks(pass_value, unpack);
    x.square().sum().backward();
  };
  expect_error<SavedHookError>("an unpack hook returned float64 of size [1]",
                               [&] { with_unpack([](const std::any&) { return constant({1}); }); });
  expect_error<SavedHookError>("an unpack hook returned float32", [&] {
    with_unpack([](const std::any& p) { return give_back(p).to(kFloat32); });
  });
  expect_error<SavedHookError>("an undefined tensor",
                               [&] { with_unpack([](const std::any&) { return Tensor(); }); });
  EXPECT_FALSE(x.grad().defined());
}

TEST(SavedTensorHooks, ExceptionsPassThroughUnchanged) {
  struct Own {};
  const Tensor x = leaf({2, 3});
  const SavedTensorHooksGuard hooks(pass_value, [](const std::any&) -> Tensor { throw Own(); });
  const Tensor y = x.square().sum();
  EXPECT_THROW(y.backward(), Own);
  const SavedTensorHooksGuard failing([](const Tensor&) -> std::any { throw Own(); }, give_back);
  EXPECT_THROW(x.square(), Own);
}

TEST(SavedTensorHooks, MayBeDisabled) {
  const DisableSavedTensorHooksGuard disabled("not while compiling");
  expect_error<SavedHookError>("not while compiling",
                               [] { SavedTensorHooksGuard(pass_value, give_back); });
  leaf({1}).square().backward();
}

TEST(SavedTensorHooks, OfASingleValueAreSetOnceBeforeRelease) {
  const Tensor x = leaf({2, 3});
  const Tensor y = x.square();
  const NodeRef node = y.grad_fn();
  SavedVariable* saved = nullptr;
  node->visit_saved([&](SavedVariable& value, const Edge*) { saved = &value; });
  ASSERT_NE(saved, nullptr);
  saved->register_hooks(pass_value, [](const std::any& p) { return give_back(p) * 10; });
  expect_error<SavedHookError>("have already been set",
                               [&] { saved->register_hooks(pass_value, give_back); });
  y.sum().backward();
  expect_values(x.grad(), {40, 60});
  expect_error<SavedHookError>("after it has been freed",
                               [&] { saved->register_hooks(pass_value, give_back); });
  SavedVariable nothing(Tensor(), "nothing");
  expect_error<SavedHookError>("with value None is forbidden",
                               [&] { nothing.register_hooks(pass_value, give_back); });
}

TEST(SavedTensorHooks, SaveOnCpuKeepsACopy) {
  const Tensor x = leaf({2, 3});
  Tensor y = x * 1, z;
  {
    const SaveOnCpuGuard on_cpu;
    z = y.square();
  }
  y.zero_();
  z.sum().backward();
  expect_values(x.grad(), {4, 6});
}

}  // namespace
}  // namespace notape::testing
