#include "paper_examples/nn/module.h"

#include <gmock/gmock.h>

#include <sstream>

#include "ops/ops.h"
#include "paper_examples/nn/activation.h"
#include "paper_examples/nn/batch_norm.h"
#include "paper_examples/nn/conv.h"
#include "paper_examples/nn/dropout.h"
#include "paper_examples/nn/linear.h"
#include "paper_examples/nn/sequential.h"
#include "paper_examples/nn/state_dict.h"

namespace notape::nn {
namespace {

using ::testing::ElementsAre;

struct Net : Module {
  Tensor forward(const Tensor& x) { return fc(x) * scale; }

  Linear fc = register_module("fc", Linear(3, 2));
  Tensor scale = register_parameter("scale", ones({2}));
};

std::vector<std::string> names_of(const Module& module) { return module.named_parameters().keys(); }

std::string format(const Module& module) {
  std::ostringstream out;
  out << module;
  return out.str();
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

TEST(Module, ZeroGradMakesEveryGradientUndefinedOrZero) {
  Net net;
  net.zero_grad(/*set_to_none=*/false);
  net.forward(ones({1, 3})).sum().backward();
  for (const Tensor& parameter : net.parameters()) EXPECT_TRUE(parameter.grad().defined());
  const Tensor before = net.parameters()[0].grad();
  net.zero_grad(/*set_to_none=*/false);
  for (const Tensor& parameter : net.parameters())
    EXPECT_FALSE(parameter.grad().any().item<bool>());
  EXPECT_TRUE(before.is_alias_of(net.parameters()[0].grad()));
  net.zero_grad();
  for (const Tensor& parameter : net.parameters()) EXPECT_FALSE(parameter.grad().defined());
}

TEST(Module, IsNotBelowItself) {
  struct Empty : Module {};
  const auto a = std::make_shared<Empty>(), b = std::make_shared<Empty>();
  EXPECT_THROW(a->register_module("self", a), ValueError);
  a->register_module("b", b);
  EXPECT_THROW(b->register_module("a", a), ValueError);
  EXPECT_EQ(a->modules().size(), 2u);
}

TEST(BatchNorm, RefusesToTrainOnOneValuePerChannel) {
  BatchNorm1d of_lines(3);
  EXPECT_THROW(of_lines(ones({1, 3})), ValueError);
  EXPECT_THROW(BatchNorm2d(BatchNormOptions(3).track_running_stats(false))(ones({1, 3, 1, 1})),
               ValueError);
  EXPECT_TRUE(of_lines->running_var.equal(ones({3})));
  EXPECT_EQ(of_lines->num_batches_tracked.item(), 0);
  of_lines->eval();
  EXPECT_EQ(of_lines(ones({1, 3})).sizes(), IntArrayRef({1, 3}));
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

TEST(Module, ListsModulesBuffersAndChildrenByName) {
  Net net;
  struct Whole : Module {
    explicit Whole(BatchNorm1d norm) : norm(norm) { register_module("norm", norm); }
    BatchNorm1d norm;
  };
  const auto whole = net.register_module("whole", std::make_shared<Whole>(BatchNorm1d(2)));
  EXPECT_THAT(net.named_modules().keys(), ElementsAre("", "fc", "whole", "whole.norm"));
  EXPECT_THAT(net.named_children().keys(), ElementsAre("fc", "whole"));
  EXPECT_THAT(net.named_buffers().keys(),
              ElementsAre("whole.norm.running_mean", "whole.norm.running_var",
                          "whole.norm.num_batches_tracked"));
  EXPECT_THAT(net.named_parameters(/*recurse=*/false).keys(), ElementsAre("scale"));
  EXPECT_EQ(net.modules(/*include_self=*/false).size(), 3U);
  EXPECT_EQ(net.modules()[1]->as<Linear>(), net.fc.get());
  EXPECT_EQ(net.modules()[0]->as<Linear>(), nullptr);
  int layers = 0;
  net.apply([&](Module& module) { layers += module.as<Linear>() != nullptr; });
  EXPECT_EQ(layers, 1);
}

TEST(Module, TrainAndEvalReachAllBelow) {
  Net net;
  const Dropout dropout = net.register_module("dropout", Dropout(0.5));
  EXPECT_TRUE(net.is_training() && dropout->is_training());
  net.eval();
  EXPECT_FALSE(net.is_training() || dropout->is_training() || net.fc->is_training());
  net.train();
  EXPECT_TRUE(dropout->is_training());
}

TEST(Module, ATensorThatIsThereTwiceIsListedOnceAndSavedUnderBothNames) {
  Net net;
  net.register_parameter("tied", net.fc->weight);
  EXPECT_THAT(net.named_parameters().keys(), ElementsAre("scale", "tied", "fc.bias"));
  EXPECT_EQ(state_dict(net).size(), 4U);
}

TEST(Module, WhatWasComputedBecomesALeafOfItsValue) {
  Net net;
  const Tensor made = ones({2}, requires_grad()) * 3;
  const Tensor parameter = net.register_parameter("made", made);
  EXPECT_TRUE(parameter.is_leaf() && parameter.requires_grad());
  EXPECT_TRUE(parameter.detach().equal(made.detach()));
  EXPECT_FALSE(net.register_parameter("frozen", ones({1}), false).requires_grad());
}

TEST(Module, ToAnotherTypeKeepsObjectsConvertsGradientsAndLeavesIntegers) {
  Net net;
  const BatchNorm1d norm = net.register_module("norm", BatchNorm1d(2));
  const Tensor weight = net.fc->weight;
  net.forward(ones({1, 3})).sum().backward();
  net.to(kFloat64);
  EXPECT_TRUE(net.parameters()[1].is_same(weight));
  EXPECT_EQ(weight.dtype(), kFloat64);
  EXPECT_EQ(weight.grad().dtype(), kFloat64);
  EXPECT_TRUE(weight.requires_grad());
  EXPECT_EQ(norm->running_var.dtype(), kFloat64);
  EXPECT_EQ(norm->num_batches_tracked.dtype(), kInt64);
  net.zero_grad();
  net.to(kCPU, /*non_blocking=*/true);
  net.forward(ones({1, 3}, kFloat64)).sum().backward();
  EXPECT_EQ(weight.grad().dtype(), kFloat64);
}

TEST(Module, PrintsATree) {
  Net net;
  net.register_module("rest", Sequential(Conv2d(Conv2dOptions(1, 2, 3).padding(1)), ReLU()));
  EXPECT_EQ(format(net), R"(Net(
  (fc): Linear(in_features=3, out_features=2, bias=true)
  (rest): Sequential(
    (0): Conv2d(1, 2, kernel_size=[3, 3], stride=[1, 1], padding=[1, 1])
    (1): ReLU()
  )
))");
}

TEST(ModuleHolder, ThatHoldsNothingSaysSo) {
  struct Late : Module {
    Late() { fc = register_module("fc", Linear(2, 1)); }
    Linear fc{nullptr};
  };
  EXPECT_EQ(Late().fc(ones({1, 2})).numel(), 1);
  const Linear empty = nullptr;
  EXPECT_FALSE(empty);
  EXPECT_THROW(empty(ones({1, 2})), ValueError);
  EXPECT_THROW(Net().register_module("empty", empty), ValueError);
}

TEST(Module, ZeroesGradientsThatAreExpandedOrPartsOfAnother) {
  Module module;
  const Tensor a = module.register_parameter("a", ones({3})),
               b = module.register_parameter("b", ones({2})), all = ones({5});
  a.set_grad(ones({1}).expand({3}));
  b.set_grad(all.narrow(0, 0, 2));
  module.zero_grad(false);
  EXPECT_TRUE(a.grad().equal(zeros({3})));
  EXPECT_TRUE(all.equal(tensor({0., 0., 1., 1., 1.}).to(kFloat32)));
}

}  // namespace
}  // namespace notape::nn
