#include "paper_examples/nn/module.h"

#include <gmock/gmock.h>

#include <cmath>

#include "ops/ops.h"
#include "paper_examples/nn/conv.h"
#include "paper_examples/nn/linear.h"

namespace notape::nn {
namespace {

using ::testing::ElementsAre;

struct Net : Module {
  Tensor forward(const Tensor& x) { return fc(x) * scale; }

  Linear fc = register_module("fc", Linear(3, 2));
  Tensor scale = register_parameter("scale", ones({2}));
};

std::vector<std::string> names_of(const Module& module) {
  std::vector<std::string> names;
  for (const auto& [name, parameter] : module.named_parameters()) names.push_back(name);
  return names;
}

TEST(Module, C08_ListsItsParametersBeforeThoseOfItsSubmodules) {
  const Net net;
  EXPECT_THAT(names_of(net), ElementsAre("scale", "fc.weight", "fc.bias"));
  EXPECT_EQ(net.parameters().size(), 3u);
  EXPECT_TRUE(net.parameters()[1].is_same(net.fc->weight));
}

TEST(Module, B04_ParametersOfNewModulesRequireGrad) {
  for (const Tensor& parameter : Net().parameters()) EXPECT_TRUE(parameter.requires_grad());
  for (const Tensor& parameter : Conv2d(2, 3, 5)->parameters())
    EXPECT_TRUE(parameter.requires_grad() && parameter.is_leaf());
}

TEST(Module, ZeroGradMakesEveryGradientUndefined) {
  Net net;
  net.forward(ones({1, 3})).sum().backward();
  for (const Tensor& parameter : net.parameters()) EXPECT_TRUE(parameter.grad().defined());
  net.zero_grad();
  for (const Tensor& parameter : net.parameters()) EXPECT_FALSE(parameter.grad().defined());
}

TEST(Module, ReplacesASubmodule) {
  Net net;
  net.fc = net.replace_module("fc", Linear(3, 5));
  EXPECT_THAT(names_of(net), ElementsAre("scale", "fc.weight", "fc.bias"));
  EXPECT_EQ(net.parameters()[1].size(0), 5);
  EXPECT_THROW(net.replace_module("head", Linear(1, 1)), ValueError);
}

TEST(Module, RejectsNamesThatAreTakenEmptyOrDotted) {
  Net net;
  for (const char* name : {"", "a.b", "fc", "scale"}) {
    EXPECT_THROW(net.register_parameter(name, ones({1})), ValueError) << name;
    EXPECT_THROW(net.register_module(name, Linear(1, 1)), ValueError) << name;
  }
  EXPECT_EQ(net.parameters().size(), 3u);
}

TEST(Linear, IsXWTransposedPlusB) {
  Linear linear(2, 3);
  const NoGradGuard no_grad;
  linear->weight.copy_(tensor({{1., 2.}, {3., 4.}, {5., 6.}}));
  linear->bias.copy_(tensor({10., 20., 30.}));
  EXPECT_TRUE(
      linear(tensor({{1., -1.}, {0., 2.}})).equal(tensor({{9., 19., 29.}, {14., 28., 42.}})));
}

TEST(Conv2d, AddsABiasPerFilterToTheCrossCorrelation) {
  Conv2d conv(1, 2, 2);
  const NoGradGuard no_grad;
  conv->weight.copy_(tensor({1., 2., 3., 4., 0., 0., 0., 1.}).view({2, 1, 2, 2}));
  conv->bias.copy_(tensor({0.5, -1.}));
  const Tensor image = tensor({{1., 2., 3.}, {4., 5., 6.}}).view({1, 1, 2, 3});
  EXPECT_TRUE(conv(image).equal(tensor({37.5, 47.5, 4., 5.}).view({1, 2, 1, 2}))) << conv(image);
}

TEST(Initialization, FillsTheRangeOfOneOverTheRootOfTheFanIn) {
  manual_seed(3);
  const auto check = [](const Tensor& parameter, double fan_in) {
    const double bound = 1 / std::sqrt(fan_in), largest = parameter.abs().max().item();
    EXPECT_LE(largest, bound);
    EXPECT_GT(largest, 0.9 * bound);
    EXPECT_NEAR(parameter.mean().item(), 0, 0.2 * bound);
  };
  const Linear linear(16, 200);
  check(linear->weight, 16);
  check(linear->bias, 16);
  const Conv2d conv(4, 200, 3);
  check(conv->weight, 36);
  check(conv->bias, 36);
}

}  // namespace
}  // namespace notape::nn
