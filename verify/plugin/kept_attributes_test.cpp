// What a C operator keeps of its latest call, where that had other attributes.
#include <gmock/gmock.h>

#include "verify/plugin/testing/foreign_operators.h"

namespace notape::verify {
namespace {

namespace np = notape::plugin;
using foreign::alarms_in, foreign::declared, foreign::first_complaint;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// y = a x, whose backward uses the `a` of its own forward, or that of the latest one.
struct Scaled {
  static inline double latest = 0;
  static inline bool stale = false;
  static np::About about() {
    return np::About("scaled").ways(3).real("x", -3, 3).number("a", 0.5, 2);
  }
  static void shape(np::Case& one) { one.input(0) = one.output(0) = {1 + 4 * one.way()}; }
  template <typename T>
  static void forward(const np::Call<T>& call) {
    latest = call.number(0);
    for (int64_t i = 0; i < call.input(0).count(); ++i)
      call.output(0)[i] = T(call.number(0)) * call.input(0)[i];
  }
  template <typename T>
  static void backward(const np::Call<T>& call) {
    const T a = T(stale ? latest : call.number(0));
    for (int64_t i = 0; i < call.input(0).count(); ++i)
      call.grad_input(0)[i] = a * call.grad_output(0)[i];
  }
};

TEST(KeptAttributes, AreThoseOfTheCallThatABackwardBelongsTo) {
  Scaled::stale = false;
  EXPECT_THAT(alarms_in(declared<Scaled>()), IsEmpty());
  Scaled::stale = true;
  EXPECT_THAT(alarms_in(declared<Scaled>()), ElementsAre("kept FAIL"));
  EXPECT_THAT(first_complaint(declared<Scaled>()), HasSubstr("called with other attributes"));
  Scaled::stale = false;
}

/// The rows of a matrix of `way` + 1 rows, summed; backward uses the size of the latest forward.
struct RowCount {
  static inline int64_t latest = 0;
  static np::About about() { return np::About("row_count").ways(3).real("x", -3, 3); }
  static void shape(np::Case& one) {
    one.input(0) = {1 + one.way(), 2};
    one.output(0) = {2};
  }
  template <typename T>
  static void forward(const np::Call<T>& call) {
    latest = call.input(0).size(0);
    for (int64_t j = 0; j < 2; ++j) {
      call.output(0)[j] = 0;
      for (int64_t i = 0; i < call.input(0).size(0); ++i)
        call.output(0)[j] += call.input(0)(i, j) / T(static_cast<double>(latest));
    }
  }
  template <typename T>
  static void backward(const np::Call<T>& call) {
    for (int64_t i = 0; i < call.input(0).size(0); ++i)
      for (int64_t j = 0; j < 2; ++j)
        call.grad_input(0)(i, j) = call.grad_output(0)[j] / T(static_cast<double>(latest));
  }
};

TEST(KeptAttributes, NorIsAShapeThatOfAnotherCall) {
  EXPECT_THAT(alarms_in(declared<RowCount>()), ElementsAre("kept FAIL"));
}

}  // namespace
}  // namespace notape::verify
