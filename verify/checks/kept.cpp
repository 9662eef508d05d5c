// kept: what a call has given stays what it is when the operator is called again. Results and
// gradients of a first call against those after a second one at another point, whose backward comes
// before, between or after: a workspace of the operator's own (a static buffer, a member) belongs
// to one call only. So do attributes, which a second call of a C operator has of its own.
#include <memory>

#include "autograd/modes/grad_mode.h"
#include "verify/checks/given_inputs.h"
#include "verify/checks/held_call.h"
#include "verify/checks/shared_questions.h"
#include "verify/checks/subject.h"
#include "verify/generate/choice_draw.h"
#include "verify/numeric/thresholds.h"
#include "verify/plugin/foreign_case.h"

namespace notape::verify {
namespace {

/// The same operator called in another way, with other attributes: what a rule keeps of its latest
/// call (a static, a member) is then wrong for this one.
struct OtherCase {
  DrawnCase drawn;
  Subject subject;

  OtherCase(const Subject& like, DrawnCase one)
      : drawn(std::move(one)), subject(like.spec, drawn, like.dtype, like.device) {}
};

/// Random, but for the first number that a C operator draws: its way.
class DrawInWay final : public ChoiceDraw {
 public:
  DrawInWay(const rc::Random& random, int64_t way) : ChoiceDraw(random), way_(way) {}
  int64_t integer(int64_t low, int64_t high) override {
    const bool first = !drawn_;
    drawn_ = true;
    return first ? way_ : ChoiceDraw::integer(low, high);
  }

 private:
  int64_t way_;
  bool drawn_ = false;
};

std::unique_ptr<OtherCase> tried(const Subject& subject, ChoiceDraw& draw) {
  try {
    auto other = std::make_unique<OtherCase>(subject, draw_case(subject.spec, draw, subject.dtype));
    other->subject.base();
    return other;
  } catch (const std::exception&) {
    return nullptr;  // other checks meet the operator there, too
  }
}

bool have_same_attributes(const ForeignCase& one, const ForeignCase& other) {
  for (std::size_t i = 0; i < one.attributes.size(); ++i)
    if (one.attributes[i].number != other.attributes[i].number) return false;
  return true;
}

/// Of a user's operator that draws its cases: one with other attributes and, of a C operator, the
/// same way, and any one. Those that it refuses are left out.
std::vector<std::unique_ptr<OtherCase>> other_cases(const Subject& subject) {
  std::vector<std::unique_ptr<OtherCase>> cases;
  if (has_given_inputs(subject.drawn) || !has_function_of_users(subject)) return cases;
  const auto random = [&](uint64_t stream) {
    return rc::Random(rc::Random::Key{subject.drawn.key, stream, 0, 0});
  };
  const ForeignCase* one = foreign_case_of(subject.drawn);
  for (uint64_t i = 0; one && !one->attributes.empty() && i < kOtherCases && cases.empty(); ++i) {
    DrawInWay draw(random(i), one->way);
    auto other = tried(subject, draw);
    if (other && !have_same_attributes(*one, *foreign_case_of(other->drawn)))
      cases.push_back(std::move(other));
  }
  ChoiceDraw draw(random(kOtherCases));
  if (auto other = tried(subject, draw)) cases.push_back(std::move(other));
  return cases;
}

class TwoCalls {
 public:
  TwoCalls(const Subject& subject, std::vector<Numbers> other)
      : subject_(subject), other_(std::move(other)), incoming_(subject.incoming()) {
    for (double& number : incoming_) number *= -2;
    alone_ = second().finish();
  }

  HeldCall first() const {
    const EnableGradGuard recording;
    return {subject_, subject_.inputs(), subject_.incoming_tensor()};
  }
  HeldCall second() const {
    const EnableGradGuard recording;
    return {subject_, subject_.inputs(kAllArguments, Placement::Contiguous, &other_),
            subject_.output_tensor(incoming_)};
  }
  bool is_first(const Run& run, const char* reason, const char* message, Outcome& total) const {
    return is_same(subject_.base(), run, reason, message, total);
  }
  bool is_second(const Run& run, const char* reason, const char* message, Outcome& total) const {
    return is_same(alone_, run, reason, message, total);
  }
  bool fits() const { return alone_.sizes == subject_.base().sizes; }

 private:
  bool is_same(const Run& expected, const Run& got, const char* reason, const char* message,
               Outcome& total) const {
    return absorb_same(subject_, expected, got, reason, message, total);
  }

  const Subject& subject_;
  const std::vector<Numbers> other_;
  Numbers incoming_;
  Run alone_;
};

/// False, and `total` says why, if what a call of `subject` gives is not what it gives alone.
bool is_alone(const Subject& subject, HeldCall& call, const char* message, const OtherCase& other,
              Outcome& total) {
  const std::string& label = other.drawn.op.label;
  return absorb_same(subject, subject.base(), call.finish(), "workspace",
                     label.empty() ? message : message + std::string(" (") + label + ")", total);
}

/// A second call of another case before the first one's backward.
bool keeps_apart(const Subject& subject, const OtherCase& other, Outcome& total) {
  constexpr const char* kFirst =
      "the gradient of a first call changes when the operator is called with other attributes or "
      "shapes before its backward";
  constexpr const char* kSecond =
      "the gradient of a call changes when the operator has been called with other attributes or "
      "shapes before, or the backward of that comes before its own";
  const auto call_of = [](const Subject& one) {
    const EnableGradGuard recording;
    return HeldCall(one, one.inputs(), one.incoming_tensor());
  };
  {
    HeldCall first = call_of(subject), second = call_of(other.subject);
    if (!is_alone(other.subject, second, kSecond, other, total) ||
        !is_alone(subject, first, kFirst, other, total))
      return false;
  }
  HeldCall first = call_of(subject), second = call_of(other.subject);
  return is_alone(subject, first, kFirst, other, total) &&
         is_alone(other.subject, second, kSecond, other, total);
}

Outcome at_another_point(const Subject& subject) {
  Outcome total;
  total.comparisons = 1;  // a case with nothing to change is right as it is
  const auto other = second_point(subject);
  if (!other) return total;
  const TwoCalls calls(subject, *other);
  if (!calls.fits()) return total;
  // What was given stays.
  HeldCall kept = calls.first();
  if (!calls.is_first(kept.finish(), "again",
                      "a call gives something else after a call at another point", total))
    return total;
  HeldCall later = calls.second();
  const auto now = [&] { return subject.run_of(kept.output(), kept.gradients()); };
  if (!calls.is_first(now(), "overwritten", "a second call overwrites what the first one gave",
                      total) ||
      !calls.is_second(later.finish(), "again",
                       "a call gives something else after a call at another point", total) ||
      !calls.is_first(now(), "overwritten",
                      "a second call and its backward overwrite what the first one gave", total))
    return total;
  // A second call before the first one's backward, which comes after the second one's, or before.
  constexpr const char* kWorkspace =
      "the gradient of a first call changes when the function is called again before its backward";
  constexpr const char* kBackward =
      "the gradient of a second call changes when the backward of the first one comes before its "
      "own";
  {
    HeldCall first = calls.first(), second = calls.second();
    if (!calls.is_second(second.finish(), "workspace", kWorkspace, total) ||
        !calls.is_first(first.finish(), "workspace", kWorkspace, total))
      return total;
  }
  HeldCall first = calls.first(), second = calls.second();
  if (calls.is_first(first.finish(), "workspace", kWorkspace, total))
    calls.is_second(second.finish(), "workspace", kBackward, total);
  return total;
}

}  // namespace

Outcome check_kept(const Subject& subject) {
  Outcome total = at_another_point(subject);
  if (is_red(total.verdict) || !subject.is_differentiable()) return total;
  for (const auto& other : other_cases(subject))
    if (!keeps_apart(subject, *other, total)) break;
  return total;
}

}  // namespace notape::verify
