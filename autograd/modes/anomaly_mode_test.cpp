// Anomaly mode: names the forward call of a failing node, and finds NaN.
#include "autograd/modes/anomaly_mode.h"

#include "autograd/function.h"
#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

using autograd::AutogradContext;

struct Fails : autograd::Function<Fails> {
  static Tensor forward(AutogradContext*, const Tensor& x) { return x * 1; }
  static variable_list backward(AutogradContext*, variable_list) {
    throw std::runtime_error("backward failed");
  }
};

/// What `program` writes to standard error.
template <typename F>
std::string warnings_of(F program) {
  ::testing::internal::CaptureStderr();
  program();
  return ::testing::internal::GetCapturedStderr();
}

TEST(Anomaly, TheForwardCallOfAFailingNodeIsNamed) {
  const std::string warnings = warnings_of([] {
    const DetectAnomalyGuard guard;
    const Tensor x = leaf({1, 2});
    const Tensor y = Fails::apply(x * 2);
    EXPECT_THROW(y.sum().backward(), std::runtime_error);
  });
  EXPECT_THAT(warnings, HasSubstr("Error detected in Fails. Traceback of forward call that caused "
                                  "the error:"));
  EXPECT_THAT(warnings, HasSubstr(kProvenance ? "Fails at anomaly_mode_test.cpp:" : "\n  Fails\n"));
}

TEST(Anomaly, NodesRecordedOutsideHaveNoTraceback) {
  const Tensor y = Fails::apply(leaf({1, 2})).sum();
  const std::string warnings = warnings_of([&] {
    const DetectAnomalyGuard guard;
    EXPECT_THROW(y.backward(), std::runtime_error);
  });
  EXPECT_THAT(warnings, HasSubstr("No forward pass information available."));
}

TEST(Anomaly, ANanNamesFunctionAndOutput) {
  const Tensor x = leaf({0, 1});
  const Tensor y = (x.log() * 0).sum();
  {
    const DetectAnomalyGuard guard;
    expect_error<NonFiniteGradient>(
        "Function 'LogBackward0' returned nan values in its 0th output.",
        [&] { y.backward({}, true); });
  }
  EXPECT_FALSE(x.grad().defined());
  {
    const DetectAnomalyGuard without_check(false);
    y.backward();
  }
  EXPECT_TRUE(x.grad().defined());
}

TEST(Anomaly, ANanInASliceIsFoundToo) {
  const Tensor x = leaf({0, 1});
  const DetectAnomalyGuard guard;
  const Tensor y = (x.slice(0, 0, 1) * constant({NAN})).sum();
  EXPECT_THROW(y.backward(), NonFiniteGradient);
}

TEST(Anomaly, NodesMadeInBackwardNameWhatInducedThem) {
  const std::string warnings = warnings_of([] {
    const DetectAnomalyGuard guard;
    const Tensor x = leaf({0.0, 4.0});
    const Tensor first = autograd::grad({x.sqrt().sum()}, {x}, {}, true, true)[0];
    EXPECT_THROW((first * 0).sum().backward(), NonFiniteGradient);
  });
  EXPECT_THAT(warnings, HasSubstr("Previous calculation was induced by SqrtBackward0"));
}

TEST(Anomaly, NestsAndIsOffAgainAfterwards) {
  {
    const DetectAnomalyGuard outer;
    { const DetectAnomalyGuard inner(false); }
    EXPECT_EQ(thread_state.anomaly, Anomaly::TracedAndChecked);
  }
  EXPECT_EQ(thread_state.anomaly, Anomaly::Off);
}

}  // namespace
}  // namespace notape::testing
