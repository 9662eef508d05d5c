#include "autograd/tensor/accessor.h"

#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

TEST(Accessor, ReadsAndWritesByIndexWhateverTheStrides) {
  Tensor x = arange(24, kFloat64).view({2, 3, 4}).transpose(0, 2);
  auto elements = x.accessor<double, 3>();
  EXPECT_EQ(elements.size(0), 4);
  EXPECT_EQ(elements.stride(0), 1);
  for (int64_t i = 0; i < 4; ++i)
    for (int64_t j = 0; j < 3; ++j)
      for (int64_t k = 0; k < 2; ++k)
        EXPECT_EQ(elements[i][j][k], static_cast<double>(12 * k + 4 * j + i));
  elements[3][2][1] = -1;
  EXPECT_EQ(x[3][2][1].item(), -1);
  EXPECT_EQ(elements[3][2].data(), &elements[3][2][0]);
}

TEST(Accessor, RefusesAnotherTypeOrNumberOfDimensions) {
  const Tensor x = ones({2, 3});
  expect_error<ShapeError>("expected 1 dims but tensor has 2", [&] { x.accessor<float, 1>(); });
  EXPECT_THROW((x.accessor<double, 2>()), DtypeError);
  const Tensor none;
  EXPECT_THROW((none.accessor<double, 2>()), UndefinedTensor);
}

TEST(TensorInformation, HasLibTorchsNames) {
  const Tensor x = ones({2, 3}), n = ones({2}, kUInt8);
  EXPECT_EQ(x.nbytes(), 24u);
  EXPECT_EQ(x.itemsize(), 4u);
  EXPECT_EQ(x.ndimension(), 2);
  EXPECT_EQ(x.get_device(), -1);
  EXPECT_TRUE(x.is_cpu() && x.is_signed() && !x.is_complex() && !n.is_signed());
  const IntArrayRef sizes = x.sizes();
  EXPECT_TRUE(sizes.slice(1).equals(IntArrayRef({3})));
  EXPECT_TRUE(sizes.slice(0, 1).equals(IntArrayRef({2})));
}

TEST(LikeFactories, TakeOptionsBeforeTheTensorsOwn) {
  const Tensor x = ones({2, 3}, kFloat64).t();
  const Tensor y = zeros_like(x, dtype(kFloat32).requires_grad(true));
  EXPECT_EQ(y.dtype(), kFloat32);
  EXPECT_EQ(y.strides(), x.strides());
  EXPECT_TRUE(y.requires_grad());
  EXPECT_EQ(ones_like(x, requires_grad()).dtype(), kFloat64);
  EXPECT_EQ(values(full_like(x, 3, kInt64)), std::vector<double>(6, 3));
  EXPECT_EQ(rand_like(x, kFloat32).dtype(), kFloat32);
  EXPECT_EQ(randn_like(x).dtype(), kFloat64);
  const Tensor n = randint_like(x, 2, 5);
  EXPECT_EQ(n.dtype(), kFloat64);
  EXPECT_GE(n.min().item(), 2);
  EXPECT_LT(randint_like(x, 3, kInt64).max().item(), 3);
}

}  // namespace
}  // namespace notape::testing
