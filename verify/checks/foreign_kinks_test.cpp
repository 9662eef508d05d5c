// Declared kinks of C operators: forward mode on them, and kinks that float32 has no number for.
#include <gmock/gmock.h>

#include <cmath>

#include "verify/plugin/c_operator.h"
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

/// How a kernel has its constant; the last in float32 only.
enum class Constant { OfItsType, Double, ComputedNextTo };

/// max(x, floor), where the kernel's side at the floor itself is to be chosen; in float32 alone if
/// `only_float32`.
struct Floor {
  static inline double floor = 0.01;
  static inline Constant constant = Constant::OfItsType;
  static inline bool wrong_side = false, wrong_slope = false, only_float32 = false;
  static np::About about() {
    return np::About("floor").ways(2).real("x", 0, 1, {np::kink(0.01, NOTAPE_KINK_LEAST)});
  }
  static void shape(np::Case& one) { one.input(0) = one.output(0) = {1 + 2 * one.way()}; }
  template <typename T>
  static T own_constant() {
    if constexpr (std::is_same_v<T, float>)
      if (constant == Constant::ComputedNextTo) return std::nextafter(T(floor), T(0));
    return T(floor);
  }
  template <typename T>
  static bool is_above(T x) {
    if constexpr (std::is_floating_point_v<T>)
      if (constant == Constant::Double) return static_cast<double>(x) > floor;
    return x > own_constant<T>();
  }
  template <typename T>
  static void forward(const np::Call<T>& call) {
    for (int64_t i = 0; i < call.input(0).count(); ++i)
      call.output(0)[i] = is_above(call.input(0)[i]) ? call.input(0)[i] : own_constant<T>();
  }
  template <typename T>
  static void backward(const np::Call<T>& call) {
    const bool here = !only_float32 || std::is_same_v<T, float>;
    for (int64_t i = 0; i < call.input(0).count(); ++i) {
      const T x = call.input(0)[i];
      const bool above = is_above(x) || (here && wrong_side && x == T(floor));
      const T slope = here && wrong_slope && x == T(floor) ? T(7) : T(above ? 1 : 0);
      call.grad_input(0)[i] = slope * call.grad_output(0)[i];
    }
  }
};

std::vector<std::string> alarms_of_floor(double floor, Constant constant = Constant::OfItsType) {
  Floor::floor = floor;
  Floor::constant = constant;
  notape_operator2 foreign = declared<Floor>();
  notape_input input = foreign.inputs[0];
  const notape_kink kink = np::kink(floor, NOTAPE_KINK_LEAST);
  input.kinks = &kink;
  foreign.inputs = &input;
  return alarms_in(foreign);
}

TEST(ForeignKinks, AKinkThatFloat32HasNoNumberForIsTriedBesideIt) {
  for (const double floor : {0.01, 0.1, 1e-5})
    for (const Constant constant :
         {Constant::OfItsType, Constant::Double, Constant::ComputedNextTo})
      EXPECT_THAT(alarms_of_floor(floor, constant), IsEmpty())
          << floor << " " << static_cast<int>(constant);
}

TEST(ForeignKinks, AWrongSideThereIsFoundInFloat32) {
  Floor::only_float32 = true;
  Floor::wrong_side = true;
  // (0.01 rounds down, and 0.1 up, where the wrong side is that of the exact constant.)
  EXPECT_THAT(alarms_of_floor(0.01), ElementsAre("convention FAIL"));
  EXPECT_THAT(alarms_of_floor(0.1), IsEmpty());
  EXPECT_THAT(alarms_of_floor(0.5), ElementsAre("convention FAIL"));
  Floor::only_float32 = false;
  EXPECT_THAT(alarms_of_floor(0.1), ElementsAre("convention FAIL"));
  Floor::wrong_side = false;
  Floor::wrong_slope = Floor::only_float32 = true;
  EXPECT_THAT(alarms_of_floor(0.1), ElementsAre("convention FAIL"));
  Floor::wrong_slope = Floor::only_float32 = false;
}

}  // namespace
}  // namespace notape::verify
