// Operators that are right must raise no alarm, whatever the seed. A few cases from each of many
// seeds; `notape verify --seed S --samples N` goes further.
#include <gtest/gtest.h>

#include "verify/mutate/mutant_test_helper.h"
#include "verify/report/table.h"

namespace notape::verify {
namespace {

class EverySeed : public ::testing::TestWithParam<uint64_t> {};

TEST_P(EverySeed, RaisesNoAlarmOnAnyOperator) {
  constexpr int kFewSamples = 4;
  Listener silent;
  const auto certificates = run(op_specs(), {.seed = GetParam(), .samples = kFewSamples}, silent);
  EXPECT_GE(certificates.size(), 16 * op_specs().size());
  for (const Certificate& certificate : certificates)
    // Four cases may all be without entries; then nothing is compared.
    EXPECT_TRUE(!is_red(certificate.verdict) || certificate.verdict == Verdict::Vacuous)
        << failure_text(certificate);
}

TEST(NoFalseAlarm, IsRaisedIn16Bits) {
  Listener silent;
  for (uint64_t seed : {1, 2, 3}) {
    const auto certificates =
        run(op_specs(), {.dtypes = {kFloat16, kBFloat16}, .seed = seed, .samples = 6}, silent);
    EXPECT_GE(certificates.size(), 16 * op_specs().size());
    for (const Certificate& certificate : certificates)
      EXPECT_TRUE(!is_red(certificate.verdict) || certificate.verdict == Verdict::Vacuous)
          << failure_text(certificate);
  }
}

TEST(NoFalseAlarm, RoundingsOfNumbersWhoseSquaresUnderflowAreNoEvidence) {
  // Along a shift of all logits the second derivative is 0 exactly, here of terms of 1e-171.
  Listener silent;
  const auto certificates =
      run({&find_op_spec("cross_entropy")},
          {.dtypes = {kFloat64}, .only_case = decode_choices("1z4113z31c3")}, silent);
  EXPECT_FALSE(certificates.empty());
  for (const Certificate& certificate : certificates)
    EXPECT_FALSE(is_red(certificate.verdict)) << failure_text(certificate);
}

INSTANTIATE_TEST_SUITE_P(NoFalseAlarm, EverySeed, ::testing::Range<uint64_t>(1001, 1009));

}  // namespace
}  // namespace notape::verify
