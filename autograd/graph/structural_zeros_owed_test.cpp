// Where reading a gradient is expensive, structural zeros are owed: elementwise derivatives may
// spoil them, and they are restored before anything else reads them. Here the CPU acts as a GPU.
#include "autograd/function.h"
#include "autograd/graph/support.h"
#include "autograd/observer.h"
#include "autograd/testing/slopes.h"

namespace notape::testing {
namespace {

using autograd::AutogradContext;
using autograd::grad;

class StructuralZerosOwed : public ::testing::Test {
 protected:
  StructuralZerosOwed() { owe_zeros_everywhere = true; }
  ~StructuralZerosOwed() override { owe_zeros_everywhere = false; }
};

const std::vector<double> kSelected = {0, 0.5};

/// At 0 and 1 a gradient with a zero meets an infinite derivative, and goes on.
Tensor chain(const Tensor& x) { return where(x > 0, sqrt(x * log(x) + 1), x.detach()); }
Tensor points() { return constant({0, 1}); }

TEST_F(StructuralZerosOwed, ArePaidToALeaf) {
  expect_exactly(slope(chain, points()), kSelected);
  const IeeeGradientGuard guard;
  expect_exactly(slope(chain, points()), {kAnyNaN, 0.5});
}

TEST_F(StructuralZerosOwed, ArePaidBeforeASum) {
  expect_exactly(slope([](const Tensor& x) { return chain(x) + x * 3; }, points()), {3, 3.5});
  expect_exactly(slope([](const Tensor& x) { return x * 3 + chain(x); }, points()), {3, 3.5});
  const auto of_one = [](const Tensor& x) {  // summed over the broadcast dimension
    return where(truth({false, true}), log(x * constant({0, 1})), 0);
  };
  expect_exactly(slope(of_one, constant({2})), {0.5});
}

TEST_F(StructuralZerosOwed, ArePaidToWhatMixesEntries) {
  const Tensor halves = full({2, 2}, 0.5, kFloat64);
  const auto product = [&](const Tensor& x) { return chain(mm(x.reshape({1, 2}), halves) - 0.5); };
  expect_exactly(slope(product, points()), {0, 0});
  expect_exactly(slope([](const Tensor& x) { return chain(cumsum(x, 0)); }, points()), {0.5, 0.5});
  expect_exactly(slope(
                     [](const Tensor& x) {
                       return chain(x.reshape({1, 2}).t());
                     },
                     points()),
                 kSelected);
  expect_exactly(slope([](const Tensor& x) { return chain(x.clone().add_(0)); }, points()),
                 kSelected);
}

TEST_F(StructuralZerosOwed, AreOwedNoLongerThanASelectionTakes) {
  const auto f = [](const Tensor& x) { return chain(relu(x)); };
  expect_exactly(slope(f, points()), kSelected);
  const auto written = [](const Tensor& x) {
    Tensor y = x * 1;
    y.slice(0, 0, 1).copy_(x.slice(0, 1, 2));
    return where(truth({false, true}), log(y - 1 + constant({0, 1})), 0);
  };
  expect_exactly(slope(written, points()), {0, 1});
}

TEST_F(StructuralZerosOwed, ArePaidToHooksAndWhoeverKeepsAGradient) {
  const Tensor x = points().requires_grad_();
  const Tensor inner = x * 1;
  int calls = 0;
  const auto sees_zeros = [&](const Tensor& g) {
    ++calls;
    expect_exactly(g, {0, 1});
  };
  inner.register_hook(sees_zeros);
  x.register_hook(sees_zeros);
  const auto f = [&] { return where(inner > 0, log(inner), 0).sum(); };
  expect_exactly(grad({f()}, {inner}, {}, true)[0], {0, 1});
  inner.retain_grad();
  f().backward({}, true);
  expect_exactly(inner.grad(), {0, 1});
  expect_exactly(x.grad(), {0, 1});
  EXPECT_GE(calls, 3);
}

TEST_F(StructuralZerosOwed, ArePaidToNodeHooksAndNodesCalledByHand) {
  const Tensor x = points().requires_grad_();
  const Tensor y = log(x * 1);
  int calls = 0;
  const auto node = y.grad_fn();
  node->add_post_hook([&](const variable_list& results, const variable_list&) {
    ++calls;
    expect_exactly(results[0], {0, 1});
    return results;
  });
  node->next_edge(0).function->add_pre_hook([&](const variable_list& gradients) {
    ++calls;
    expect_exactly(gradients[0], {0, 1});
    return gradients;
  });
  where(y > -1, y, 0).sum().backward();
  EXPECT_EQ(calls, 2);
  expect_exactly(x.grad(), {0, 1});
}

struct Identity : autograd::Function<Identity> {
  static Tensor forward(AutogradContext*, const Tensor& x) { return x.clone(); }
  static variable_list backward(AutogradContext*, variable_list gradients) {
    expect_exactly(gradients[0], {0, 1});
    return gradients;
  }
};

TEST_F(StructuralZerosOwed, ArePaidToUserFunctions) {
  const auto f = [](const Tensor& x) { return where(x > 0, log(Identity::apply(x)), 0); };
  expect_exactly(slope(f, points()), {0, 1});
}

TEST_F(StructuralZerosOwed, AreNoNaNToAnomalyMode) {
  const DetectAnomalyGuard guard;
  expect_exactly(slope(chain, points()), kSelected);
}

/// How many operators of one thread have begun.
class OperatorCount final : public Observer {
 public:
  OperatorCount() : before_(set_observer(this)) {}
  ~OperatorCount() override { set_observer(before_); }
  void operator_begin(const char*, uint64_t) noexcept override { ++count_; }
  void operator_end(const char*, uint64_t) noexcept override {}
  void node_begin(const Node&) noexcept override {}
  void node_end(const Node&) noexcept override {}
  int count() const { return count_; }

 private:
  Observer* before_;
  int count_ = 0;
};

/// Convolutions with a scale, relu, dropout, a shortcut, pooling, a classifier.
Tensor residual_network(const Tensor& images, const std::vector<Tensor>& w) {
  const auto block = [&](const Tensor& x) {
    const Tensor inner = dropout(relu(conv2d(x, w[0], w[1], 1, 1) * 0.5 + 0.1), 0.1, true);
    return relu(conv2d(inner, w[0], w[1], 1, 1) / 2 - 0.1 + x);
  };
  const Tensor deep = max_pool2d(block(block(images)), 2);
  return cross_entropy(addmm(w[3], deep.reshape({2, -1}), w[2]), zeros({2}, kInt64));
}

TEST_F(StructuralZerosOwed, CostAResidualNetworkNoKernel) {
  std::vector<Tensor> weights = {randn({3, 3, 3, 3}), randn({3}), randn({12, 5}), randn({5})};
  for (Tensor& one : weights) one.requires_grad_();
  const Tensor loss = residual_network(randn({2, 3, 4, 4}), weights);
  const auto operators_of_backward = [&] {
    const OperatorCount counting;
    grad({loss}, weights, {}, true);
    return counting.count();
  };
  const int with = operators_of_backward();
  const IeeeGradientGuard without;
  EXPECT_EQ(with, operators_of_backward());
  EXPECT_GT(with, 20);
}

TEST(StructuralZeros, OfARecurrenceEndWhereAllEntriesHaveBeenSelected) {
  const Tensor weights = points().requires_grad_();
  const auto operators_of_backward = [&](int steps) {
    Tensor state = weights * 1, sum = zeros({1});
    for (int i = 0; i < steps; ++i) {
      state = tanh(state * weights) + state.sum();  // so each entry reaches those selected later
      sum = sum + state.narrow(0, 0, 1);
    }
    const OperatorCount counting;
    grad({sum}, {weights}, {ones({1})}, true);
    return counting.count();
  };
  const int with = operators_of_backward(400) - operators_of_backward(200);
  const IeeeGradientGuard without;
  EXPECT_EQ(with, operators_of_backward(400) - operators_of_backward(200));
}

/// All entries move up by one and change their sign; the last is lost.
Tensor moved_up(const Tensor& state) {
  return cat({zeros({1}), state.narrow(0, 0, state.size(0) - 1)}) * -1.0;
}

TEST(StructuralZeros, OfALongRecurrenceAreKnownAtItsBeginning) {
  for (const int steps : {10, 40, 140, 400}) {
    const Tensor x = ones({500}, requires_grad());
    const Tensor factors = full({500}, std::numeric_limits<double>::infinity());
    factors[499 - steps].fill_(2.0);
    Tensor state = x * factors;
    for (int i = 0; i < steps; ++i) state = moved_up(state);
    const Tensor slope = grad({state.select(0, -1)}, {x})[0];
    EXPECT_EQ(slope[499 - steps].item<float>(), 2);
    EXPECT_EQ((slope == 0).sum().item<int64_t>(), 499) << steps;
  }
}

TEST_F(StructuralZerosOwed, AChainPaysOnce) {
  const Tensor x = points().requires_grad_();
  Tensor y = x * 1;
  for (int i = 0; i < 10; ++i) y = exp(y) * x.detach();
  const Tensor loss = where(x > 0, y, 0).sum();
  const auto operators_of_backward = [&] {
    const OperatorCount counting;
    grad({loss}, {x}, {}, true);
    return counting.count();
  };
  const int with = operators_of_backward();
  const IeeeGradientGuard without;
  EXPECT_LE(with, operators_of_backward() + 6);
}

}  // namespace
}  // namespace notape::testing
