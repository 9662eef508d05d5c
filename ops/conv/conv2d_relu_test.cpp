// conv2d_relu is relu of conv2d: the same bits, gradients of two orders, tangents, and samples.
#include "autograd/autograd.h"
#include "ops/linalg/testing/pattern.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

struct Rectified {
  Tensor image = pattern_leaf({2, 2, 5, 4}, 5), filter = pattern_leaf({3, 2, 3, 3}, 7),
         bias = pattern_leaf({3}, 3);

  explicit Rectified(ScalarType type = kFloat64) {
    for (Tensor* x : {&image, &filter, &bias}) *x = x->detach().to(type).requires_grad_();
  }
  Tensor joined() const { return conv2d_relu(image, filter, bias, 1, 1); }
  Tensor apart() const { return relu(conv2d(image, filter, bias, 1, 1)); }
  TensorList leaves() const { return {image, filter, bias}; }
};

TensorList gradients(const Tensor& y, const TensorList& of, bool create_graph = false) {
  return autograd::grad({y}, of, {pattern(y.sizes().vec(), 4).to(y.dtype())}, {}, create_graph);
}

TEST(Conv2dRelu, IsReluOfTheConvolution) {
  for (const ScalarType type : {kFloat64, kFloat32, kFloat16, kBFloat16}) {
    const Rectified x(type);
    const Tensor y = x.joined(), expected = x.apart();
    const double zeros = y.eq(0).sum().item();
    EXPECT_GT(zeros, 0);
    EXPECT_LT(zeros, static_cast<double>(y.numel()));
    EXPECT_TRUE(y.equal(expected)) << name_of(type);
    const TensorList first = gradients(y, x.leaves()), same = gradients(expected, x.leaves());
    for (const std::size_t i : {0, 1}) EXPECT_TRUE(first[i].equal(same[i])) << name_of(type) << i;
    EXPECT_TRUE(first[2].allclose(same[2], 1e-2 * (type != kFloat64) + 1e-14)) << name_of(type);
  }
}

TEST(Conv2dRelu, HasTheSameSecondDerivatives) {
  const Rectified x;
  const auto second = [&](const Tensor& y) {
    const Tensor incoming = pattern_leaf(y.sizes().vec(), 4);
    Tensor sum = zeros({}, kFloat64);
    for (const Tensor& g : autograd::grad({y}, x.leaves(), {incoming}, {}, true))
      sum = sum + g.pow(2).sum();
    return autograd::grad({sum}, {x.image, x.filter, incoming});
  };
  const TensorList joined = second(x.joined()), apart = second(x.apart());
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(joined[i].allclose(apart[i], 1e-12)) << i;
}

TEST(Conv2dRelu, KeepsNaNAndLetsItsGradientPass) {
  Rectified x;
  x.image = x.image.detach().clone();
  x.image.select(0, 0).fill_(std::nan(""));
  const Tensor y = x.joined();
  EXPECT_TRUE(y.select(0, 0).isnan().all().item());
  EXPECT_FALSE(y.select(0, 1).isnan().any().item());
  const Tensor of_bias = gradients(y, {x.bias})[0], expected = gradients(x.apart(), {x.bias})[0];
  EXPECT_TRUE(of_bias.allclose(expected, 1e-14));
}

/// Whatever is wanted, and of one image, without a bias or in no-grad mode.
TEST(Conv2dRelu, TakesWhatConv2dTakes) {
  const Rectified x;
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_TRUE(gradients(x.joined(), {x.leaves()[i]})[0].allclose(
        gradients(x.apart(), {x.leaves()[i]})[0], 1e-14))
        << i;
  const Tensor frozen = conv2d_relu(x.image.detach(), x.filter.detach(), x.bias, 1, 1);
  EXPECT_TRUE(gradients(frozen, {x.bias})[0].allclose(gradients(x.apart(), {x.bias})[0], 1e-14));
  const Tensor image = x.image[0];
  EXPECT_TRUE(conv2d_relu(image, x.filter, x.bias).equal(relu(conv2d(image, x.filter, x.bias))));
  const Tensor none = conv2d_relu(x.image, x.filter);
  EXPECT_TRUE(none.equal(relu(conv2d(x.image, x.filter))));
  EXPECT_TRUE(gradients(none, {x.image})[0].equal(
      gradients(relu(conv2d(x.image, x.filter)), {x.image})[0]));
  const Tensor empty = conv2d_relu(x.image.slice(0, 0, 0), x.filter, x.bias);
  EXPECT_TRUE(gradients(empty, {x.bias})[0].equal(zeros({3}, kFloat64)));
  const NoGradGuard guard;
  EXPECT_FALSE(x.joined().requires_grad());
}

TEST(Conv2dRelu, HasTheSameGradientsForEachSample) {
  const Rectified x;
  const auto of_one = [&](const auto& function) {
    return autograd::functional::vmap([&](const Tensor& image) {
      const Tensor leaf = image.detach().requires_grad_();
      const Tensor y = function(leaf);
      return autograd::grad({y.sum()}, {x.bias, leaf})[0];
    });
  };
  const Tensor joined = of_one([&](const Tensor&i) { return conv2d_relu(i, x.filter, x.bias); })(
                   x.image.detach()),
               apart = of_one([&](const Tensor&i) { return relu(conv2d(i, x.filter, x.bias)); })(
                   x.image.detach());
  EXPECT_TRUE(joined.allclose(apart, 1e-14));
}

TEST(Conv2dRelu, RefusesWhatConv2dRefuses) {
  const Rectified x;
  EXPECT_THROW(conv2d_relu(x.image, x.filter, x.image), ShapeError);
  EXPECT_THROW(conv2d_relu(x.image, x.filter, x.bias, 0), ValueError);
  EXPECT_THROW(conv2d_relu(Tensor(), x.filter, x.bias), UndefinedTensor);
}

/// What backward needs is the result: whoever overwrites it is told.
TEST(Conv2dRelu, NeedsItsResult) {
  const Rectified x;
  Tensor y = x.joined();
  y.mul_(2);
  EXPECT_THROW(y.sum().backward(), SavedTensorModified);
}

}  // namespace
}  // namespace notape::testing
