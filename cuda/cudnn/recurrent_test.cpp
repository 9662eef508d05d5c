// LSTM and GRU by cuDNN, which is the emulated one: values and gradients of the composed layers on
// the CPU, and what happens where cuDNN has no way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autograd/autograd.h"
#include "autograd/modes/deterministic.h"
#include "cuda/emulated/emulator.h"
#include "cuda/library/library.h"
#include "ops/ops.h"
#include "ops/recurrent.h"

namespace notape::cuda {
namespace {

using ::testing::IsEmpty;

struct Layers {
  bool is_lstm = true, has_biases = true, bidirectional = false, batch_first = false;
  int64_t layers = 1;
  std::vector<int64_t> batch_sizes = {};  // of a packed sequence
  ScalarType type = kFloat64;
};
void PrintTo(const Layers& one, std::ostream* out) {
  *out << (one.is_lstm ? "lstm" : "gru") << " of " << one.layers
       << (one.bidirectional ? " bidirectional" : "") << (one.has_biases ? "" : " without biases")
       << (one.batch_sizes.empty() ? "" : " packed") << " in " << name_of(one.type);
}

constexpr int64_t kInput = 3, kHidden = 4, kSteps = 5, kSamples = 3;

/// x, h, c and the parameters.
variable_list operands_of(const Layers& l) {
  manual_seed(5);
  const int64_t directions = l.bidirectional ? 2 : 1, gates = (l.is_lstm ? 4 : 3) * kHidden;
  const auto made = [&](std::vector<int64_t> sizes) {
    return (randn(sizes, kFloat64) * 0.5).to(l.type).requires_grad_();
  };
  int64_t rows = 0;
  for (const int64_t size : l.batch_sizes) rows += size;
  variable_list all{!l.batch_sizes.empty() ? made({rows, kInput})
                    : l.batch_first        ? made({kSamples, kSteps, kInput})
                                           : made({kSteps, kSamples, kInput}),
                    made({l.layers * directions, kSamples, kHidden}),
                    made({l.layers * directions, kSamples, kHidden})};
  for (int64_t i = 0; i < l.layers * directions; ++i) {
    all.push_back(made({gates, i < directions ? kInput : directions * kHidden}));
    all.push_back(made({gates, kHidden}));
    if (l.has_biases)
      for (int b = 0; b < 2; ++b) all.push_back(made({gates}));
  }
  return all;
}

variable_list run(const Layers& l, const variable_list& x) {
  const TensorList params(x.begin() + 3, x.end());
  const Tensor sizes = l.batch_sizes.empty() ? Tensor() : tensor(l.batch_sizes);
  if (l.is_lstm) {
    const auto [y, h, c] = sizes.defined()
                               ? lstm(x[0], sizes, {x[1], x[2]}, params, l.has_biases, l.layers, 0,
                                      true, l.bidirectional)
                               : lstm(x[0], {x[1], x[2]}, params, l.has_biases, l.layers, 0, true,
                                      l.bidirectional, l.batch_first);
    return {y, h, c};
  }
  const auto [y, h] = sizes.defined() ? gru(x[0], sizes, x[1], params, l.has_biases, l.layers, 0,
                                            true, l.bidirectional)
                                      : gru(x[0], x[1], params, l.has_biases, l.layers, 0, true,
                                            l.bidirectional, l.batch_first);
  return {y, h};
}

Tensor loss_of(const variable_list& results) {
  Tensor sum;
  double factor = 1;
  for (const Tensor& one : results) {
    const Tensor part = (one * one * one).sum() * (factor += 0.5);
    sum = sum.defined() ? sum + part : part;
  }
  return sum;
}

variable_list on(Device device, const variable_list& all) {
  variable_list moved;
  for (const Tensor& one : all) moved.push_back(one.detach().to(device).requires_grad_());
  return moved;
}
variable_list active_of(const Layers& l, const variable_list& x) {
  variable_list active = x;
  if (!l.is_lstm) active.erase(active.begin() + 2);
  return active;
}

/// Of the largest number of each.
void expect_close(const variable_list& got, const variable_list& expected, double error) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    const Tensor a = got[i].cpu().to(kFloat64), b = expected[i].cpu().to(kFloat64);
    EXPECT_LE((a - b).abs().max().item(), error * b.abs().max().item()) << "number " << i;
  }
}

class RecurrentByCudnn : public ::testing::TestWithParam<Layers> {
 protected:
  void TearDown() override { emulator::cudnn = {}; }
};

TEST_P(RecurrentByCudnn, HasValuesAndGradientsOfTwoOrdersOfTheCpu) {
  const Layers l = GetParam();
  const variable_list x = operands_of(l), there = on(kCUDA, x);
  const double error = l.type == kFloat64 ? 1e-13 : l.type == kFloat32 ? 2e-6 : 4e-3;
  const variable_list result = run(l, there);
  expect_close(result, run(l, x), error);
  const auto gradients = [&](const variable_list& of, bool again) {
    return autograd::grad({loss_of(run(l, of))}, active_of(l, of), {}, again, again);
  };
  const variable_list expected = gradients(x, false);
  expect_close(gradients(there, false), expected, 30 * error);
  const variable_list first = gradients(there, true);
  expect_close(first, expected, 30 * error);
  if (l.type == kFloat64)
    expect_close(autograd::grad({loss_of(first)}, active_of(l, there)),
                 autograd::grad({loss_of(gradients(x, true))}, active_of(l, x)), 1e-12);
  EXPECT_THAT(emulator::take_findings(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Layers, RecurrentByCudnn,
    ::testing::Values(Layers{}, Layers{.is_lstm = false},
                      Layers{.bidirectional = true, .layers = 2},
                      Layers{.is_lstm = false, .bidirectional = true, .layers = 2},
                      Layers{.has_biases = false, .batch_first = true, .layers = 2},
                      Layers{.is_lstm = false, .has_biases = false},
                      Layers{.bidirectional = true, .batch_sizes = {3, 3, 2, 1}},
                      Layers{.is_lstm = false, .bidirectional = true, .batch_sizes = {3, 2, 2, 1}},
                      Layers{.bidirectional = true, .type = kFloat32},
                      Layers{.is_lstm = false, .type = kFloat32}, Layers{.type = kFloat16}));

int launches_of(const Layers& l, const variable_list& x) {
  emulator::take_counts();
  static_cast<void>(run(l, x));
  return emulator::take_counts().launches;
}

TEST(RecurrentByCudnn, ALayerIsAFewLaunchesAndComposedWhereCudnnHasNoWay) {
  const Layers l;
  const variable_list x = on(kCUDA, operands_of(l));
  EXPECT_EQ(launches_of(l, x), 2);  // joins the weights, and the layer
  const int composed = 2 * kSteps;
  {
    const DeterministicGuard promised;
    EXPECT_GT(launches_of(l, x), composed);
  }
  emulator::cudnn.offers = false;
  EXPECT_GT(launches_of(l, x), composed);
  emulator::cudnn = {.pads_weights = true};
  EXPECT_GT(launches_of(l, x), composed);
  emulator::cudnn = {.breaks = true};
  EXPECT_THROW(run(l, x), DeviceError);
  emulator::cudnn = {};
}

TEST(RecurrentByCudnn, BackwardRunsAgainAndStateThatSharesAHistoryIsCountedTwice) {
  const Layers l;
  variable_list x = operands_of(l);
  const auto twice = [&](Device device) {
    variable_list all = on(device, x);
    all[2] = all[1];
    const Tensor loss = loss_of(run(l, all));
    const Tensor first = autograd::grad({loss}, {all[1]}, {}, true)[0];
    const Tensor second = autograd::grad({loss}, {all[1]}, {}, true, true)[0];
    expect_close({second}, {first}, 0);
    return first;
  };
  expect_close({twice(kCUDA)}, {twice(kCPU)}, 1e-12);
}

}  // namespace
}  // namespace notape::cuda
