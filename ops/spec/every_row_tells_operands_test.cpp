// What an observer learns of calls: each operator that takes tensors tells them, whether it records
// anything or not.
#include <gtest/gtest.h>

#include <set>

#include "autograd/autograd.h"
#include "autograd/modes/thread_state.h"
#include "autograd/observer.h"
#include "ops/ops.h"
#include "ops/spec/testing/drawn_row.h"

namespace notape::testing {
namespace {

/// Of each operator that runs: how many operands were told of first?
struct Listener : Observer {
  Listener() : before(set_observer(this)) { thread_state.watched |= TensorImpl::kObserved; }
  ~Listener() override {
    thread_state.watched &= uint16_t{0xFFFF} ^ TensorImpl::kObserved;
    set_observer(before);
  }
  void operator_begin(const char* name, uint64_t) noexcept override { open.push_back({name, 0}); }
  void operator_end(const char*, uint64_t) noexcept override {
    if (open.size() == 1 && open[0].second == 0) silent.insert(open[0].first);
    if (open.size() == 1) last = open[0].second;
    open.pop_back();
  }
  void node_begin(const Node&) noexcept override { open.push_back({"node", 1}); }
  void node_end(const Node&) noexcept override { open.pop_back(); }
  void operands(const Tensor* const*, std::size_t count) noexcept override {
    if (!open.empty() && open.back().second == 0) open.back().second = count;
  }

  std::vector<std::pair<std::string, std::size_t>> open;
  std::set<std::string> silent;
  std::size_t last = 0;
  Observer* before;
};

std::set<std::string> silent_in(const std::function<void()>& calls) {
  Listener listener;
  calls();
  return listener.silent;
}

TEST(EveryRow, TellsAnObserverItsOperands) {
  for (const OpSpec* spec : op_specs())
    for (uint64_t seed = 0; seed < 3; ++seed) {
      DrawOfSeed draw(seed);
      const OpCase one = spec->draw(draw);
      SCOPED_TRACE(std::string(spec->name) + ", " + one.label);
      variable_list arguments;
      for (const Argument& argument : one.arguments)
        arguments.push_back(draw_argument(argument, draw));
      EXPECT_EQ(silent_in([&] { one.call(arguments); }), std::set<std::string>{});
    }
}

/// Rows have derivatives; these have none, or open no operation of their own where they record.
TEST(Functions, TellAnObserverTheirOperands) {
  const Tensor x = randn({3, 4}), whole = tensor({0, 1, 1}), mask = x > 0;
  const Tensor weight = ones({4}), h = zeros({1, 3, 5}), c = zeros({1, 3, 5});
  const TensorList lstm_weights = {randn({20, 4}), randn({20, 5})};
  const std::vector<std::function<void()>> calls = {
      [&] { argmax(x); },
      [&] { argmax(x, 1); },
      [&] { argmin(x, 0, true); },
      [&] { argsort(x); },
      [&] { eq(x, x); },
      [&] { lt(x, 2); },
      [&] { logical_and(mask, mask); },
      [&] { bitwise_and(whole, whole); },
      [&] { isnan(x); },
      [&] { isclose(x, x); },
      [&] { allclose(x, x); },
      [&] { equal(x, x); },
      [&] { all(mask); },
      [&] { any(mask, 0); },
      [&] { sign(x); },
      [&] { floor(x); },
      [&] { nonzero(x); },
      [&] { one_hot(whole); },
      [&] { searchsorted(weight, weight); },
      [&] { zeros_like(x); },
      [&] { ones_like(x); },
      [&] { full_like(x, 2); },
      [&] { empty_like(x); },
      [&] { randn_like(x); },
      [&] { rand_like(x); },
      [&] { bernoulli(mask.to(kFloat32)); },
      [&] { multinomial(mask.to(kFloat32) + 1, 1); },
      [&] { dropout(x, 0.5, true); },
      [&] { layer_norm(x, {4}, weight, weight); },
      [&] {
        lstm(x.unsqueeze(0), {h, c}, lstm_weights, false, 1, 0, false, false, false);
      },
      [&] { x.clone().fill_(1); },
      [&] { x.clone().zero_(); },
      [&] { x.clone().normal_(); },
      [&] { x.clone().uniform_(); },
      [&] { x.clone().copy_(x); },
      [&] { x.index({mask}); },
      [&] { x.clone().index_put_({mask}, 1); },
  };
  for (std::size_t i = 0; i < calls.size(); ++i)
    EXPECT_EQ(silent_in(calls[i]), std::set<std::string>{}) << i;
}

/// Checks look at pairs, or at one after the other; what is told is the whole.
TEST(Functions, TellAnObserverOfAllOperandsAtOnce) {
  const Tensor x = randn({3, 4}), h = zeros({1, 3, 5});
  const auto told = [](const std::function<void()>& call) {
    Listener listener;
    call();
    return listener.last;
  };
  EXPECT_EQ(told([&] { cat({x}); }), 1U);
  EXPECT_EQ(told([&] { cat({x, x, x}); }), 3U);
  EXPECT_EQ(told([&] { sub(x, x); }), 2U);
  EXPECT_EQ(told([&] { sub(x, x, 2); }), 2U);
  EXPECT_EQ(told([&] { eq(x, x); }), 2U);
  EXPECT_EQ(told([&] { where(x > 0, x, x); }), 3U);
  EXPECT_EQ(told([&] { einsum("ab,ab,ab->a", {x, x, x}); }), 3U);
  EXPECT_EQ(told([&] {
              lstm(x.unsqueeze(0), {h, h}, {randn({20, 4}), randn({20, 5})}, false, 1, 0, false,
                   false, false);
            }),
            5U);
}

}  // namespace
}  // namespace notape::testing
