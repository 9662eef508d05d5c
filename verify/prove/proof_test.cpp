// Proofs: right rules are proved, wrong ones refuted, however little is wrong, and where.
#include <gmock/gmock.h>

#include "verify/command/prove.h"
#include "verify/command/session_test_helper.h"
#include "verify/exhaustive/walk.h"

namespace notape::prove {
namespace {

using verify::unary_mutant;

Proof proof_of(const OpSpec& spec, int orders = 3) {
  Proof proof;
  const OpCase one = verify::exhaustive::unary_cases(spec, 0).at(0);
  opened_proofs()(one, {.domain = {-9, 9}, .orders = orders}, proof);
  return proof;
}

const auto plain_tanh = elementwise_reference([]<typename T>(T x) { return math::tanh(x); });
const auto plain_exp_of = elementwise_reference([]<typename T>(T x) { return math::exp(x); });

/// tanh with this rule of its argument.
template <typename Rule>
OpSpec tanh_with(Rule rule) {
  return unary_mutant(
      [rule](const variable_list& x) {
        return record(derivative("Mutant", elementwise(rule)), {"mutant", At::current()},
                      tanh(x[0].detach()), NoParameters{}, x[0]);
      },
      plain_tanh);
}
Tensor slope_of_tanh(const Tensor& x) { return 1 - square(tanh(x)); }

class Proofs : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!opened_proofs()) GTEST_SKIP() << "this build has no Arb (Debian: libflint-arb-dev)";
  }
};

TEST_F(Proofs, ARightRuleIsProvedToTheThirdOrder) {
  const Proof proof =
      proof_of(tanh_with([](const Tensor& g, const Input<0>& x) { return g * slope_of_tanh(x); }));
  EXPECT_TRUE(proof.is_proved()) << proof.reason;
  EXPECT_TRUE(proof.left.empty());
  EXPECT_LT(proof.within, kWithin);
  EXPECT_GT(proof.cells, 5);
}

TEST_F(Proofs, WrongRulesAreRefuted) {
  const auto refuted = [](const char* what, auto rule, double from = -9, double to = 9) {
    const Proof proof = proof_of(tanh_with(rule));
    EXPECT_FALSE(proof.is_proved()) << what;
    ASSERT_EQ(proof.refuted.size(), 1u) << what << proof.reason;
    EXPECT_EQ(proof.refuted[0].order, 1) << what;
    EXPECT_GE(proof.refuted[0].where.low, from) << what;
    EXPECT_LE(proof.refuted[0].where.high, to) << what;
  };
  refuted("sign", [](const Tensor& g, const Input<0>& x) { return -g * slope_of_tanh(x); });
  refuted("factor", [](const Tensor& g, const Input<0>& x) { return g * slope_of_tanh(x) * 2; });
  refuted("1 - y", [](const Tensor& g, const Input<0>& x) { return g * (1 - tanh(x)); });
  refuted("1 + y^2", [](const Tensor& g, const Input<0>& x) { return g * (1 + square(tanh(x))); });
  refuted("7th digit",
          [](const Tensor& g, const Input<0>& x) { return g * slope_of_tanh(x) * 1.0000001; });
  refuted("12th digit",
          [](const Tensor& g, const Input<0>& x) { return g * slope_of_tanh(x) * (1 + 1e-12); });
  refuted(
      "0 beyond 6",
      [](const Tensor& g, const Input<0>& x) { return where(x > 6, 0, g * slope_of_tanh(x)); }, 6);
  refuted(
      "below -8.5",
      [](const Tensor& g, const Input<0>& x) {
        return where(x < -8.5, g * slope_of_tanh(x) * 1.001, g * slope_of_tanh(x));
      },
      -9, -8.5);
  refuted("of another function",
          [](const Tensor& g, const Input<0>& x) { return g * square(sigmoid(x)); });
  refuted("a term too much", [](const Tensor& g, const Input<0>& x) {
    return g * (slope_of_tanh(x) + 1e-9 * sin(x));
  });
}

TEST_F(Proofs, ARuleThatIsWrongInTheSecondOrderOnlyIsRefuted) {
  const auto second = [](const Tensor& x) {
    const auto rule = elementwise(
        [](const Tensor& grad, const Input<0>& self) { return grad * exp(self) * 1.0001; });
    return record(derivative("Mutant", rule), {"mutant", At::current()}, exp(x.detach()),
                  NoParameters{}, x);
  };
  const OpSpec spec = unary_mutant(
      [second](const variable_list& x) {
        const auto rule = elementwise(
            [second](const Tensor& grad, const Input<0>& self) { return grad * second(self); });
        return record(derivative("Mutant", rule), {"mutant", At::current()}, exp(x[0].detach()),
                      NoParameters{}, x[0]);
      },
      plain_exp_of);
  EXPECT_TRUE(proof_of(spec, 1).is_proved());
  const Proof proof = proof_of(spec, 2);
  ASSERT_EQ(proof.refuted.size(), 1u);
  EXPECT_EQ(proof.refuted[0].order, 2);
}

TEST_F(Proofs, AKernelThatComputesWithNumbersOnlyIsNoticed) {
  const auto square_of = elementwise_reference([]<typename T>(T x) { return x * x; });
  const OpSpec spec =
      unary_mutant([](const variable_list& x) { return dot(x[0], x[0]).reshape({1}); }, square_of);
  const Proof proof = proof_of(spec, 1);
  EXPECT_FALSE(proof.is_proved());
  EXPECT_TRUE(proof.refuted.empty());
  EXPECT_THAT(proof.reason, ::testing::HasSubstr("what was recorded is"));
}

TEST_F(Proofs, RulesOfOneArgumentAreProvedAndNoneIsRefuted) {
  // Of 60; the longest need nearly all of the processor's time that a case may take.
  const verify::Said said = verify::say({"prove", "--least", "57"}, op_specs());
  EXPECT_EQ(said.code, 0) << said.out << said.err;
}

}  // namespace
}  // namespace notape::prove
