#include "ops/conv/testing/conv2d_cases.h"
#include "ops/linalg/testing/pattern.h"

namespace notape::testing {
namespace {

struct Operands {
  explicit Operands(const Conv2dCase& one)
      : input(pattern_leaf(one.input, 5)), weight(pattern_leaf(one.weight, 7)) {
    if (one.has_bias) bias = pattern_leaf({one.weight[0]}, 3);
  }
  Tensor input, weight, bias;
};

Tensor run(const Conv2dCase& one, const Tensor& input, const Tensor& weight, const Tensor& bias) {
  return conv2d(input, weight, bias, one.stride, one.padding, one.dilation, one.groups);
}

TEST(Conv2d, HasLibTorchsValues) {
  for (const Conv2dCase& one : kConv2dCases) {
    SCOPED_TRACE(one.name);
    const Operands x(one);
    const Tensor result = run(one, x.input, x.weight, x.bias);
    EXPECT_EQ(result.sizes(), IntArrayRef(one.sizes));
    expect_values(result, one.output);
    const Tensor bias = x.bias.defined() ? x.bias.to(kFloat32) : Tensor();
    const Tensor single = run(one, x.input.to(kFloat32), x.weight.to(kFloat32), bias);
    EXPECT_EQ(single.dtype(), kFloat32);
    expect_values(single, one.output);
  }
}

TEST(Conv2d, HasLibTorchsGradients) {
  for (const Conv2dCase& one : kConv2dCases) {
    SCOPED_TRACE(one.name);
    const Operands x(one);
    run(one, x.input, x.weight, x.bias).backward(pattern(one.sizes, 4));
    expect_values(x.input.grad(), one.input_grad);
    expect_values(x.weight.grad(), one.weight_grad);
    if (one.has_bias) expect_values(x.bias.grad(), one.bias_grad);
  }
}

TEST(Conv2d, HasLibTorchsSecondDerivatives) {
  for (const Conv2dCase& one : kConv2dCases) {
    SCOPED_TRACE(one.name);
    const Operands x(one);
    const Tensor incoming = pattern_leaf(one.sizes, 4);
    const auto first = autograd::grad({run(one, x.input, x.weight, x.bias)}, {x.input, x.weight},
                                      {incoming}, {}, true);
    const Tensor sum =
        (first[0] * pattern(one.input, 3)).sum() + (first[1] * pattern(one.weight, 9)).sum();
    const auto second = autograd::grad({sum}, {x.input, x.weight, incoming});
    expect_values(second[0], one.second_input);
    expect_values(second[1], one.second_weight);
    expect_values(second[2], one.second_grad);
  }
}

TEST(Conv2d, HasTheSameTangentsAsGradients) {
  for (const Conv2dCase& one : kConv2dCases) {
    SCOPED_TRACE(one.name);
    const Operands x(one);
    const autograd::forward_ad::DualLevelGuard level;
    const auto dual = [](const Tensor& value, int64_t key) {
      return autograd::forward_ad::make_dual(value.detach(), pattern(value.sizes(), key));
    };
    const Tensor bias = x.bias.defined() ? dual(x.bias, 8) : Tensor();
    const Tensor tangent =
        autograd::forward_ad::unpack_dual(run(one, dual(x.input, 3), dual(x.weight, 9), bias))
            .tangent;
    // <incoming, tangent> = <input_grad, input tangent> + ...
    run(one, x.input, x.weight, x.bias).backward(pattern(one.sizes, 4));
    Tensor expected = (x.input.grad() * pattern(one.input, 3)).sum() +
                      (x.weight.grad() * pattern(one.weight, 9)).sum();
    if (one.has_bias) expected = expected + (x.bias.grad() * pattern({one.weight[0]}, 8)).sum();
    EXPECT_EQ((tangent * pattern(one.sizes, 4)).sum().item(), expected.item());
  }
}

TEST(Conv2d, TakesOperandsAndGradientsInEveryLayout) {
  for (const Conv2dCase& one : kConv2dCases) {
    SCOPED_TRACE(one.name);
    const Operands x(one);
    for (const std::vector<int>& order :
         std::vector<std::vector<int>>{{0, 2, 3, 1}, {3, 2, 1, 0}}) {
      const Tensor input = laid_out(x.input, order, 1).requires_grad_();
      const Tensor weight = laid_out(x.weight, order, 2).requires_grad_();
      const Tensor bias = x.bias.defined() ? laid_out(x.bias, {0}, 1) : Tensor();
      const Tensor result = run(one, input, weight, bias);
      expect_values(result, one.output);
      result.backward(laid_out(pattern(one.sizes, 4), order, 3));
      expect_values(input.grad(), one.input_grad);
      expect_values(weight.grad(), one.weight_grad);
    }
  }
}

TEST(Conv2d, TakesAnExpandedIncomingGradient) {
  const Conv2dCase& one = kConv2dCases[0];
  const Operands a(one), b(one);
  run(one, a.input, a.weight, a.bias).sum().backward();
  run(one, b.input, b.weight, b.bias).backward(ones(one.sizes, kFloat64));
  expect_values(a.input.grad(), values(b.input.grad()));
  expect_values(a.weight.grad(), values(b.weight.grad()));
}

TEST(Conv2d, TakesOneImageWithoutABatch) {
  const Tensor input = pattern_leaf({2, 4, 5}, 5);
  const Tensor weight = pattern({3, 2, 2, 2}, 7);
  const Tensor single = conv2d(input, weight);
  EXPECT_EQ(single.sizes(), IntArrayRef({3, 3, 4}));
  const Tensor batch = conv2d(input.reshape({1, 2, 4, 5}), weight);
  expect_values(single, values(batch));
  single.sum().backward();
  EXPECT_EQ(input.grad().sizes(), input.sizes());
}

TEST(Conv2d, MultipliesIntegers) {
  const Tensor input = tensor({1, 2, 3, 4, 5, 6, 7, 8, 9}, kInt64).reshape({1, 1, 3, 3});
  const Tensor weight = tensor({1, 0, 0, -1}, kInt64).reshape({1, 1, 2, 2});
  const Tensor result = conv2d(input, weight, tensor({100}, kInt64));
  EXPECT_EQ(result.dtype(), kInt64);
  expect_values(result, {96, 96, 96, 96});
}

TEST(Conv2d, OfAnEmptyBatchIsEmptyAndGivesZeroGradients) {
  const Tensor input = pattern_leaf({0, 2, 4, 4}, 5), weight = pattern_leaf({3, 2, 3, 3}, 7);
  const Tensor result = conv2d(input, weight, pattern({3}, 3));
  EXPECT_EQ(result.sizes(), IntArrayRef({0, 3, 2, 2}));
  result.sum().backward();
  EXPECT_EQ(input.grad().sizes(), input.sizes());
  expect_values(weight.grad(), std::vector<double>(54, 0));
}

TEST(Conv2d, WithoutChannelsIsTheBias) {
  const Tensor result =
      conv2d(empty({1, 0, 2, 2}, kFloat64), empty({2, 0, 1, 2}, kFloat64), constant({3, 4}));
  EXPECT_EQ(result.sizes(), IntArrayRef({1, 2, 2, 1}));
  expect_values(result, {3, 3, 4, 4});
}

TEST(Conv2d, IsTheSameInStripsAsAtOnce) {
  // 16 * 9 * 64 columns a row: more than one strip. The same sums as one image row at a time.
  const Tensor input = pattern_leaf({1, 16, 66, 66}, 5), weight = pattern_leaf({4, 16, 3, 3}, 7);
  const Tensor whole = conv2d(input, weight);
  const Tensor incoming = pattern(whole.sizes(), 4);
  whole.backward(incoming);
  const Tensor rows = input.detach().requires_grad_(), filter = weight.detach().requires_grad_();
  for (int64_t i : {0, 17, 40, 63}) {
    const Tensor row = conv2d(rows.narrow(2, i, 3), filter);
    EXPECT_EQ(values(row), values(whole.narrow(2, i, 1))) << "row " << i;
  }
  for (int64_t i = 0; i < 64; ++i)
    conv2d(rows.narrow(2, i, 3), filter).backward(incoming.narrow(2, i, 1));
  EXPECT_EQ(values(rows.grad()), values(input.grad()));
  EXPECT_EQ(values(filter.grad()), values(weight.grad()));
}

TEST(Conv2d, GivesTheSameBitsEveryTime) {
  manual_seed(3);
  const Tensor input = randn({4, 8, 20, 20}), weight = randn({16, 8, 3, 3}), bias = randn({16});
  std::vector<std::vector<double>> first;
  for (int repeat = 0; repeat < 3; ++repeat) {
    const Tensor x = input.detach().requires_grad_(), w = weight.detach().requires_grad_();
    const Tensor result = conv2d(x, w, bias, 1, 1);
    (result * result).sum().backward();
    const std::vector<std::vector<double>> now = {values(result), values(x.grad()),
                                                  values(w.grad())};
    if (repeat == 0) first = now;
    EXPECT_EQ(now, first);
  }
}

TEST(Conv2d, RefusesShapesThatDoNotFit) {
  const Tensor image = zeros({1, 2, 5, 5}), filter = zeros({4, 2, 3, 3});
  expect_error<ShapeError>(
      "Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input "
      "of size: [5, 5]",
      [&] {
        conv2d(zeros({5, 5}), filter);
      });
  expect_error<ShapeError>("expected 4D weight", [&] { conv2d(image, zeros({4, 2, 3})); });
  expect_error<ShapeError>(
      "Given groups=1, weight of size [4, 3, 3, 3], expected input[1, 2, 5, 5] to have 3 channels, "
      "but got 2 channels instead",
      [&] {
        conv2d(image, zeros({4, 3, 3, 3}));
      });
  expect_error<ShapeError>("Given groups=2, expected weight to be divisible by 2 at dimension 0",
                           [&] {
                             conv2d(image, zeros({3, 1, 3, 3}), {}, 1, 0, 1, 2);
                           });
  expect_error<ShapeError>("expected weight to be at least 1 at dimension 0", [&] {
    conv2d(image, zeros({0, 2, 3, 3}));
  });
  expect_error<ShapeError>("kernel size should be greater than zero", [&] {
    conv2d(image, zeros({4, 2, 0, 3}));
  });
  expect_error<ShapeError>(
      "Calculated padded input size per channel: (5 x 7). Kernel size: (3 x 9)", [&] {
        conv2d(image, filter, {}, 1, {0, 1}, {1, 4});
      });
  for (const Tensor& bias : {zeros({3}), zeros({4, 1})})
    expect_error<ShapeError>("expected bias to be 1-dimensional with 4 elements",
                             [&] { conv2d(image, filter, bias); });
}

TEST(Conv2d, RefusesParametersOutOfRange) {
  const Tensor image = zeros({1, 2, 5, 5}), filter = zeros({4, 2, 3, 3});
  expect_error<ValueError>("non-positive stride is not supported", [&] {
    conv2d(image, filter, {}, {1, 0});
  });
  expect_error<ValueError>("negative padding is not supported", [&] {
    conv2d(image, filter, {}, 1, {0, -1});
  });
  expect_error<ValueError>("dilation should be greater than zero, but got [0, 1]", [&] {
    conv2d(image, filter, {}, 1, 0, {0, 1});
  });
  expect_error<ValueError>("non-positive groups is not supported",
                           [&] { conv2d(image, filter, {}, 1, 0, 1, 0); });
  expect_error<ValueError>("may be at most 2147483647, not 9223372036854775807",
                           [&] { conv2d(image, filter, {}, 1, INT64_MAX); });
  expect_error<ValueError>("one or two numbers, but got 3", [&] {
    conv2d(image, filter, {}, Pair({1, 2, 3}));
  });
}

TEST(Conv2d, RefusesOperandsOfDifferentTypesAndUndefinedOnes) {
  const Tensor image = zeros({1, 2, 5, 5}), filter = zeros({4, 2, 3, 3});
  expect_error<DtypeError>("conv2d: expected scalar type Float but found Double",
                           [&] { conv2d(image, filter.to(kFloat64)); });
  expect_error<DtypeError>("Input type (float32) and bias type (float64) should be the same",
                           [&] { conv2d(image, filter, zeros({4}, kFloat64)); });
  expect_error<UndefinedTensor>("conv2d", [&] { conv2d(image, Tensor()); });
  expect_error<NoKernel>("not implemented for bool on cpu",
                         [&] { conv2d(image.to(kBool), filter.to(kBool)); });
}

TEST(Conv2d, NamesItsNode) {
  const Conv2dCase& one = kConv2dCases[1];
  const Operands x(one);
  EXPECT_EQ(run(one, x.input, x.weight, x.bias).grad_fn()->name(), "ConvolutionBackward0");
}

}  // namespace
}  // namespace notape::testing
