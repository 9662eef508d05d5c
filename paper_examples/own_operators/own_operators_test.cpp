// The built program on the built plugins: the right operators pass, and of the wrong ones it is
// said where and by how much they are wrong.
#include <gmock/gmock.h>

#include "paper_examples/testing/command.h"

namespace notape {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Outcome verify(const std::string& plugin, const std::string& words = "") {
  return outcome_of(NOTAPE_COMMAND " verify plugin:" + plugin + " " + words + " 2>&1");
}

TEST(OwnOperators, OfTheCOperatorsTheWrongOneIsNamedWithItsPlace) {
  const Outcome outcome = verify(NOTAPE_C_OPERATORS);
  EXPECT_EQ(outcome.status, 1) << outcome.out;
  EXPECT_THAT(
      outcome.out,
      AllOf(HasSubstr("FAIL: sum_of_squares/reverse in float64"),
            HasSubstr("where      gradient of argument 0 at ["), HasSubstr("expected"),
            HasSubstr("paper_examples/own_operators/c_operators.c:"),
            HasSubstr("replay     notape verify run sum_of_squares --dtype float64 --case c"),
            Not(HasSubstr("FAIL: gelu"))));
  EXPECT_EQ(verify(NOTAPE_C_OPERATORS, "gelu").status, 0);
}

TEST(OwnOperators, OfTheNotapeOperatorsTheDetachedOneIsNamedWithItsPlace) {
  const Outcome outcome = verify(NOTAPE_NOTAPE_OPERATORS);
  EXPECT_EQ(outcome.status, 1) << outcome.out;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("FAIL: swish_detached/second-order in float64"),
                                 HasSubstr("expected"), HasSubstr("got"),
                                 HasSubstr("paper_examples/own_operators/notape_operators.cpp:"),
                                 Not(HasSubstr("FAIL: swish/"))));
  EXPECT_EQ(verify(NOTAPE_NOTAPE_OPERATORS, "swish").status, 0);
}

TEST(OwnOperators, OfTheIndexedOperatorsTheOneThatForgetsARepeatedIndexIsNamed) {
  const Outcome outcome = verify(NOTAPE_INDEXED_OPERATORS);
  EXPECT_EQ(outcome.status, 1) << outcome.out;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("FAIL: lookup/reverse in float64"),
                                 HasSubstr("FAIL: lookup/exact-slope in float64"),
                                 HasSubstr("paper_examples/own_operators/indexed_operators.cpp:"),
                                 Not(HasSubstr("FAIL: segment_sum/"))));
  EXPECT_EQ(verify(NOTAPE_INDEXED_OPERATORS, "segment_sum").status, 0);
}

}  // namespace
}  // namespace notape
