// Shrinking keeps the failure and nothing else, and what is left reads as C++.
#include "verify/alias/shrink_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "verify/alias/cpp_text.h"
#include "verify/alias/printed_program.h"
#include "verify/alias/view_kinds.h"

namespace notape::verify::alias {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr uint8_t kAdd = 0, kTimes = 2, kTimesTensor = 2;

std::vector<double> values_of(const Tensor& x) {
  std::vector<double> result;
  for (int i = 0; i < static_cast<int>(x.numel()); ++i) result.push_back(element(x, i));
  return result;
}

/// x, junk, y = x + 1, junk, z = y y, y *= 3, junk, z.backward: wrong without a version check.
Program padded_program() {
  return {
      {Make{.out = 5, .sizes = {2, 3}, .rank = 2, .pattern = 4, .is_leaf = true}},
      {Make{.out = 6, .sizes = {4}, .pattern = 1}},
      {Unary{.out = 7, .a = 5, .op = kAdd, .number = 1}},
      {View{.out = 8, .a = 6, .kind = kSliceKind, .numbers = {0, 1, 3, 1}}},
      {Binary{.out = 9, .a = 7, .b = 7, .op = kTimesTensor}},
      {Detach{.out = 10, .a = 9}},
      {Unary{.a = 7, .op = kTimes, .number = 3, .in_place = true}},
      {Drop{.a = 10}},
      {Gradient{.a = 9, .retains = true}},
  };
}

TEST(ShrinkProgram, KeepsTheFailureAndNothingElse) {
  const Settings settings{.fault = Fault::NoVersionCheck};
  Trial trial(settings);
  ASSERT_EQ(trial.run(padded_program()).outcome, Outcome::SilentlyWrong);
  const Program small = shrink(padded_program(), settings);
  EXPECT_EQ(trial.run(small).outcome, Outcome::SilentlyWrong);
  EXPECT_LE(small.size(), 5u);
  EXPECT_EQ(std::get<Make>(small[0].what).rank, 0) << "a number is enough";
  for (std::size_t i = 0; i < small.size(); ++i) {
    Program without = small;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_NE(trial.run(without).outcome, Outcome::SilentlyWrong) << "statement " << i;
  }
}

TEST(ShrinkProgram, TheSoundLibraryRefusesThatProgram) {
  Trial trial(Settings{});
  const TrialResult& result = trial.run(padded_program());
  EXPECT_EQ(result.outcome, Outcome::FalseRejection);
  EXPECT_EQ(result.failure, Failure::SavedTensorModified);
}

TEST(CppText, WritesEveryStatement) {
  EXPECT_EQ(statement_text(
                {View{.out = 2, .a = 1, .kind = kSelectKind, .numbers = {0, 1}}, /*no_grad=*/true}),
            "{ NoGradGuard no_grad; t2 = t1.select(0, 1); }");
  EXPECT_EQ(statement_text({Binary{.a = 1, .b = 3, .op = 1, .alpha = 2, .in_place = true}}),
            "t1.sub_(t3, 2);");
  EXPECT_EQ(statement_text({PutAt{.a = 1, .b = 3, .positions = {{2, 0}, 2}}}),
            "t1.index_put_({tensor({2, 0}, kInt64)}, t3);");
  const std::string text = program_text(padded_program(), {}, "why");
  EXPECT_THAT(text, HasSubstr("// why\n"));
  EXPECT_THAT(text, HasSubstr("Tensor t5, t6, t7, t8, t9, t10;"));
  EXPECT_THAT(text, HasSubstr("t9.backward(weights(t9), true);"));
}

/// padded_program() as CppText prints it.
TEST(PrintedProgram, SaysWhatTheTrialSays) {
  const Tensor x = make({2, 3}, {3, -1, 4, 2, 1, -2}).requires_grad_();
  Tensor y = x.add(1.0);
  const Tensor z = y.mul(y);
  EXPECT_THAT(values_of(grad({z}, {x}, true)[0]), ElementsAre(8, 0, 50, 12, 16, -2));
  EXPECT_THAT(values_of(second_grad(z, {x}, true)[0]), ElementsAre(2, 48, 20, 36, 24, 20));
  put(y.mutable_data_ptr<double>(), y, 0);
  EXPECT_THAT(values_of(y.t()), ElementsAre(1, 3, 2, -2, -1, 2));
  EXPECT_THROW(z.backward(weights(z), true), SavedTensorModified);
}

}  // namespace
}  // namespace notape::verify::alias
