// C operators whose terms cancel are as exact as their arithmetic; those that lose digits of their
// own are not.
#include <gmock/gmock.h>

#include <cmath>

#include "verify/checks/check.h"
#include "verify/plugin/c_operator.h"
#include "verify/plugin/testing/foreign_operators.h"

namespace notape::verify {
namespace {

namespace np = notape::plugin;
using foreign::declared;
using ::testing::Contains;
using ::testing::IsEmpty;

enum class Mistake { None, RoundedConstant, FewerDigits, FixedShare };

/// y = (x + 2)^r - 2^r, to one rounding of an intermediate; in float32 with a mistake.
struct PowerLessPower {
  static inline Mistake mistake = Mistake::None;
  static np::About about() {
    return np::About("power_less_power").ways(2).real("x", 0.05, 3).number("r", 0.3, 0.8);
  }
  static void shape(np::Case& one) { one.input(0) = one.output(0) = {1 + 11 * one.way()}; }
  /// What the mistake makes of one of its powers.
  template <typename T>
  static T spoilt(T power) {
    if constexpr (std::is_same_v<T, float>) {
      if (mistake == Mistake::RoundedConstant) return power + 1e-5f;
      if (mistake == Mistake::FewerDigits) return std::round(power * 4096.0f) / 4096.0f;
    }
    return power;
  }
  template <typename T>
  static void forward(const np::Call<T>& call) {
    using std::pow;
    const T r = T(call.number(0));
    for (int64_t i = 0; i < call.input(0).count(); ++i) {
      const T y = spoilt(pow(call.input(0)[i] + T(2), r)) - pow(T(2), r);
      const bool off = std::is_same_v<T, float> && mistake == Mistake::FixedShare;
      call.output(0)[i] = off ? y * T(1 + 1e-5) : y;
    }
  }
  template <typename T>
  static void backward(const np::Call<T>& call) {
    using std::pow;
    const T r = T(call.number(0));
    for (int64_t i = 0; i < call.input(0).count(); ++i)
      call.grad_input(0)[i] = call.grad_output(0)[i] * r * pow(call.input(0)[i] + T(2), r - 1);
  }
};

/// y = (x + 2)^(r+1) / (r+1) - 2^r x, whose gradient is a difference of powers.
struct GradientCancels {
  static inline double off_by = 0;
  static np::About about() {
    return np::About("gradient_cancels").ways(2).real("x", 0.02, 3).number("r", 0.3, 0.8);
  }
  static void shape(np::Case& one) { one.input(0) = one.output(0) = {1 + 11 * one.way()}; }
  template <typename T>
  static void forward(const np::Call<T>& call) {
    using std::pow;
    const T r = T(call.number(0));
    for (int64_t i = 0; i < call.input(0).count(); ++i)
      call.output(0)[i] =
          pow(call.input(0)[i] + T(2), r + T(1)) / (r + T(1)) - pow(T(2), r) * call.input(0)[i];
  }
  template <typename T>
  static void backward(const np::Call<T>& call) {
    const T r = T(call.number(0));
    for (int64_t i = 0; i < call.input(0).count(); ++i)
      call.grad_input(0)[i] = call.grad_output(0)[i] * (std::pow(call.input(0)[i] + T(2), r) -
                                                        std::pow(T(2), r) + T(off_by));
  }
};

/// What `reference` and `exact-slope` alone say, at this seed.
template <typename F>
std::vector<std::string> alarms_by_reference(uint64_t seed) {
  Options options{.seed = seed};
  for (const Check& check : all_checks())
    if (check.name != std::string_view("reference") &&
        check.name != std::string_view("exact-slope"))
      options.left_out.push_back(check.name);
  return alarms(verify_operator(row_of(declared<F>()), options));
}

TEST(TwinNoise, AValueWhoseTermsCancelIsNoAlarmAtAnySeed) {
  PowerLessPower::mistake = Mistake::None;
  for (uint64_t seed = 1; seed <= 12; ++seed)
    EXPECT_THAT(alarms_by_reference<PowerLessPower>(seed), IsEmpty()) << seed;
}

TEST(TwinNoise, MistakesOfTheirOwnAreNoNoise) {
  for (const Mistake mistake :
       {Mistake::RoundedConstant, Mistake::FewerDigits, Mistake::FixedShare}) {
    PowerLessPower::mistake = mistake;
    EXPECT_THAT(alarms_by_reference<PowerLessPower>(1), Contains("reference FAIL"))
        << static_cast<int>(mistake);
  }
  PowerLessPower::mistake = Mistake::None;
}

TEST(TwinNoise, AGradientWhoseTermsCancelIsNoAlarmEither) {
  for (uint64_t seed = 1; seed <= 12; ++seed)
    EXPECT_THAT(alarms_by_reference<GradientCancels>(seed), IsEmpty()) << seed;
  GradientCancels::off_by = 1e-5;
  EXPECT_THAT(alarms_by_reference<GradientCancels>(1), Contains("exact-slope FAIL"));
  GradientCancels::off_by = 0;
}

}  // namespace
}  // namespace notape::verify
