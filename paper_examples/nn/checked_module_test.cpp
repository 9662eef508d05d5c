// A module as a function under check: a function of its input. Parameters are constants of the
// check, and what training keeps in them stays.
#include <gtest/gtest.h>

#include "ops/ops.h"
#include "paper_examples/nn/conv2d.h"
#include "paper_examples/nn/linear.h"
#include "verify/gradcheck.h"

namespace notape {
namespace {

/// Checks it, in the middle of training.
template <typename Layer>
void expect_right_and_untouched(const Layer& layer, const Tensor& x) {
  manual_seed(3);
  for (const Tensor& one : layer->parameters()) one.set_grad(full(one.sizes(), 0.25));
  const auto report = verify::check([layer](const Tensor& at) { return tanh(layer(at)); }, {x});
  EXPECT_TRUE(report.ok()) << report.text();
  for (const auto& [name, one] : layer->named_parameters()) {
    EXPECT_EQ(one._version(), 0U) << name;
    EXPECT_TRUE(one.requires_grad()) << name;
    EXPECT_TRUE(equal(one.grad(), full(one.sizes(), 0.25))) << name;
  }
}

Tensor input_of_sizes(std::vector<int64_t> sizes) {
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  return sin(arange(count).to(kFloat32)).reshape(sizes).requires_grad_(true);
}

TEST(CheckedModule, LinearIsRightAndKeepsItsGradients) {
  expect_right_and_untouched(nn::Linear(3, 4), input_of_sizes({2, 3}));
}

TEST(CheckedModule, Conv2dIsRightAndKeepsItsGradients) {
  expect_right_and_untouched(nn::Conv2d(1, 2, 3), input_of_sizes({1, 1, 4, 4}));
}

}  // namespace
}  // namespace notape
