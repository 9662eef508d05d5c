// The reverse of max_pool2d. Numbers are PyTorch 2.15's.
#include "autograd/testing/expect.h"
#include "ops/ops.h"
#include "ops/pooling.h"

namespace notape::testing {
namespace {

TEST(MaxUnpool2d, PutsEntriesWhereTheyWere) {
  const Tensor x = constant({{{1, 5, 2}, {4, 3, 6}}});
  const auto [y, indices] = max_pool2d_with_indices(x, Pair(1, 2), Pair(1, 1));
  expect_values(max_unpool2d(y, indices, Pair(2, 3)), {0, 5, 0, 4, 0, 6});
  const Tensor one = leaf({{{{1, 2, 3}}}});
  const Tensor z = max_unpool2d(one, tensor({{{{4, 4, 1}}}}), Pair(2, 3));
  expect_values(z, {0, 3, 0, 0, 2, 0});
  z.backward(arange(1, 7, dtype(kFloat64)).reshape({1, 1, 2, 3}));
  expect_values(one.grad(), {0, 5, 2});  // LibTorch: 5, 5, 2
  EXPECT_EQ(max_unpool2d(zeros({0, 1, 1, 2}), zeros({0, 1, 1, 2}, kInt64), Pair(2, 3)).sizes(),
            IntArrayRef({0, 1, 2, 3}));
}

TEST(MaxUnpool2d, ChecksItsArguments) {
  const Tensor x = zeros({1, 1, 2}), index = tensor({{{0, 5}}});
  const auto refused = [](auto error, const char* why, const Tensor& self, const Tensor& indices,
                          Pair size) {
    expect_error<decltype(error)>(why, [&] { max_unpool2d(self, indices, size); });
  };
  refused(IndexError(""), "max_unpool2d: index 6 is out of bounds", x, index + 1, Pair(2, 3));
  refused(IndexError(""), "index -1 is out of bounds", x, index - 1, Pair(2, 3));
  refused(DtypeError(""), "elements in indices should be type int64", x, index.to(kInt32),
          Pair(2, 3));
  refused(DtypeError(""), "max_unpool2d", x.to(kInt64), index, Pair(2, 3));
  refused(ShapeError(""), "Expected shape of indices", x, index[0], Pair(2, 3));
  refused(ShapeError(""), "should be a 3d or 4d Tensor", x[0], index[0], Pair(2, 3));
  refused(ShapeError(""), "with dimension 1 being empty", zeros({1, 0, 2}),
          zeros({1, 0, 2}, kInt64), Pair(2, 3));
  refused(ShapeError(""), "non-negative spatial dimensions", x, index, Pair(-1, 3));
}

}  // namespace
}  // namespace notape::testing
