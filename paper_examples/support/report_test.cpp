#include "paper_examples/support/report.h"

#include <gtest/gtest.h>

#include <sstream>

namespace notape::paper {
namespace {

TEST(Report, SucceedsWhenEveryPromiseIsKept) {
  Report report;
  report.add("one", "one");
  report.add("below 2", "1.5", true);
  report.add_fact("three", true);
  std::ostringstream out;
  EXPECT_EQ(report.conclude(out), 0);
  EXPECT_EQ(out.str(), "\nexpected: one, below 2, three; seen: one, 1.5, three\n");
}

TEST(Report, FailsWhenOnePromiseIsBroken) {
  for (int broken = 0; broken < 3; ++broken) {
    Report report;
    report.add("one", broken == 0 ? "two" : "one");
    report.add("below 2", "some", broken != 1);
    report.add_fact("three", broken != 2);
    std::ostringstream out;
    EXPECT_EQ(report.conclude(out), 1) << out.str();
  }
}

TEST(KindOfError, NamesTheErrorAndPrintsItsMessage) {
  std::ostringstream out;
  EXPECT_EQ(kind_of_error(out, [] { throw ShapeError("two lines\nof text"); }), "ShapeError");
  EXPECT_EQ(out.str(), "    ShapeError: two lines\n    of text\n");
}

TEST(KindOfError, SaysSoIfThereIsNone) {
  std::ostringstream out;
  EXPECT_EQ(kind_of_error(out, [] {}), "no error");
}

TEST(InOneLine, ShowsFourDigitsInRowMajorOrder) {
  EXPECT_EQ(in_one_line(tensor({{1.0, 2.5}, {1.0 / 3, -4.0}})), "[1, 2.5, 0.3333, -4]");
  EXPECT_EQ(in_one_line(tensor({{1, 2}, {3, 4}}).t()), "[1, 3, 2, 4]");
  EXPECT_EQ(in_one_line(Tensor()), "undefined");
}

}  // namespace
}  // namespace notape::paper
