// Every elementwise operator of the registry at numbers of every size, and that the check finds a
// lost tail, an undeclared loss and a pretended one.
#include <gtest/gtest.h>

#include <set>

#include "ops/ops.h"
#include "ops/spec/known_by_result.h"
#include "ops/spec/without_tails.h"
#include "verify/checks/shared_questions.h"
#include "verify/checks/tail_sweep.h"
#include "verify/mutate/mutant_test_helper.h"

namespace notape::verify {
namespace {

DrawnCase tails_case(const OpSpec& spec, uint64_t seed, ScalarType dtype) {
  ChoiceDraw draw(rc::Random(rc::Random::Key{seed, 3, 5, 7}));
  return draw_case(spec, draw, dtype);
}

/// All that is wrong of a row at all points, in some of its forms.
std::string wrong_tails(const OpSpec& spec, ScalarType dtype) {
  constexpr uint64_t kDraws = 24;
  constexpr std::size_t kForms = 5;
  std::set<std::string> forms;
  std::string wrong;
  for (uint64_t seed = 0; seed < kDraws && forms.size() < kForms; ++seed) {
    const DrawnCase drawn = tails_case(spec, seed, dtype);
    const Subject subject(spec, drawn, dtype, Device());
    if (!subject.is_differentiable() || !has_tails(drawn.op)) continue;
    if (!forms.insert(drawn.op.label + std::to_string(drawn.arguments.size())).second) continue;
    const TailEntry* worst = nullptr;
    const auto entries = sweep(subject, all_columns(subject, 1));
    for (const TailEntry& entry : entries)
      if (entry.kind != TailEntry::Kind::Value && !entry.is_right() &&
          (!worst || entry.places > worst->places))
        worst = &entry;
    if (worst)
      wrong += format_message("{} {}: {} is {} instead of {}, {} last places off\n",
                              {spec.name, drawn.op.label, worst->text(dtype), worst->got,
                               worst->expected, worst->places});
  }
  return wrong;
}

TEST(Tails, OfEveryElementwiseRowAreTheExactSlope) {
  for (const OpSpec* spec : op_specs()) {
    if (without_tails(spec->name)) continue;
    for (const ScalarType dtype : {kFloat64, kFloat32}) EXPECT_EQ(wrong_tails(*spec, dtype), "");
  }
}

/// The verdicts of the check on the row's cases, without repeats.
std::set<Verdict> verdicts_on(const OpSpec& spec, ScalarType dtype = kFloat64) {
  std::set<Verdict> result;
  for (uint64_t seed = 0; seed < 6; ++seed) {
    const DrawnCase drawn = tails_case(spec, seed, dtype);
    result.insert(check_tails(Subject(spec, drawn, dtype, Device())).verdict);
  }
  return result;
}

/// A row of the registry under another name, with another spelling of it if one is given.
OpSpec renamed(const char* row, const char* name, Tensor (*call)(const Tensor&) = nullptr) {
  OpSpec spec = find_op_spec(row);
  spec.name = name;
  if (call)
    spec.draw = [draw = spec.draw, call](Draw& source) {
      OpCase one = draw(source);
      one.call = [call](const variable_list& x) { return call(x[0]); };
      return one;
    };
  return spec;
}

using Only = std::set<Verdict>;

TEST(Tails, PassWhereTheRowsDeclareWhatTheyKnow) {
  for (const char* row : {"tanh", "sigmoid"})
    for (const ScalarType dtype : {kFloat64, kFloat32})
      EXPECT_EQ(verdicts_on(find_op_spec(row), dtype), Only{Verdict::Pass}) << row;
}

TEST(Tails, FailWhereALossIsNotDeclared) {
  EXPECT_EQ(verdicts_on(renamed("tanh", "undeclared")), Only{Verdict::Fail});
}

TEST(Tails, FailWhereTheDerivativeOfErfSquaresOnTheWay) {
  // exp(-x x) carelessly: x x = 600 rounds by 2^-44
  const auto careless = [](const Tensor& x) {
    const Tensor slope = exp(-square(x.detach())) * 1.1283791670955125739;
    return erf(x.detach()) + (x - x.detach()) * slope;
  };
  EXPECT_EQ(verdicts_on(renamed("erf", "careless", careless)), Only{Verdict::Fail});
}

TEST(Tails, FailWhereAnOverflowOnTheWayEatsTheDerivative) {
  const auto overflowing = [](const Tensor& x) { return log(exp(x) + 1); };
  EXPECT_TRUE(
      verdicts_on(renamed("softplus", "overflowing", overflowing)).count(Verdict::Nonfinite));
}

const RegisterKnownByResult pretended({.row = "pretended",
                                       .slope = [](Wide y) { return 16 * (1 - y * y); },
                                       .reason = "claims sixteen times what it loses"});

TEST(Tails, FailWhereARowDeclaresMoreThanItLoses) {
  EXPECT_EQ(verdicts_on(renamed("tanh", "pretended")), Only{Verdict::Fail});
}

}  // namespace
}  // namespace notape::verify
