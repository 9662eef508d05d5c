// The autograd of 150 lines beside the real one.
#include "autograd/tiny/tiny.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "autograd/autograd.h"
#include "ops/ops.h"

namespace notape::tiny {
namespace {

/// One step of a program on three variables, x[i] = f(x[j], x[k]).
template <typename T>
void step(std::vector<T>& x, int what, std::size_t i, std::size_t j, std::size_t k) {
  using notape::tanh, tiny::tanh;
  if (what == 0) x[i] = x[j] + x[k];
  if (what == 1) x[i] = x[j] * x[k];
  if (what == 2) x[i] = tanh(x[j]);
  if (what == 3) x[i].add_(x[j]);
}

RC_GTEST_PROP(Tiny, HasTheGradientsOfTheRealOneOrRefusesWhatItRefuses, ()) {
  const Values numbers = {0.3, -0.7};
  const Variable leaf(numbers, true);
  const Tensor real_leaf = tensor(numbers, dtype(kFloat64).requires_grad(true));
  std::vector<Variable> x(3, tanh(leaf));
  std::vector<Tensor> y(3, notape::tanh(real_leaf));
  for (int steps = *rc::gen::inRange(1, 9); steps > 0; --steps) {
    const int what = *rc::gen::inRange(0, 4);
    const auto i = *rc::gen::inRange<std::size_t>(0, 3), j = *rc::gen::inRange<std::size_t>(0, 3),
               k = *rc::gen::inRange<std::size_t>(0, 3);
    step(x, what, i, j, k);
    step(y, what, i, j, k);
  }
  bool refused = false, really_refused = false;
  try {
    x[2].backward();
  } catch (const std::runtime_error&) {
    refused = true;
  }
  try {
    y[2].sum().backward();
  } catch (const SavedTensorModified&) {
    really_refused = true;
  }
  RC_ASSERT(refused == really_refused);
  for (std::size_t n = 0; !refused && n < numbers.size(); ++n) {
    const double real = real_leaf.grad().const_data_ptr<double>()[n];
    RC_ASSERT(std::abs(leaf.grad().values()[n] - real) <= 1e-12 * (1 + std::abs(real)));
  }
}

TEST(Tiny, KeepsNoGraphAlive) {
  std::weak_ptr<Node> newest;
  {
    const Variable x({0.5}, true), y = tanh(x) * x;
    newest = y.node();
    y.backward();
    EXPECT_EQ(x.grad().node(), nullptr);
  }
  EXPECT_TRUE(newest.expired());
}

TEST(Tiny, RefusesToWriteToALeafThatRequiresGrad) {
  Variable x({0.5}, true);
  EXPECT_THROW(x.add_(x), std::logic_error);
}

}  // namespace
}  // namespace notape::tiny
