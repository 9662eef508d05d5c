// Shrinking: failures end small, and as themselves.
#include "verify/runner/shrink.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "verify/mutate/mutant_test_helper.h"

namespace notape::verify {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

/// tanh whose gradient is half as large where `wrong` says so.
template <typename Condition>
OpSpec tanh_wrong_if(Condition wrong) {
  return unary_mutant(
      [=](const variable_list& x) {
        const bool halved = wrong(x[0]);
        const auto rule = elementwise([=](const Tensor& grad, const Output& y) {
          return grad * (1 - square(y)) * (halved ? 0.5 : 1.0);
        });
        return with_derivative(derivative("Mutant", rule), plain_tanh, x[0]);
      },
      plain_tanh);
}

/// The shrunk failure of a check.
Exhibit failure_of(const OpSpec& spec, std::string_view check) {
  for (const Certificate& certificate : verify_operator(spec, {.dtypes = {kFloat64}}))
    if (certificate.check == check && certificate.failure) return *certificate.failure;
  ADD_FAILURE() << check << " did not fail";
  return {};
}

std::vector<double> numbers_in(const std::string& input) {
  std::istringstream text(input.substr(input.rfind('[') + 1));
  std::vector<double> numbers;
  char comma;
  for (double number; text >> number; text >> comma) numbers.push_back(number);
  return numbers;
}

TEST(Shrinking, AFailureOfEveryCaseEndsAsTheSimplestCase) {
  const Exhibit failure = failure_of(tanh_wrong_if([](const Tensor&) { return true; }), "reverse");
  EXPECT_EQ(failure.code, "1");
  EXPECT_THAT(failure.inputs, SizeIs(1));
  EXPECT_EQ(failure.inputs[0].text(), "[] float64 (contiguous): [0]");
}

TEST(Shrinking, AFailureThatNeedsThreeEntriesEndsWithThree) {
  const Exhibit failure =
      failure_of(tanh_wrong_if([](const Tensor& x) { return x.numel() >= 3; }), "reverse");
  EXPECT_THAT(numbers_in(failure.inputs[0].text()), SizeIs(3)) << failure.inputs[0].text();
  EXPECT_THAT(failure.inputs[0].text(), HasSubstr("(contiguous)"));
  EXPECT_LE(failure.code.size(), 16u) << failure.code;
}

TEST(Shrinking, AFailureThatNeedsALargeEntryOfTwoEndsWithTwoSimpleOnes) {
  const auto large = [](const Tensor& x) {
    const Numbers values = numbers_of(x);
    return values.size() >= 2 &&
           std::any_of(values.begin(), values.end(), [](double value) { return value > 2; });
  };
  const Exhibit failure = failure_of(tanh_wrong_if(large), "reverse");
  // The end of the domain is simpler than 2.0000001, and twice the same number than two numbers.
  EXPECT_THAT(numbers_in(failure.inputs[0].text()), ::testing::ElementsAre(3, 3))
      << failure.inputs[0].text();
}

TEST(Shrinking, AFailureThatNeedsALayoutAndFourEntriesEndsWithThese) {
  const auto mutant = unary_mutant(
      [](const variable_list& x) {
        const bool wrong = x[0].numel() >= 4 && !x[0].is_contiguous();
        return wrong ? tanh(x[0]) * 2 : tanh(x[0]);
      },
      plain_tanh);
  const Exhibit failure = failure_of(mutant, "layouts");
  EXPECT_THAT(failure.inputs[0].text(), ::testing::Not(HasSubstr("contiguous")));
  EXPECT_THAT(numbers_in(failure.inputs[0].text()), SizeIs(4)) << failure.inputs[0].text();
}

TEST(Shrinking, AnotherFailureOnTheWayIsNotMistakenForTheFirst) {
  // Simplest cases raise a named error, larger ones have a wrong gradient.
  const auto mutant = tanh_wrong_if([](const Tensor& x) {
    if (x.numel() == 3) throw ShapeError("three is not to my liking");
    return x.numel() > 3;
  });
  const Exhibit failure = failure_of(mutant, "reverse");
  EXPECT_EQ(failure.outcome.verdict, Verdict::Fail);
  EXPECT_THAT(numbers_in(failure.inputs[0].text()), SizeIs(4)) << failure.inputs[0].text();
}

TEST(Shrinking, TheShrunkCaseFailsWhenReplayed) {
  const OpSpec mutant = tanh_wrong_if([](const Tensor& x) { return x.numel() >= 3; });
  const Exhibit failure = failure_of(mutant, "reverse");
  const auto again =
      verify_operator(mutant, {.dtypes = {kFloat64}, .only_case = decode_choices(failure.code)});
  EXPECT_THAT(alarms(again), ::testing::ElementsAre("reverse FAIL"));
}

RC_GTEST_PROP(CaseCodes, GiveBackTheChoicesUpToZerosAtTheEnd, (Choices choices)) {
  const auto code = encode_choices(choices);
  auto decoded = decode_choices(code);
  RC_ASSERT(decoded.has_value());
  while (!choices.empty() && choices.back() == 0) choices.pop_back();
  RC_ASSERT(*decoded == choices);
}

RC_GTEST_PROP(CaseCodes, AnyWordIsDecodedOrRefused, (std::string word)) {
  decode_choices(word);
  decode_choices("1" + word);
}

TEST(CaseCodes, NonsenseIsRefused) {
  for (const char* code : {"", "2", "1!", "1 ", "1z", "1zz", "1v", "1vvvvvvvvv", "1A", "1zvvvvvv7"})
    EXPECT_FALSE(decode_choices(code).has_value()) << code;
}

RC_GTEST_PROP(SimplerChoices, AreSimplerAndEnd, ()) {
  const auto choices = *rc::gen::resize(20, rc::gen::arbitrary<Choices>());
  auto candidates = simpler(choices);
  int count = 0;
  for (auto next = candidates.next(); next; next = candidates.next(), ++count) {
    RC_ASSERT(next->size() <= choices.size());
    if (next->size() == choices.size()) RC_ASSERT(*next < choices);
    RC_ASSERT(count < 5000);
  }
  RC_ASSERT((count > 0) == (choices != Choices(choices.size(), 0) || !choices.empty()));
}

}  // namespace
}  // namespace notape::verify
