// Rows of the papers' checklist that speak of every operator: they walk the registry.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <utility>

#include "autograd/autograd.h"
#include "autograd/testing/sim_device.h"
#include "ops/ops.h"
#include "verify/checks/subject.h"
#include "verify/generate/values.h"
#include "verify/runner/case_source.h"
#include "verify/schedule/run.h"

namespace notape::verify {
namespace {

constexpr uint64_t kSeed = 7;
constexpr int kPaperCases = 4;

/// `visit` for a few random float64 cases of every operator.
void for_every_operator(const std::function<void(const Subject&)>& visit) {
  ASSERT_GT(op_specs().size(), 50u);
  for (const OpSpec* spec : op_specs())
    for (int number = 0; number < kPaperCases; ++number) {
      ChoiceDraw draw(random_for(*spec, kFloat64, kSeed, number));
      const DrawnCase drawn = draw_case(*spec, draw, kFloat64);
      const ::testing::ScopedTrace trace(__FILE__, __LINE__,
                                         std::string(spec->name) + " " + drawn.op.label);
      visit(Subject(*spec, drawn, kFloat64, Device()));
    }
}

TEST(Papers, A01_EveryDerivativeAgreesWithTheNumericOne) {
  const SpecList specs(op_specs().begin(), op_specs().end());
  Listener listener;
  const auto certificates =
      run(specs, {.dtypes = {kFloat64}, .seed = kSeed, .samples = kPaperCases}, listener);
  std::size_t compared = 0, weak = 0;
  for (const Certificate& one : certificates) {
    if (std::string_view(one.check) != "reverse") continue;
    EXPECT_FALSE(is_red(one.verdict)) << one.spec->name << ": " << name_of(one.verdict);
    if (one.verdict != Verdict::Pass) continue;
    // Of the worst entry: one of 1e-15 beside others of 1 is known to fewer digits than they.
    weak += one.detectable > 1e-6;
    ++compared;
  }
  EXPECT_GT(compared, 40u);
  EXPECT_LT(weak, compared / 8) << "agreed, but to few digits";
}

/// Scaled by the largest magnitude that went into the comparison; non-finite slopes are kinks.
void expect_near(const Numbers& left, const Numbers& right, double tolerance) {
  ASSERT_EQ(left.size(), right.size());
  double scale = 1;
  for (std::size_t i = 0; i < left.size(); ++i)
    if (std::isfinite(right[i])) scale = std::max(scale, std::fabs(right[i]));
  for (std::size_t i = 0; i < left.size(); ++i)
    if (std::isfinite(left[i]) && std::isfinite(right[i])) {
      EXPECT_NEAR(left[i], right[i], tolerance * scale) << "entry " << i;
    }
}

/// Adds factor * what `run` gave; undefined gradients are zero.
void accumulate(std::vector<Numbers>& sum, double factor, const Run& run) {
  for (std::size_t a = 0; a < sum.size(); ++a)
    for (std::size_t i = 0; i < run.gradients[a].size(); ++i)
      sum[a][i] += factor * run.gradients[a][i];
}

std::vector<Numbers> zeros_like_arguments(const Subject& subject) {
  std::vector<Numbers> zeros;
  for (const DrawnArgument& one : subject.drawn.arguments) zeros.emplace_back(one.values.size());
  return zeros;
}

void expect_gradients(const Run& run, const std::vector<Numbers>& expected, double tolerance) {
  for (std::size_t a = 0; a < expected.size(); ++a)
    if (run.defined[a]) expect_near(run.gradients[a], expected[a], tolerance);
}

TEST(Papers, A01_AVectorJacobianProductIsThatCombinationOfRowsOfTheJacobian) {
  int combined = 0;
  for_every_operator([&](const Subject& subject) {
    if (!subject.is_differentiable()) return;
    const Numbers& u = subject.incoming();
    if (u.size() > 40) return;
    std::vector<Numbers> sum = zeros_like_arguments(subject);
    for (std::size_t row = 0; row < u.size(); ++row) {
      Numbers unit(u.size());
      unit[row] = 1;
      accumulate(sum, u[row], subject.run(subject.inputs(), subject.output_tensor(unit)));
    }
    expect_gradients(subject.base(), sum, 1e-12);
    ++combined;
  });
  EXPECT_GT(combined, 100);
}

TEST(Papers, A03_WithoutGradientsNothingButTheResultIsMade) {
  for_every_operator([](const Subject& subject) {
    const variable_list inputs = subject.inputs(0);
    const Counters before = counters();
    const Tensor output = subject.drawn.op.call(inputs);
    const Counters after = counters();
    EXPECT_EQ(after.nodes_created, before.nodes_created);
    EXPECT_EQ(after.saved_bytes, before.saved_bytes);
    const bool is_alias = std::any_of(inputs.begin(), inputs.end(), [&](const Tensor& input) {
      return output.is_alias_of(input);
    });
    const auto own = static_cast<int64_t>(output.impl().storage()->bytes());
    EXPECT_EQ(after.live_bytes - before.live_bytes, is_alias ? 0 : own);
  });
}

// Whatever read its operands after the call returned would read NaN.
TEST(Papers, A04_EveryValueIsComputedBeforeTheCallReturns) {
  int compared = 0;
  for_every_operator([&](const Subject& subject) {
    const Tensor expected = subject.drawn.op.call(subject.inputs());
    const variable_list inputs = subject.inputs();
    const Tensor output = subject.drawn.op.call(inputs);
    const bool is_alias = std::any_of(inputs.begin(), inputs.end(), [&](const Tensor& input) {
      return output.is_alias_of(input);
    });
    if (is_alias) return;
    for (const Tensor& input : inputs) {  // behind the library's back
      const Ref<Storage>& storage = input.impl().storage();
      std::memset(storage->data(), 0xff, storage->bytes());
    }
    const Numbers left = numbers_of(output.detach()), right = numbers_of(expected.detach());
    ASSERT_EQ(left.size(), right.size());
    EXPECT_TRUE(left.empty() ||
                std::memcmp(left.data(), right.data(), left.size() * sizeof(double)) == 0);
    ++compared;
  });
  EXPECT_GT(compared, 500);
}

TEST(Papers, A12_EveryOperatorWorksOnBothKindsOfInput) {
  for_every_operator([](const Subject& subject) {
    const Tensor raw = subject.drawn.op.call(subject.inputs(0));
    const Tensor wrapped = subject.drawn.op.call(subject.inputs());
    EXPECT_EQ(raw.sizes(), wrapped.sizes());
    EXPECT_EQ(raw.dtype(), wrapped.dtype());
    const Numbers left = numbers_of(raw), right = numbers_of(wrapped);
    ASSERT_EQ(left.size(), right.size());
    EXPECT_TRUE(left.empty() ||
                std::memcmp(left.data(), right.data(), left.size() * sizeof(double)) == 0);
    EXPECT_FALSE(raw.requires_grad());
    EXPECT_EQ(wrapped.requires_grad(), subject.is_differentiable());
  });
}

TEST(Papers, A16_EveryOperatorObeysTheTruthTableOfFlags) {
  enum Kind { kNone, kRequires, kVolatile, kKinds };
  for_every_operator([](const Subject& subject) {
    const auto& real = subject.real_arguments();
    if (real.empty() || real.size() > 3) return;
    int combinations = 1;
    for (std::size_t i = 0; i < real.size(); ++i) combinations *= kKinds;
    for (int combination = 0; combination < combinations; ++combination) {
      const variable_list inputs = subject.inputs(0);
      bool any_volatile = false, any_requires = false;
      int rest = combination;
      for (const std::size_t a : real) {
        const int kind = std::exchange(rest, rest / kKinds) % kKinds;
        if (kind == kRequires) inputs[a].requires_grad_();
        if (kind == kVolatile) inputs[a].set_volatile(true);
        any_requires |= kind == kRequires;
        any_volatile |= kind == kVolatile;
      }
      const ::testing::ScopedTrace trace(__FILE__, __LINE__, std::to_string(combination));
      const bool recorded = any_requires && !any_volatile && subject.is_differentiable();
      const int64_t nodes = counters().nodes_created;
      Tensor output;
      try {
        output = subject.drawn.op.call(inputs);
      } catch (const VolatileConflict&) {  // rows that write in place what requires grad
        EXPECT_TRUE(any_volatile && any_requires);
        continue;
      }
      EXPECT_EQ(output.is_volatile(), any_volatile);
      EXPECT_EQ(output.requires_grad(), recorded);
      const bool is_input = std::any_of(  // contiguous() and the like had nothing to do
          inputs.begin(), inputs.end(), [&](const Tensor& input) { return output.is_same(input); });
      EXPECT_EQ(static_cast<bool>(output.grad_fn()), recorded && !is_input);
      // A row may prepare an operand by itself, which then is recorded before the volatile one
      // comes.
      const bool prepares = std::string_view(subject.spec.name).starts_with("linalg_solve");
      EXPECT_TRUE((prepares && any_volatile) ||
                  (counters().nodes_created > nodes) == (recorded && !is_input))
          << "not even instantiated";
      const NoGradGuard no_grad;
      EXPECT_FALSE(subject.drawn.op.call(inputs).grad_fn());
    }
  });
}

TEST(Papers, A26_EveryBackwardIsLinear) {
  constexpr double kAlpha = 0.75, kBeta = -1.25;
  int checked = 0;
  for_every_operator([&](const Subject& subject) {
    if (!subject.is_differentiable()) return;
    const Numbers& u = subject.incoming();
    Numbers v(u.size()), mixed(u.size());
    for (std::size_t i = 0; i < v.size(); ++i) {
      v[i] = std::cos(1.0 + static_cast<double>(i));
      mixed[i] = kAlpha * u[i] + kBeta * v[i];
    }
    std::vector<Numbers> sum = zeros_like_arguments(subject);
    accumulate(sum, kAlpha, subject.run(subject.inputs(), subject.output_tensor(u)));
    accumulate(sum, kBeta, subject.run(subject.inputs(), subject.output_tensor(v)));
    expect_gradients(subject.run(subject.inputs(), subject.output_tensor(mixed)), sum, 1e-12);
    ++checked;
  });
  EXPECT_GT(checked, 100);
}

TEST(Papers, A43_WithoutAKernelForTheDeviceEveryOperatorRaisesANamedError) {
  const testing::SimDevice device;  // a kernel of another device that touched it would crash
  for_every_operator([](const Subject& subject) {
    variable_list inputs;
    for (const Tensor& input : subject.inputs(0)) inputs.push_back(input.to(Device(kSIM)));
    if (inputs.empty()) return;
    try {  // what only moves values needs no kernel
      EXPECT_EQ(subject.drawn.op.call(inputs).device(), Device(kSIM));
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("sim:0"));
      EXPECT_THAT(error.kind(),
                  ::testing::AnyOf(::testing::StrEq("NoKernel"), ::testing::StrEq("DeviceError")));
    }
  });
}

}  // namespace
}  // namespace notape::verify
