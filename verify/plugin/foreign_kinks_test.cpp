// Declared kinks of C operators: forward mode on them, and kinks that float32 has no number for.
#include <gmock/gmock.h>

#include "verify/plugin/testing/foreign_operators.h"

namespace notape::verify {
namespace {

namespace np = notape::plugin;
using foreign::alarms_in, foreign::certificates_of, foreign::declared;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// max(x, 0) with a forward mode whose derivative at 0 is to be chosen.
struct ForwardRelu {
  static inline double at_zero = 0;
  static np::About about() {
    return np::About("forward_relu").ways(2).real("x", -3, 3, {np::kink(0, NOTAPE_KINK_BELOW)});
  }
  static void shape(np::Case& one) { one.input(0) = one.output(0) = {1 + 4 * one.way()}; }
  template <typename T>
  static void forward(const np::Call<T>& call) {
    for (int64_t i = 0; i < call.input(0).count(); ++i)
      call.output(0)[i] = call.input(0)[i] > T(0) ? call.input(0)[i] : T(0);
  }
  template <typename T>
  static void backward(const np::Call<T>& call) {
    for (int64_t i = 0; i < call.input(0).count(); ++i)
      call.grad_input(0)[i] = call.input(0)[i] > T(0) ? call.grad_output(0)[i] : T(0);
  }
  template <typename T>
  static void jvp(const np::Call<T>& call) {
    for (int64_t i = 0; i < call.input(0).count(); ++i) {
      const T x = call.input(0)[i];
      const T slope = x > T(0) ? T(1) : x < T(0) ? T(0) : T(at_zero);
      call.output_tangent(0)[i] = call.tangent(0) ? slope * call.tangent(0)[i] : T(0);
    }
  }
};

TEST(ForeignKinks, ForwardModeFollowsTheConventionToo) {
  ForwardRelu::at_zero = 0;
  EXPECT_THAT(alarms_in(declared<ForwardRelu>()), IsEmpty());
  for (const double wrong : {1.0, 7.0, -3.0}) {
    ForwardRelu::at_zero = wrong;
    EXPECT_THAT(alarms_in(declared<ForwardRelu>()), ElementsAre("convention FAIL")) << wrong;
  }
  EXPECT_THAT(foreign::first_complaint(declared<ForwardRelu>()),
              HasSubstr("the forward-mode derivative should be the one from below"));
}

}  // namespace
}  // namespace notape::verify
