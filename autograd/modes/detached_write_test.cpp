// DetachedWrite: what a write through detach() or .data() is.
#include "autograd/modes/detached_write.h"

#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

TEST(DetachedWrite, KeepsTheHistoryOfTheOriginAndLosesWhatWasSaved) {
  const Tensor x = leaf({1, 2});
  const Tensor y = x.tanh(), z = y * 2;
  y.detach().zero_();
  EXPECT_EQ(y.grad_fn()->name(), "TanhBackward0");
  EXPECT_THROW(z.sum().backward(), SavedTensorModified);
}

TEST(DetachedWrite, IsAnErrorWhereThatIsAskedFor) {
  const DetachedWriteGuard guard(DetachedWrite::Error);
  const Tensor x = leaf({1, 2}), y = x * 2;
  const Unchanged before({x, y});
  const auto refused = [](auto write) {
    expect_error<AliasedInPlace>("refused under DetachedWrite::Error", write);
  };
  refused([&] { y.detach().zero_(); });
  refused([&] { y.data().add_(1); });
  refused([&] { x.data().view({2, 1}).mul_(2); });
  refused([&] { x.detach()[0].fill_(1); });
  refused([&] { x.detach().data().zero_(); });
  refused([&] { x.data().mutable_data_ptr<double>(); });
  refused([&] { const WriteTicket ticket(x.detach()); });
  refused([&] { x.detach().resize_({1}); });
  const NoGradGuard no_grad;
  refused([&] { x.data().zero_(); });
  before.check();
}

TEST(DetachedWrite, OfMemoryOfItsOwnIsAWriteLikeAnyOther) {
  const DetachedWriteGuard guard(DetachedWrite::Error);
  const Tensor x = leaf({1, 2});
  Tensor copy = x.detach().clone();
  copy.add_(1);
  expect_values(copy, {2, 3});
  Tensor moved = x.detach();
  moved.set_data(constant({7, 8}));
  moved.add_(1);
  expect_values(moved, {8, 9});
  Tensor interior = x * 2;
  interior.add_(1);
  expect_values(interior, {3, 5});
}

TEST(DetachedWrite, EndsWithItsScopeAndTravelsWithBackward) {
  const Tensor x = leaf({1, 2}), y = x * 2;
  int refused = 0;
  y.register_hook([&](const Tensor& g) {
    try {
      g.detach().zero_();
    } catch (const AliasedInPlace&) {
      ++refused;
    }
  });
  {
    const DetachedWriteGuard guard(DetachedWrite::Error);
    y.sum().backward();
  }
  EXPECT_EQ(refused, 1);
  x.data().zero_();
  expect_values(x, {0, 0});
}

}  // namespace
}  // namespace notape::testing
