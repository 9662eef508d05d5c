// Functions of which nothing can be differentiated say so once.
#include <algorithm>

#include "verify/functions/gradcheck_test_helper.h"

namespace notape::verify {
namespace {

using ::testing::HasSubstr;

void expect_said_once(const Report& report, Verdict verdict, const std::string& words) {
  EXPECT_EQ(report.verdict(), verdict) << report.text();
  EXPECT_EQ(report.findings.size(), 1U) << report.text();
  EXPECT_THAT(report.text(), HasSubstr(words));
  EXPECT_FALSE(report.ok());
}

TEST(Unconnected, AConstantHasNothingToCheck) {
  const Tensor constant = x23().detach(), kept = x23();
  const std::string words = "depends on no input that requires grad: there is nothing to check";
  expect_said_once(check([=](const Tensor&) { return constant * 1; }, {x23()}), Verdict::Vacuous,
                   words);
  expect_said_once(check([=](const Tensor&) { return kept * 2; }, {x23()}), Verdict::Vacuous,
                   words);
  expect_said_once(check([=](const Tensor&) { return kept; }, {x23()}), Verdict::Vacuous, words);
  EXPECT_FALSE(kept.grad().defined());
}

TEST(Unconnected, AValueThatIsCutOffIsWrong) {
  const std::string words = "nothing leads back";
  expect_said_once(check([](const Tensor& x) { return (x * x).detach(); }, {x23()}), Verdict::Fail,
                   words);
  expect_said_once(check(
                       [](const Tensor& x) {
                         const NoGradGuard no_grad;
                         return exp(x);
                       },
                       {x23()}),
                   Verdict::Fail, words);
  const Tensor kept = x23();
  expect_said_once(check([=](const Tensor& x) { return x.detach() * kept; }, {x23()}),
                   Verdict::Fail, words);
}

TEST(Unconnected, AHookOnAnInputThatChangesItsGradientIsWrong) {
  const TensorFunction f = [](const variable_list& x) {
    return variable_list{softmax(x[0] * x[1], 0)};
  };
  const auto halve = [](const Tensor& gradient) { return gradient * 0.5; };
  const Tensor plain = x23(), hooked = x23(), interior = x23() * 1, watched = x23();
  hooked.register_hook(halve);
  interior.register_hook(halve);
  Tensor seen;
  watched.register_hook([&](const Tensor& gradient) { seen = gradient; });
  expect_said_once(check(f, {plain, hooked}), Verdict::Fail, "a hook on input 1 changes");
  expect_said_once(check(f, {interior, plain}), Verdict::Fail, "a hook on input 0 changes");
  const Report report = check(f, {watched, plain});
  EXPECT_TRUE(report.ok()) << report.text();
  EXPECT_TRUE(seen.defined());
  EXPECT_FALSE(hooked.grad().defined());
}

TEST(Unconnected, WhatIsConnectedIsJudgedAsEver) {
  for (const auto& f :
       {TensorFunction([](const variable_list& x) { return x; }),
        TensorFunction([](const variable_list& x) { return variable_list{x[0] * 0}; }),
        TensorFunction([](const variable_list& x) { return variable_list{x[0].t()}; })}) {
    const Report report = check(f, {x23()});
    EXPECT_TRUE(report.ok()) << report.text();
    EXPECT_GT(report.findings.size(), 10U);
  }
}

TEST(Unconnected, WithoutAnInputThatRequiresGradTheErrorSaysWhatToDo) {
  try {
    check([](const Tensor& x) { return x * x; }, {x23().detach()});
    ADD_FAILURE();
  } catch (const ValueError& error) {
    EXPECT_THAT(error.what(), HasSubstr("call requires_grad_(true)"));
  }
}

}  // namespace
}  // namespace notape::verify
