// Where backward runs begin and what operators are called with, as an observer sees it.
#include "autograd/observer.h"

#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape {
namespace {

using namespace notape::testing;

class Beginnings final : public Observer {
 public:
  Beginnings() : before_(set_observer(this)) {}
  ~Beginnings() override { set_observer(before_); }

  void operator_begin(const char*, uint64_t) noexcept override {}
  void operator_end(const char*, uint64_t) noexcept override {}
  void node_begin(const Node&) noexcept override { ++nodes_; }
  void node_end(const Node&) noexcept override {}
  void backward_begin(const Tensor* roots, std::size_t count) noexcept override {
    seen.emplace_back(roots, roots + count);
    nodes_before.push_back(nodes_);
  }

  std::vector<TensorList> seen;
  std::vector<int> nodes_before;

 private:
  Observer* before_;
  int nodes_ = 0;
};

TEST(Observer, SeesTheRootsOfEachRunBeforeItsNodes) {
  const Tensor x = counting_leaf(2);
  const Tensor y = x.tanh().sum(), z = x.exp().sum();
  Beginnings beginnings;
  autograd::backward({y, z});
  autograd::grad({(x * x).sum()}, {x});
  ASSERT_EQ(beginnings.seen.size(), 2u);
  ASSERT_EQ(beginnings.seen[0].size(), 2u);
  EXPECT_TRUE(beginnings.seen[0][0].is_same(y));
  EXPECT_TRUE(beginnings.seen[0][1].is_same(z));
  EXPECT_EQ(beginnings.nodes_before[0], 0);
  EXPECT_EQ(beginnings.seen[1].size(), 1u);
}

TEST(Observer, SeesARunThatASavedValueWillEnd) {
  Tensor y = counting_leaf(2).tanh();
  const Tensor z = y.sum();
  y.zero_();
  Beginnings beginnings;
  EXPECT_THROW(z.backward(), SavedTensorModified);
  EXPECT_EQ(beginnings.seen.size(), 1u);
}

TEST(Observer, DoesNotSeeACallWithNothingToDifferentiate) {
  Beginnings beginnings;
  EXPECT_THROW(ones({1}).backward(), NothingRequiresGrad);
  EXPECT_THROW(counting_leaf(2).tanh().backward(), ImplicitGradient);
  EXPECT_TRUE(beginnings.seen.empty());
}

/// Asks for operands where an operator begins, and remembers by whose they are.
class Asking final : public Observer {
 public:
  Asking() : before_(set_observer(this)) {}
  ~Asking() override { set_observer(before_); }

  void operator_begin(const char* name, uint64_t) noexcept override {
    thread_state.watched |= TensorImpl::kObserved;
    running_.emplace_back(name);
  }
  void operator_end(const char*, uint64_t) noexcept override { running_.pop_back(); }
  void node_begin(const Node&) noexcept override {}
  void node_end(const Node&) noexcept override {}
  void operands(const Tensor* const* tensors, std::size_t count) noexcept override {
    if (!seen.empty() && seen.back().first == running_.back()) return;  // told again
    seen.emplace_back(running_.back(), count);
    for (std::size_t i = 0; i < count; ++i) undefined += !tensors[i]->defined();
  }

  std::vector<std::pair<std::string, std::size_t>> seen;
  int undefined = 0;

 private:
  Observer* before_;
  std::vector<std::string> running_;
};

TEST(Observer, SeesOperandsOfTheInnermostOperator) {
  using Seen = std::pair<std::string, std::size_t>;
  Tensor x = counting_leaf(2), y = ones({2});
  Asking asking;
  x* y;
  y.add_(y);
  y.fill_(1);
  cat({x, x, y});
  stack({x});  // which calls others
  const std::vector<Seen> expected = {{"mul", 2},   {"add_", 2},      {"fill_", 1}, {"cat", 3},
                                      {"stack", 1}, {"unsqueeze", 1}, {"cat", 1}};
  EXPECT_EQ(asking.seen, expected);
  EXPECT_EQ(asking.undefined, 0);
}

TEST(Observer, IsToldOfOperandsNoMoreOnceItHasGone) {
  const Tensor x = counting_leaf(2);
  {
    Asking asking, inner;
    x + x;
  }
  x + x;
  EXPECT_EQ(thread_state.watched, 0);
}

TEST(Observer, AskingForOperandsChangesNothing) {
  const Tensor x = counting_leaf(3);
  const Tensor plain = autograd::grad({(x * x.detach()).tanh().sum()}, {x})[0];
  const Asking asking;
  const Tensor watched = autograd::grad({(x * x.detach()).tanh().sum()}, {x})[0];
  EXPECT_FALSE(x.detach().impl().has(TensorImpl::kConstant));
  EXPECT_TRUE(equal(plain, watched));
  EXPECT_FALSE((ones({2}) * 2).requires_grad());
}

}  // namespace
}  // namespace notape
