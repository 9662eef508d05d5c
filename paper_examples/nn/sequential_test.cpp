#include "paper_examples/nn/sequential.h"

#include <gmock/gmock.h>

#include "ops/ops.h"
#include "paper_examples/nn/activation.h"
#include "paper_examples/nn/functional.h"
#include "paper_examples/nn/linear.h"
#include "paper_examples/nn/module_list.h"

namespace notape::nn {
namespace {

using ::testing::ElementsAre;

struct Doubled : Module {
  Tensor forward(const Tensor& x) const { return x * 2; }
};

TEST(Sequential, FeedsEachModuleWithWhatTheOneBeforeMade) {
  const Linear first(3, 2);
  const Sequential net(first, Functional([](const Tensor& at) { return at - 1; }),
                       Functional(leaky_relu, 0.2), std::make_shared<Doubled>());
  const Tensor x = tensor({{1., -2., 3.}});
  EXPECT_TRUE(net(x).equal(leaky_relu(first(x) - 1, 0.2) * 2));
  EXPECT_THAT(net->named_parameters().keys(), ElementsAre("0.weight", "0.bias"));
  EXPECT_EQ(net->size(), 4U);
  EXPECT_EQ((*net)[0], first.ptr());
  EXPECT_THROW((*net)[4], IndexError);
  EXPECT_TRUE(Sequential()(x).is_same(x));
}

TEST(Sequential, ModulesMayHaveNamesAndBeAddedLater) {
  Sequential net{{"fc", Linear(3, 2)}, {"relu", ReLU()}};
  net->push_back("again", Linear(2, 2));
  net->push_back(Sequential(Tanh()));
  EXPECT_THAT(net->named_children().keys(), ElementsAre("fc", "relu", "again", "3"));
  EXPECT_EQ(net(ones({1, 3})).sizes(), IntArrayRef({1, 2}));
  EXPECT_THROW(net->push_back("fc", Tanh()), ValueError);
}

TEST(ModuleList, HoldsModulesForAForwardOfTheUsers) {
  ModuleList list(Linear(2, 2), Tanh());
  list->push_back(Linear(2, 1));
  Tensor x = ones({1, 2});
  for (const auto& module : *list)
    if (auto* linear = module->as<Linear>()) x = linear->forward(x);
  EXPECT_EQ(x.sizes(), IntArrayRef({1, 1}));
  EXPECT_EQ(list->at<Linear>(2).options.out_features(), 1);
  EXPECT_THROW(list->at<Linear>(1), ValueError);
  EXPECT_THROW(list->at<Linear>(3), IndexError);
  EXPECT_EQ(list->parameters().size(), 4U);
}

}  // namespace
}  // namespace notape::nn
