// Saved-tensor hooks: what is packed when, and that unpacked values keep their place in the graph.
#include "autograd/graph/saved_tensor_hooks.h"

#include "autograd/forward/dual.h"
#include "autograd/functional/functional.h"
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

namespace forward_ad = autograd::forward_ad;

/// The tangent of a scalar function's gradient at `x` along `v`, f run by `run`.
Tensor tangent_of_gradient(const std::function<Tensor(const Tensor&)>& run, const Tensor& x,
                           const Tensor& v) {
  const forward_ad::DualLevelGuard level;
  const Tensor leaf = x.detach().requires_grad_();
  const Tensor y = run(forward_ad::make_dual(leaf, v)).sum();
  return forward_ad::unpack_dual(autograd::grad({y}, {leaf}, {}, {}, true)[0]).tangent;
}

void set_hooks_on_each(const NodeRef& node, const SavedTensorHooks::Pack& pack) {
  if (!node) return;
  node->visit_saved([&](SavedVariable& value, const Edge*) {
    if (value.holds() && !value.is_packed()) value.register_hooks(pack, give_back);
  });
  for (const Edge& next : node->next_edges()) set_hooks_on_each(next.function, pack);
}

TEST(SavedTensorHooks, UnpackedValuesKeepTheirTangentsSoForwardOverReverseIsRight) {
  const NothingLeaks guard;
  using Run = std::function<Tensor(const Tensor&)>;
  const std::vector<std::pair<const char*, Run>> functions{
      {"an input is saved", [](const Tensor& t) { return t * t * t; }},
      {"a result is saved", [](const Tensor& t) { return t.tanh().exp(); }},
      {"views and windows", [](const Tensor& t) { return t[0] * t.slice(0, 1, 3).square(); }},
      {"a write in place",
       [](const Tensor& t) {
         Tensor y = t * 1;
         y.slice(0, 0, 2).mul_(t.slice(0, 1, 3));
         return y * y;
       }},
      {"matrices", [](const Tensor& t) { return t.outer(t).softmax(1).matmul(t); }}};
  const auto clone = [](const Tensor& value) { return std::any(value.clone()); };
  const auto under = [](SavedTensorHooks::Pack pack, SavedTensorHooks::Unpack unpack) {
    return [=](const Run& f, const Tensor& t) {
      const SavedTensorHooksGuard hooks(pack, unpack);
      return f(t);
    };
  };
  const std::vector<std::function<Tensor(const Run&, const Tensor&)>> ways{
      under(pass_value, give_back), under(clone, give_back),
      under([](const Tensor& value) { return std::any(value.to(kFloat32)); },
            [](const std::any& packed) { return give_back(packed).to(kFloat64); }),
      [](const Run& f, const Tensor& t) {
        const SaveOnCpuGuard on_cpu;
        return f(t);
      },
      [&](const Run& f, const Tensor& t) {
        const Tensor y = f(t);
        set_hooks_on_each(y.grad_fn(), clone);
        return y;
      }};
  // Exactly float32, as what the functions save of it is not: hence the tolerance.
  const Tensor x = constant({0.5, -1.25, 2}), v = constant({1, -2, 0.5});
  for (const auto& [name, f] : functions) {
    SCOPED_TRACE(name);
    const std::vector<double> expected = values(tangent_of_gradient(f, x, v));
    for (std::size_t way = 0; way < ways.size(); ++way) {
      SCOPED_TRACE(way);
      const double tolerance = way == 2 ? 1e-5 : 1e-13;
      const auto run = [&, &f = f](const Tensor& t) { return ways[way](f, t); };
      expect_values(tangent_of_gradient(run, x, v), expected, tolerance);
      const auto scalar = [&](const Tensor& t) { return run(t).sum(); };
      expect_values(autograd::functional::hvp(scalar, x, v).product, expected, tolerance);
      expect_values(autograd::functional::vhp(scalar, x, v).product, expected, tolerance);
    }
  }
}

TEST(SavedTensorHooks, ATangentWhoseLevelHasEndedIsNotTakenForOneOfALaterLevel) {
  const Tensor x = leaf({2});
  Tensor y;
  {
    const forward_ad::DualLevelGuard ended;
    const SavedTensorHooksGuard hooks(pass_value, give_back);
    y = forward_ad::make_dual(x, constant({1})).square();
  }
  const forward_ad::DualLevelGuard later;
  const Tensor gradient = autograd::grad({y}, {x}, {constant({1})})[0];
  expect_values(gradient, {4});
  EXPECT_FALSE(forward_ad::unpack_dual(gradient).tangent.defined());
}

TEST(SavedTensorHooks, EachOfSeveralLevelsGetsItsTangentBack) {
  const Tensor x = leaf({2});
  const forward_ad::DualLevelGuard outer;
  const Tensor u = forward_ad::make_dual(x, constant({1}));
  const auto second = [&](bool hooked) {
    const forward_ad::DualLevelGuard inner;
    const Tensor w = forward_ad::make_dual(u, constant({1}));
    Tensor y;
    if (hooked) {
      const SavedTensorHooksGuard hooks(pass_value, give_back);
      y = w * w * w * w;
    } else {
      y = w * w * w * w;
    }
    return forward_ad::unpack_dual(autograd::grad({y}, {x}, {constant({1})})[0]).tangent;
  };
  for (const bool hooked : {false, true}) {
    const Tensor tangent = second(hooked);
    ASSERT_TRUE(tangent.defined());
    expect_values(tangent, {48});                                   // 12 x^2
    expect_values(forward_ad::unpack_dual(tangent).tangent, {48});  // 24 x
  }
}

}  // namespace
}  // namespace notape::testing
