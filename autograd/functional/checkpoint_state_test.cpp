// The second run of a checkpointed function begins with the state of the first, and leaves none.
#include "autograd/function.h"
#include "autograd/functional/checkpoint.h"
#include "autograd/functional/functional.h"
#include "autograd/graph/write_ticket.h"
#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

using autograd::checkpoint;
using autograd::grad;

/// x times a running mean of its squares and a count of its calls.
struct Running {
  Tensor mean = full({2}, 1., dtype(kFloat64)), calls = full({}, 0, dtype(kInt64));
  int runs = 0;
  bool copies = false;  // so that the mean may be written again before backward

  Tensor operator()(const Tensor& x) {
    ++runs;
    {
      const NoGradGuard no_grad;
      calls.add_(1);
      mean.slice(0, 0, 2).mul_(0.5).add_(x.detach().square(), 0.5);
    }
    return (x * (copies ? mean.clone() : mean)).exp() * x / calls.to(kFloat64);
  }
};

TEST(CheckpointState, IsWhatItWasForTheFirstRun_AndMovesOnce) {
  for (const bool early_stop : {true, false})
    for (const bool create_graph : {false, true}) {
      const NothingLeaks guard;
      Running plain, again;
      for (int batch = 0; batch < 3; ++batch) {
        const Tensor x = leaf({0.5, -1.0 - batch});
        const Tensor expected = grad({plain(x).sum()}, {x}, {}, create_graph, create_graph)[0];
        const Tensor y = checkpoint([&](const Tensor& t) { return again(t); }, x,
                                    {.early_stop = early_stop, .compare_values = true});
        const Tensor got = grad({y.sum()}, {x}, {}, create_graph, create_graph)[0];
        EXPECT_EQ(values(got), values(expected));
        EXPECT_GT(again.runs, plain.runs + batch);
        EXPECT_EQ(values(again.mean), values(plain.mean));
        EXPECT_EQ(again.calls.item(), batch + 1);
        if (!create_graph) continue;
        EXPECT_EQ(values(grad({got.sum()}, {x})[0]), values(grad({expected.sum()}, {x})[0]));
        EXPECT_EQ(values(again.mean), values(plain.mean));
      }
    }
}

TEST(CheckpointState, MayMoveOnBeforeBackward) {
  Running plain, again;
  const auto f = [&](const Tensor& t) { return again(t); };
  const Tensor x = leaf({0.5, -1}), z = leaf({2, 3});
  const std::vector<double> first = values(grad({plain(x).sum()}, {x})[0]);
  const std::vector<double> second = values(grad({plain(z).sum()}, {z})[0]);
  const Tensor y = checkpoint(f, x), w = checkpoint(f, z);
  again.mean.mul_(1);
  EXPECT_EQ(values(grad({y.sum()}, {x})[0]), first);
  EXPECT_EQ(values(grad({w.sum()}, {z})[0]), second);
  EXPECT_EQ(values(again.mean), values(plain.mean));
  EXPECT_EQ(again.calls.item(), 2);
}

TEST(CheckpointState, OfNestedCheckpointsToo) {
  Running plain, again;
  plain.copies = true;
  const auto twice = [](Running& state, const Tensor& t) { return state(t) + t; };
  const auto inner = [&](const Tensor& t) { return twice(again, t); };
  const auto outer = [&](const Tensor& t) { return checkpoint(inner, again(t).tanh()) * t; };
  const Tensor x = leaf({0.5, -1});
  const Tensor expected = twice(plain, plain(x).tanh()) * x;
  const Tensor y = checkpoint(outer, x);
  EXPECT_EQ(values(grad({y.sum()}, {x})[0]), values(grad({expected.sum()}, {x})[0]));
  EXPECT_EQ(values(again.mean), values(plain.mean));
  EXPECT_EQ(again.calls.item(), 2);
}

TEST(CheckpointState, ComesBackWhenTheSecondRunThrows) {
  Running again;
  const auto f = [&](const Tensor& t) {
    const Tensor y = again(t);
    if (again.runs == 2) throw ValueError("not twice");
    return y;
  };
  const Tensor x = leaf({0.5, -1});
  const Tensor y = checkpoint(f, x, {.early_stop = false}).sum();
  const std::vector<double> mean = values(again.mean);
  expect_error<ValueError>("not twice", [&] { y.backward(); });
  EXPECT_EQ(values(again.mean), mean);
  EXPECT_EQ(again.calls.item(), 1);
}

TEST(CheckpointState, OfAFunctionThatRunsABackwardOfItsOwn) {
  Running plain, again;
  const auto slope = [](Running& state, const Tensor& t) {
    return grad({state(t).sum()}, {t}, {}, true, true)[0] * t;
  };
  const Tensor x = leaf({0.5, -0.75});
  const Tensor expected = grad({slope(plain, x).sum()}, {x})[0];
  const auto f = [&](const Tensor& t) { return slope(again, t); };
  EXPECT_EQ(values(grad({checkpoint(f, x).sum()}, {x})[0]), values(expected));
  EXPECT_EQ(values(again.mean), values(plain.mean));
}

TEST(CheckpointState, MayBeAnInputOrWrittenThroughATicket) {
  const Tensor x = leaf({0.5, -1}), state = constant({2, 3});
  const auto f = [](const variable_list& list) {
    {
      const WriteTicket ticket(list[1]);
      static_cast<double*>(ticket.data())[0] += 1;
    }
    return variable_list{list[0] * list[1]};
  };
  const Tensor y = checkpoint(f, {x, state})[0];
  expect_values(grad({y.sum()}, {x})[0], {3, 3});
  expect_values(state, {3, 3});
}

using Step = std::function<Tensor(const Tensor& outside, const Tensor& x)>;

struct Doubling : autograd::Function<Doubling> {
  static Tensor forward(autograd::AutogradContext* context, const Tensor& target, const Tensor& x) {
    Tensor(target).mul_(2).add_(x);
    context->mark_dirty({target});
    return target;
  }
  static variable_list backward(autograd::AutogradContext*, variable_list gradients) {
    return {gradients[0] * 2, gradients[0]};
  }
};

TEST(CheckpointState, ARecordedWriteToATensorFromOutsideIsRefusedBeforeItHappensAgain) {
  const auto written = [](const char* name, Step step) { return std::pair(name, std::move(step)); };
  const std::vector<std::pair<const char*, Step>> functions{
      written("add_", [](Tensor t, const Tensor& x) { return t.add_(x).exp(); }),
      written("copy_", [](Tensor t, const Tensor& x) { return t.copy_(x).exp(); }),
      written("mul_",
              [](const Tensor& t, const Tensor& x) {
                t.slice(0, 1, 2).mul_(x.slice(0, 0, 1));
                return (t + x).exp();
              }),
      written("mul_", [](const Tensor& t, const Tensor& x) { return t.detach().mul_(x).exp(); }),
      written("Doubling",
              [](const Tensor& t, const Tensor& x) { return (Doubling::apply(t, x) + x).exp(); }),
      // What it reads first is no longer what it was, though all is saved before the write.
      written("sub_",
              [](Tensor t, const Tensor& x) {
                const Tensor y = (t + x).exp();
                t.sub_(x);
                return y;
              }),
      written("div_",
              [](const Tensor& t, const Tensor& x) {
                return checkpoint([&t](const Tensor& u) { return t.slice(0, 0, 2).div_(u).exp(); },
                                  x) *
                       x;
              }),
      written("add_", [](Tensor t, const Tensor& x) {  // recorded from its second write on
        return (t.add_(1).mul_(x) + x).exp();
      })};
  for (const auto& [name, step] : functions)
    for (const bool early_stop : {true, false})
      for (const bool has_history : {false, true}) {
        const NothingLeaks guard;
        const std::string trace = std::string(name) + (early_stop ? "" : ", whole");
        SCOPED_TRACE(trace);
        const Tensor x = leaf({0.5, -1}), w = leaf({2, 3});
        const Tensor t = has_history ? w * 1 : constant({2, 3});
        const auto f = [&, &step = step](const Tensor& u) { return step(t, u); };
        const Tensor y = checkpoint(f, x, {.early_stop = early_stop}).sum();
        const std::vector<double> once = values(t);
        expect_error<CheckpointMismatch>(std::string(name) + ": a checkpointed function that runs",
                                         [&] { y.backward(); });
        EXPECT_EQ(values(t), once);
        EXPECT_FALSE(x.grad().defined());
      }
}

TEST(CheckpointState, WhatTheFunctionMadeItselfMayBeWrittenAndRecorded) {
  Tensor last;
  const std::vector<std::function<Tensor(const Tensor&)>> functions{
      [](const Tensor& x) {
        const Tensor y = zeros({2}, kFloat64);
        y.slice(0, 0, 1).add_(x.slice(0, 1, 2));
        return Tensor(y).mul_(x).exp();
      },
      [](const Tensor& x) {
        Tensor y = x * 1;
        y.slice(0, 0, 1).exp_();
        return (y * x).mul_(2);
      },
      [](const Tensor& x) { return Doubling::apply(full({2}, 0.5, dtype(kFloat64)), x).exp(); },
      [&](const Tensor& x) {  // and kept outside
        last = x * 1;
        return last.mul_(x).exp();
      },
      [](const Tensor& x) {  // and a derivative of its own, of what it has written
        Tensor y = x * x * x;
        y.add_(x);
        return grad({y.sum()}, {x}, {}, true, true)[0].mul_(x);
      },
      [](const Tensor& x) {
        const Tensor y = (x * 1).mul_(x);
        return checkpoint([y](const Tensor& u) { return (u * y).mul_(u).exp(); }, x) * y;
      }};
  const Tensor x = leaf({0.5, -1.25});
  for (std::size_t i = 0; i < functions.size(); ++i)
    for (const bool early_stop : {true, false}) {
      SCOPED_TRACE(i);
      const Tensor expected = grad({functions[i](x).sum()}, {x})[0];
      const Tensor y = checkpoint(functions[i], x, {.early_stop = early_stop});
      EXPECT_EQ(values(grad({y.sum()}, {x})[0]), values(expected));
    }
}

TEST(CheckpointState, OfAGeneratorThatTheFunctionIsGivenToo) {
  Generator generator(3);
  const auto noisy = [&](const Tensor& t) { return t * t * generator.uniform(); };
  const Tensor x = leaf({0.5, -1});
  const Tensor y = checkpoint(noisy, x);
  const Generator place = generator.clone();
  y.sum().backward();
  expect_values(x.grad() * x, values(y * 2), 1e-15);
  EXPECT_TRUE(generator.get_state().equal(place.get_state()));
}

TEST(CheckpointState, IsNotKeptOfTemporaries) {
  const NothingLeaks guard;
  const Tensor x = rand({1000}, kFloat64).requires_grad_();
  const int64_t live = counters().live_bytes;
  const auto f = [](const Tensor& t) {
    Tensor y = t;
    for (int i = 0; i < 40; ++i) {
      const Tensor mask = zeros({1000}, kFloat64);
      mask.add_(1);
      y = y * mask;
    }
    return y;
  };
  const Tensor y = checkpoint(f, x).sum();
  EXPECT_LT(counters().live_bytes - live, 2 * 8000);
  y.backward();
  expect_values(x.grad(), std::vector<double>(1000, 1));
}

TEST(CheckpointState, UnderThePolicyOfThePaperASecondWriteIsNoSharedOne) {
  const AliasPolicyGuard policy(AliasPolicy::Paper2017);
  const Tensor x = leaf({1, 2}), count = constant({0});
  const auto f = [&](const Tensor& t) {
    count.add_(1);
    count.add_(1);
    return t * t;
  };
  checkpoint(f, x).sum().backward();
  expect_values(count, {2});
}

}  // namespace
}  // namespace notape::testing
