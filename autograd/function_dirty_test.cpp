// User functions that write their inputs, and such with a forward-mode rule.
#include "autograd/forward/dual.h"
#include "autograd/function.h"

#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

using autograd::AutogradContext;
using autograd::Function;
using autograd::grad;
namespace forward_ad = autograd::forward_ad;

struct Scale : Function<Scale> {  // x *= factor
  static Tensor forward(AutogradContext* ctx, double factor, const Tensor& x) {
    ctx->saved_data["factor"] = factor;
    ctx->mark_dirty({x});
    Tensor(x).mul_(factor);
    return x;
  }
  static variable_list backward(AutogradContext* ctx, variable_list g) {
    return {Tensor(), g[0] * std::any_cast<double>(ctx->saved_data["factor"])};
  }
  static variable_list jvp(AutogradContext* ctx, variable_list t) {
    return {t[0] * std::any_cast<double>(ctx->saved_data["factor"])};
  }
};

TEST(DirtyInput, IsRebasedToTheFunction) {
  const NothingLeaks guard;
  const Tensor x = leaf({1, 2});
  Tensor y = x * 1;
  const Tensor view = y.view({2, 1});
  const uint64_t version = y._version();
  const Tensor z = Scale::apply(3.0, y);
  EXPECT_TRUE(z.is_same(y));
  EXPECT_GT(y._version(), version);
  EXPECT_EQ(y.grad_fn()->name(), "Scale");
  y.sum().backward({}, true);
  expect_values(x.grad(), {3, 3});
  view.sum().backward();
  expect_values(x.grad(), {6, 6});
}

TEST(DirtyInput, B12_InvalidatesWhatSavedIt) {
  const Tensor x = leaf({1, 2}), w = leaf({1, 1});
  Tensor y = x * 1;
  const Tensor saved = (y * w).sum();
  Scale::apply(3.0, y);
  expect_error<SavedTensorModified>("overwritten by Scale", [&] { saved.backward(); });
}

TEST(DirtyInput, MayBeAViewWhateverItsPosition) {
  const NothingLeaks guard;
  const Tensor x = leaf({1, 2, 3});
  Tensor y = x * 1, part = as_strided(y, {2}, {1}, 1);
  const Tensor sibling = y.view({3, 1});
  const Tensor out = Scale::apply(5.0, part);
  EXPECT_TRUE(out.is_same(part));
  const auto gradient = [&](const Tensor& t) { return values(grad({t.sum()}, {x}, {}, true)[0]); };
  EXPECT_THAT(gradient(part), ElementsAre(0, 5, 5));
  EXPECT_THAT(gradient(y), ElementsAre(1, 5, 5));
  EXPECT_THAT(gradient(sibling), ElementsAre(1, 5, 5));
}

struct AddInto : Function<AddInto> {  // target += source * 2, the target comes second
  static Tensor forward(AutogradContext* ctx, const Tensor& source, const Tensor& target) {
    ctx->mark_dirty({target});
    Tensor(target).add_(source, 2);
    return target;
  }
  static variable_list backward(AutogradContext*, variable_list g) { return {g[0] * 2, g[0]}; }
};

TEST(DirtyInput, AViewInSecondPlaceSendsEachGradientToItsOwner) {
  const Tensor x = leaf({1, 2, 3}), w = leaf({1, 1});
  Tensor y = x * 10, part = as_strided(y, {2}, {1}, 0);
  AddInto::apply(w, part);
  (y * constant({1, 2, 3})).sum().backward();
  expect_values(x.grad(), {10, 20, 30});
  expect_values(w.grad(), {2, 4});
}

TEST(DirtyInput, WithoutHistoryBecomesInterior) {
  const Tensor w = leaf({1, 1});
  Tensor y = constant({1, 2});
  AddInto::apply(w, y);
  EXPECT_FALSE(y.is_leaf());
  y.sum().backward();
  expect_values(w.grad(), {2, 2});
}

struct SquareInPlace : Function<SquareInPlace> {  // saves its dirty output
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    ctx->mark_dirty({x});
    Tensor(x).tanh_();
    ctx->save_for_backward({x});
    return x;
  }
  static variable_list backward(AutogradContext* ctx, variable_list g) {
    return {g[0] * (1 - ctx->get_saved_variables()[0].square())};
  }
};

TEST(DirtyInput, MayBeSavedAndDifferentiatedTwice) {
  const NothingLeaks guard;
  for (const bool through_view : {false, true}) {
    SCOPED_TRACE(through_view);
    const Tensor x = leaf({0.5, -1});
    Tensor y = x * 1, target = through_view ? y.view({2, 1}) : y;
    SquareInPlace::apply(target);
    const Tensor plain = x.tanh();
    const Tensor g = grad({y.sum()}, {x}, {}, {}, true)[0];
    const Tensor expected = grad({plain.sum()}, {x}, {}, {}, true)[0];
    expect_values(g, values(expected), 1e-15);
    expect_values(grad({g.sum()}, {x})[0], values(grad({expected.sum()}, {x})[0]), 1e-15);
  }
}

struct TwoDirty : Function<TwoDirty> {
  static variable_list forward(AutogradContext* ctx, const Tensor& a, const Tensor& b) {
    ctx->mark_dirty({a, b});
    Tensor(a).mul_(2);
    Tensor(b).mul_(3);
    return {a, b};
  }
  static variable_list backward(AutogradContext*, variable_list g) { return {g[0] * 2, g[1] * 3}; }
};

TEST(DirtyInput, SeveralOutputsKeepTheirNumbers) {
  const Tensor x = leaf({1, 2});
  Tensor a = x * 1, b = x * 1;
  b.retain_grad();
  TwoDirty::apply(a, b);
  EXPECT_EQ(b.output_nr(), 1u);
  (a + b * 10).sum().backward();
  expect_values(x.grad(), {32, 32});
  expect_values(b.grad(), {10, 10});
  Tensor c = x * 1, view = c.view({2, 1}), d = x * 1;
  expect_error<FunctionError>(
      "your Function modifies inplace an input that is a view of another Tensor. Functions which "
      "modify views in-place must return a single Variable",
      [&] { TwoDirty::apply(view, d); });
}

struct Forgetful : Function<Forgetful> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    ctx->mark_dirty({x, Tensor()});
    Tensor(x).mul_(2);
    return x * 1;
  }
  static variable_list backward(AutogradContext*, variable_list g) { return {g[0] * 2}; }
};

TEST(DirtyInput, MustBeReturned) {
  const Tensor x = leaf({1, 2});
  Tensor y = x * 1;
  const uint64_t version = y._version();
  expect_error<FunctionError>(
      "Some elements marked as dirty during the forward method were not returned as output",
      [&] { Forgetful::apply(y); });
  EXPECT_GT(y._version(), version) << "it was written";
}

TEST(DirtyInput, MustNotBeALeafThatRequiresGradNorAViewOfOne) {
  const Tensor x = leaf({1, 2});
  const Tensor view = x.view({2, 1});
  expect_error<LeafInPlace>(
      "Scale: a leaf Variable that requires grad has been used in an in-place operation.",
      [&] { Scale::apply(2.0, x); });
  expect_error<LeafInPlace>(
      "a view of a leaf Variable that requires grad has been used in an in-place operation.",
      [&] { Scale::apply(2.0, view); });
  EXPECT_TRUE(x.is_leaf());
  const NoGradGuard no_grad;
  Scale::apply(2.0, x);
  EXPECT_TRUE(x.is_leaf());
}

TEST(DirtyInput, ObeysTagsAndPolicies) {
  const Tensor x = leaf({1, 2});
  Tensor y = x * 1, view;
  {
    const NoGradGuard no_grad;
    view = y.view({2, 1});
  }
  expect_error<AmbiguousViewWrite>("no_grad mode", [&] { Scale::apply(2.0, view); });
  const AliasPolicyGuard policy(AliasPolicy::Paper2017);
  expect_error<AliasedInPlace>("2 objects sharing it", [&] { Scale::apply(2.0, y); });
}

struct DirtyStranger : Function<DirtyStranger> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    const Tensor y = x * 2;
    ctx->mark_dirty({y});
    return y;
  }
  static variable_list backward(AutogradContext*, variable_list g) { return {g[0] * 2}; }
};

TEST(DirtyInput, AStrangerOnlyWarns) {
  const Tensor x = leaf({1, 2});
  DirtyStranger::apply(x).sum().backward();
  expect_values(x.grad(), {2, 2});
}

struct Product : Function<Product> {
  static Tensor forward(AutogradContext* ctx, const Tensor& a, const Tensor& b) {
    ctx->save_for_backward({a, b});
    return a * b;
  }
  static variable_list backward(AutogradContext* ctx, variable_list g) {
    const variable_list saved = ctx->get_saved_variables();
    return {g[0] * saved[1], g[0] * saved[0]};
  }
  static variable_list jvp(AutogradContext* ctx, variable_list t) {
    const variable_list saved = ctx->get_saved_variables();
    Tensor result = zeros_like(saved[0]);
    if (t[0].defined()) result = result + t[0] * saved[1];
    if (t[1].defined()) result = result + t[1] * saved[0];
    return {result};
  }
};

TEST(FunctionJvp, GivesTangentsAlsoWithOneUndefined) {
  const forward_ad::DualLevelGuard level;
  const Tensor a = forward_ad::make_dual(constant({2, 3}), constant({1, 10}));
  const Tensor b = constant({5, 7});
  expect_values(forward_ad::unpack_dual(Product::apply(a, b)).tangent, {5, 70});
  expect_values(forward_ad::unpack_dual(Product::apply(a, a)).tangent, {4, 60});
  EXPECT_FALSE(forward_ad::unpack_dual(Product::apply(b, b)).tangent.defined());
}

TEST(FunctionJvp, ForwardOverReverseAgreesWithReverseOverReverse) {
  const Tensor x = leaf({2, 3});
  const auto f = [](const Tensor& t) { return Product::apply(Product::apply(t, t), t).sum(); };
  const Tensor g = grad({f(x)}, {x}, {}, {}, true)[0];
  const Tensor expected = grad({(g * constant({1, 10})).sum()}, {x})[0];
  const forward_ad::DualLevelGuard level;
  const Tensor dual = forward_ad::make_dual(x, constant({1, 10}));
  const Tensor tangent = forward_ad::unpack_dual(f(dual)).tangent;
  expect_values(grad({tangent}, {x})[0], values(expected), 1e-12);
}

struct WithoutJvp : Function<WithoutJvp> {
  static Tensor forward(AutogradContext*, const Tensor& x) { return x * 1; }
  static variable_list backward(AutogradContext*, variable_list g) { return g; }
};

struct BadJvp : Function<BadJvp> {
  static Tensor forward(AutogradContext*, const Tensor& x) { return x * 1; }
  static variable_list backward(AutogradContext*, variable_list g) { return g; }
  static variable_list jvp(AutogradContext*, variable_list) { return {}; }
};

TEST(FunctionJvp, WithoutOneADualInputIsAnError) {
  const forward_ad::DualLevelGuard level;
  const Tensor x = forward_ad::make_dual(constant({1}), constant({1}));
  expect_error<ForwardNotImplemented>(
      "Trying to use forward AD with WithoutJvp that does not support it",
      [&] { WithoutJvp::apply(x); });
  expect_error<FunctionError>("BadJvp: jvp returned 0 tangents for 1 outputs",
                              [&] { BadJvp::apply(x); });
}

/// x y, saving a copy of x.
struct SavesCopy : Function<SavesCopy> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, const Tensor& y) {
    ctx->save_for_backward({x.clone(), y});
    return x * y;
  }
  static variable_list backward(AutogradContext* ctx, variable_list g) {
    const variable_list saved = ctx->get_saved_variables();
    return {g[0] * saved[1], ctx->needs_input_grad(1) ? g[0] * saved[0] : Tensor()};
  }
  static variable_list jvp(AutogradContext*, variable_list t) { return {t[0]}; }
};

TEST(FunctionJvp, ForwardOverReverseRefusesWhatForwardComputedFromDuals) {
  const NothingLeaks guard;
  const Tensor leaf_x = leaf({3}), leaf_y = leaf({5});
  const forward_ad::DualLevelGuard level;
  for (const Tensor& from : {leaf_x, leaf_x.detach()}) {
    const Tensor x = forward_ad::make_dual(from, constant({1}));
    const Tensor z = SavesCopy::apply(x, leaf_y);
    expect_error<ForwardNotImplemented>("its tangent is not known",
                                        [&] { grad({z}, {leaf_y}, {}, true); });
  }
  const Tensor z = SavesCopy::apply(forward_ad::make_dual(leaf_x, constant({1})), constant({5}));
  expect_values(grad({z}, {leaf_x})[0], {5});  // the copy is not needed
  expect_values(grad({SavesCopy::apply(leaf_x, leaf_y)}, {leaf_y})[0], {3});  // none is lost
}

struct DirtyNoJvp : Function<DirtyNoJvp> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    ctx->mark_dirty({x});
    Tensor(x).mul_(2);
    return x;
  }
  static variable_list backward(AutogradContext*, variable_list g) { return {g[0] * 2}; }
};

TEST(FunctionJvp, ARefusedDualInputIsNotWritten) {
  const forward_ad::DualLevelGuard level;
  const Tensor x = forward_ad::make_dual(leaf({3}) * 1, constant({1}));
  const NodeRef history = x.grad_fn();
  EXPECT_THROW(DirtyNoJvp::apply(x), ForwardNotImplemented);
  expect_values(x, {3});
  EXPECT_EQ(x._version(), 0u);
  EXPECT_EQ(x.grad_fn(), history);
}

struct ReturnInput : Function<ReturnInput> {
  static Tensor forward(AutogradContext*, const Tensor& x) { return x; }
  static variable_list backward(AutogradContext*, variable_list g) { return {g[0] * 3}; }
  static variable_list jvp(AutogradContext*, variable_list t) { return {t[0] * 3}; }
};

TEST(FunctionJvp, ReturnedAndDirtyInputsCarryTheNewTangent) {
  const forward_ad::DualLevelGuard level;
  const Tensor x = forward_ad::make_dual(constant({1, 2}), constant({1, 10}));
  const Tensor y = ReturnInput::apply(x);
  expect_values(forward_ad::unpack_dual(y).tangent, {3, 30});
  expect_values(forward_ad::unpack_dual(x).tangent, {1, 10});
  Tensor z = x * 1;
  Scale::apply(5.0, z);
  expect_values(forward_ad::unpack_dual(z).tangent, {5, 50});
}

/// x *= 2; saves an intermediate and another tensor over the memory that it writes.
struct SavesAround : Function<SavesAround> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, const Tensor& other) {
    ctx->mark_dirty({x});
    ctx->save_for_backward({x.clone(), other});
    Tensor(x).mul_(2);
    return x;
  }
  static variable_list backward(AutogradContext* ctx, variable_list g) {
    return {g[0] * 2 + ctx->get_saved_variables()[1].sum() * 0, Tensor()};
  }
};

TEST(DirtyInput, WhatForwardSavesFromWhatItWritesClosesNoCycle) {
  const NothingLeaks guard;
  const Tensor x = leaf({1, 2});
  const Tensor y = x * 1;
  SavesAround::apply(y, constant({1}));
  expect_values(grad({y.sum()}, {x}, {}, true)[0], {2, 2});
  const Tensor base = x * 1;
  SavesAround::apply(base.slice(0, 0, 1), base);
  expect_values(grad({base.sum()}, {x}, {}, true)[0], {2, 1});
  const Tensor once = grad({base.sum()}, {x}, {}, true, true)[0];
  EXPECT_THROW(grad({once.sum()}, {x}), DerivativeNotImplemented);
}

}  // namespace
}  // namespace notape::testing
