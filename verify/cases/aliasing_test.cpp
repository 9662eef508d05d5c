// Regression cases A: overwritten values, views and in-place writes. In LibTorch or another library
// each was once silently wrong, or raised without need.
#include "verify/cases/testing/raise_or.h"

namespace notape::testing {
namespace {

using autograd::AutogradContext;
using autograd::Function;
namespace forward_ad = autograd::forward_ad;

TEST(Cases, A1_AResultOverwrittenInRawMemoryIsNoticed) {
  expect_raise_or_for_raw_writes({0.196612, 0.104994, 0.045177}, [](RawWrite how) {
    const Tensor a = leaf({1, 2, 3}), o = sigmoid(a);
    write_raw(o, how, [](double) { return 0.0; });
    o.sum().backward();
    return a.grad();
  });
}

TEST(Cases, A2_AParameterChangedInRawMemoryBeforeBackwardIsNoticed) {
  expect_raise_or_for_raw_writes({2, 2}, [](RawWrite how) {
    const Tensor p = leaf({1, 1}), l = square(p).sum();
    write_raw(p, how, [](double x) { return x + 4; });
    l.backward();
    return p.grad();
  });
}

TEST(Cases, A3_AWriteToASliceOfAnUnbindReachesTheLeafOnce) {
  expect_raise_or({2, 2, 1, 1, 1, 1, 1, 1, 1}, [] {
    const Tensor r = arange(0, 9, kFloat64).view({3, 3}).clone().requires_grad_();
    const Tensor x = r * 1;
    Tensor v = x.unbind()[0].slice(0, 0, 2);
    v.mul_(2);
    x.sum().backward();
    return r.grad();
  });
}

bool backward_was_called = false;

/// Returns a view of an intermediate of its own.
struct ViewOfTriple : Function<ViewOfTriple> {
  static Tensor forward(AutogradContext*, const Tensor& x) { return (x * 3).view({4}); }
  static variable_list backward(AutogradContext*, variable_list g) {
    backward_was_called = true;
    return {g[0].view({2, 2}) * 3};
  }
};

TEST(Cases, A4_AWriteToAViewThatAUserFunctionReturnedScalesItsGradient) {
  expect_raise_or({6, 6, 6, 6}, [] {
    const Tensor x = leaf({{1, 2}, {3, 4}});
    Tensor out = ViewOfTriple::apply(x);
    out.mul_(2);
    out.sum().backward();
    return x.grad();
  });
}

TEST(Cases, A5_AFillUnderNoGradDoesNotTakeTheUsersBackwardAway) {
  backward_was_called = false;
  bool raised = false;
  try {
    const Tensor x = leaf({{1, 2}, {3, 4}});
    Tensor out = ViewOfTriple::apply(x);
    {
      const NoGradGuard no_grad;
      out.fill_(1);
    }
    out.sum().backward();
  } catch (const Error&) {
    raised = true;
  }
  EXPECT_TRUE(raised || backward_was_called);
}

TEST(Cases, A6_TangentsOfABaseFollowWritesThroughItsTransposedView) {
  const forward_ad::DualLevelGuard level;
  const Tensor base = constant({{1, 2}, {3, 4}});
  Tensor v = base.t();
  v.mul_(forward_ad::make_dual(constant(1), constant(0.5)));
  expect_values(forward_ad::unpack_dual(base).tangent, {0.5, 1, 1.5, 2});
  v.mul_(2);
  expect_values(forward_ad::unpack_dual(base).tangent, {1, 2, 3, 4});
  expect_values(forward_ad::unpack_dual(base).primal, {2, 4, 6, 8});
}

/// a[1:2] += b, in place.
struct AddIntoSlice : Function<AddIntoSlice> {
  static Tensor forward(AutogradContext* ctx, const Tensor& a, const Tensor& b) {
    ctx->mark_dirty({a});
    a.slice(0, 1, 2).add_(b);
    return a;
  }
  static variable_list backward(AutogradContext*, variable_list g) {
    return {g[0], g[0].slice(0, 1, 2)};
  }
};

TEST(Cases, A7_AUserFunctionThatWritesPartOfItsInputHasBothGradients) {
  const Tensor a0 = leaf({1, 2}), b = leaf({5.0});
  const Tensor a = a0 + 1;
  AddIntoSlice::apply(a, b).sum().backward();
  expect_values(a0.grad(), {1, 1});
  expect_values(b.grad(), {1});
}

struct DirtyButCloned : Function<DirtyButCloned> {
  static Tensor forward(AutogradContext* ctx, const Tensor& a) {
    ctx->mark_dirty({a});
    return a.clone();
  }
  static variable_list backward(AutogradContext*, variable_list g) { return g; }
};

TEST(Cases, A8_ADirtyInputThatIsNotReturnedRaises) {
  const Tensor x = leaf({1, 2}), a = x * 1;
  EXPECT_THROW(DirtyButCloned::apply(a).sum().backward(), Error);
}

TEST(Cases, A13_RowsRenormalisedUnderNoGradAfterTheirUseAreNoticed) {
  expect_raise_or({9, 9, 9, 9}, [] {
    const Tensor w = full({3, 2}, 3, kFloat64), factor = ones({2, 2}, kFloat64).requires_grad_();
    const Tensor a = w.matmul(factor);
    {
      const NoGradGuard no_grad;
      for (Tensor row : w.unbind()) row.div_(sqrt(square(row).sum()));
    }
    a.sum().backward();
    return factor.grad();
  });
}

TEST(Cases, A14_ATensorDetachedAndRefilledEveryRoundSumsItsRounds) {
  expect_raise_or({16.309691}, [] {
    const Tensor mu = leaf(1);
    Tensor x = zeros({}, kFloat64), loss = zeros({}, kFloat64);
    for (int round = 0; round < 3; ++round) {
      x.detach_();
      x.copy_(exp(mu));
      loss = loss + (x * 2).sum();
    }
    loss.backward();
    return mu.grad();
  });
}

TEST(Cases, A15_ASavedValueWhoseStorageIsExchangedIsKeptOrNoticed) {
  expect_raise_or({4}, [] {
    const Tensor start = leaf(2), x = start * 1, o = square(x);
    x.set_data(constant(1));
    o.backward();
    return start.grad();
  });
}

TEST(Cases, A17_AnExpandedScalarCannotBeWritten) {
  Tensor y = constant(0.785398).expand({3});
  EXPECT_THROW(y.cos_(), MemoryOverlap);
}

TEST(Cases, A18_AnExpandedMatrixCannotBeMaskFilled) {
  Tensor x = constant({{1, 2}, {3, 4}}).expand({2, 2, 2});
  EXPECT_THROW(x.masked_fill_(ones({2, 2, 2}, kBool), 0), MemoryOverlap);
}

TEST(Cases, A19_AnAdditionThatReadsWhatItIsAboutToWriteRaises) {
  Tensor b = constant({1, 2, 3, 4});
  const Unchanged state({b});
  EXPECT_THROW(b.slice(0, 1).add_(b.slice(0, 0, 3)), MemoryOverlap);
  state.check();
  Tensor c = constant({{1, 2, 3}, {4, 5, 6}});
  EXPECT_THROW(c.slice(1, 1).mul_(c.slice(1, 0, 2)), MemoryOverlap);
}

TEST(Cases, A21_OverwrittenColumnsContributeNothing) {
  const Tensor w = leaf({1, 1, 1}), x = constant({{1, 2, 3}, {4, 5, 6}});
  Tensor h = w * x;
  h.slice(1, 0, 2).zero_();
  h.sum().backward();
  expect_values(w.grad(), {0, 0, 9});
}

TEST(Cases, A22_ABroadcastByRebindingIsRightAndInPlaceRaises) {
  const Tensor start = ones({3, 3}, kFloat64).requires_grad_();
  Tensor a = start;
  a = a + ones({3, 3, 3}, kFloat64);
  EXPECT_EQ((a < 1).sum().item(), 0);  // evaluated in between
  square(a).backward(ones({3, 3, 3}, kFloat64));
  expect_values(start.grad(), std::vector<double>(9, 12));
  Tensor b = ones({3, 3}, kFloat64);
  EXPECT_THROW(b.add_(ones({3, 3, 3}, kFloat64)), ShapeError);
}

}  // namespace
}  // namespace notape::testing
