// Where backward runs begin, as an observer is told.
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

}  // namespace
}  // namespace notape
