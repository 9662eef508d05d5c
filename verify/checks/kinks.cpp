// kinks: on a kink the gradient is the convention's, one unit in the last place beside it the
// slope.
// - A kink or tie: the least-norm element of the convex hull of the gradients around it, with
//   respect to the active arguments (rule R3), measured on the reference in 113 bits: on a line 0
//   if the one-sided slopes have different signs, with k tied operands 1/k each, 0 beside a flat
//   constant.
// - A tie under an operator that returns an index: the gradient of the first of them (R8).
// - A jump: the gradient of the piece that the value belongs to (R5).
// - Where nobody declared a kink or jump: between the slopes of the pieces that meet there.
// Places are those that the row declares, and those where comparisons of its reference tie.
#include "verify/checks/shared_questions.h"

#include <algorithm>
#include <cmath>

#include "verify/checks/convention.h"
#include "verify/checks/declared_kinks.h"
#include "verify/checks/duals.h"
#include "verify/numeric/tolerance.h"

namespace notape::verify {
namespace {

/// "entry [1] of argument 0, which is 0.5,"
std::string entry_text(const SingularQuestion& question, const ArgumentEntry& entry) {
  const DrawnArgument& drawn = question.place.drawn.arguments[entry.argument];
  return format_message("entry {} of argument {}, which is {},",
                        {coordinates(drawn.argument.sizes, entry.index), entry.argument,
                         number_text(drawn.values[entry.index], question.subject.dtype)});
}

std::string undeclared_text(const SingularQuestion& question, const SingularAnswer& answer,
                            std::size_t k, double got) {
  return format_message("{} is on an undeclared kink or jump ({}); its derivative is {}",
                        {entry_text(question, question.entries[k]), answer.why, got});
}

/// Nobody has said which slope of those that meet there it should be.
bool is_between(const SingularAnswer& answer, std::size_t k, double got, Wide radius) {
  return !answer.least.empty() && Wide(got) >= answer.least[k] - radius &&
         Wide(got) <= answer.most[k] + radius;
}

/// What an entry that is broadcast has as its derivative are terms that may cancel, each of the
/// size of `incoming`, as the inputs and 1 count for a value. No other derivative adds up.
Wide terms_of(const SingularQuestion& question, const ArgumentEntry& entry, double incoming) {
  const auto& arguments = question.place.drawn.arguments;
  const auto larger = [&](const DrawnArgument& other) {
    return other.values.size() > arguments[entry.argument].values.size();
  };
  return std::any_of(arguments.begin(), arguments.end(), larger) ? Wide(std::abs(incoming)) : 0;
}

/// Compares one derivative with one entry of the answer.
void compare(const SingularQuestion& question, const SingularAnswer& answer, std::size_t k,
             double got, double incoming, const char* blame, Outcome& outcome) {
  const ScalarType dtype = question.subject.dtype;
  const Wide expected = answer.expected[k];
  const Wide size = std::max(magnitude(expected), Wide(std::abs(got)));
  const Wide radius = Wide(kLadderFactor) * answer.error +
                      Wide(rounding_factor(dtype) * epsilon_of(dtype)) *
                          std::max(size, terms_of(question, question.entries[k], incoming));
  ++outcome.comparisons;
  const bool is_convention = std::isfinite(got) && magnitude(Wide(got) - expected) <= radius;
  const bool undeclared = answer.verdict != Verdict::Pass && !question.place.declared;
  if (is_convention || (undeclared && is_between(answer, k, got, radius))) {
    const Wide power = size > 0 ? (radius + answer.error) / size : Wide(0);
    outcome.detectable = std::max(outcome.detectable, static_cast<double>(power));
    if (undeclared) outcome.message = undeclared_text(question, answer, k, got);
    if (undeclared || answer.verdict > outcome.verdict)
      outcome.reason = undeclared ? "undeclared" : answer.why;
    outcome.verdict = std::max(outcome.verdict, answer.verdict);
    return;
  }
  const ArgumentEntry& entry = question.entries[k];
  const auto wanted = static_cast<double>(expected);
  outcome.verdict = std::isfinite(got) ? Verdict::Fail : Verdict::Nonfinite;
  outcome.reason = answer.verdict != Verdict::Pass ? "convention"
                   : question.place.declared       ? "beside a kink"
                                                   : "where a comparison ties";
  outcome.message =
      format_message("the derivative of output {} by {} is wrong ({})",
                     {coordinates(question.subject.base().sizes, question.place.output),
                      entry_text(question, entry), answer.why});
  outcome.blame = blame;
  outcome.guilty = Guilty::of(
      format_message("gradient of argument {} at ", {entry.argument}) +
          coordinates(question.place.drawn.arguments[entry.argument].argument.sizes, entry.index),
      wanted, got, dtype);
}

void compare_value(const SingularQuestion& question, const Run& run, Outcome& outcome) {
  const ScalarType dtype = question.subject.dtype;
  const std::size_t o = question.place.output;
  const WideList& x = question.subject.wide();
  const Wide expected = question.subject.reference(x).values[o];
  const Wide scale =
      weighted_result(one_output(question.subject, o), question.subject.reference(x), x).magnitude;
  ++outcome.comparisons;
  if (magnitude(Wide(run.output[o]) - expected) <=
      Wide(rounding_factor(dtype) * epsilon_of(dtype)) * scale)
    return;
  const auto wanted = static_cast<double>(expected);
  outcome = Outcome::of(Verdict::Fail, "value", "the result differs from the reference");
  outcome.guilty = Guilty::of("output" + coordinates(run.sizes, o), wanted, run.output[o], dtype);
}

double gradient_of(const Run& run, const ArgumentEntry& entry) {
  return run.defined[entry.argument] ? run.gradients[entry.argument][entry.index] : 0;
}

/// From which end the operator puts tied entries in order, where it may choose.
bool is_reversed(const SingularQuestion& question, const SingularAnswer& answer, const Run& run) {
  if (answer.reversed.empty()) return false;
  Wide forward = 0, backward = 0;
  for (std::size_t k = 0; k < question.entries.size(); ++k) {
    const Wide got = gradient_of(run, question.entries[k]);
    forward += magnitude(got - answer.expected[k]);
    backward += magnitude(got - answer.reversed[k]);
  }
  return backward < forward;
}

void judge(const SingularQuestion& question, Outcome& outcome) {
  const Subject& subject = question.subject;
  SingularAnswer answer = convention_at(question);
  if (answer.expected.empty()) {
    ++outcome.comparisons;
    ++outcome.unresolved;
    return;
  }
  const Numbers v = one_output(subject, question.place.output);
  const double incoming = v[question.place.output];
  const Run run = subject.run(subject.inputs(question.active), subject.output_tensor(v));
  compare_value(question, run, outcome);
  if (is_reversed(question, answer, run)) std::swap(answer.expected, answer.reversed);
  const NoisePoint here{values_of(question.place.drawn), v};
  for (std::size_t k = 0; k < question.entries.size() && !is_red(outcome.verdict); ++k) {
    const ArgumentEntry& entry = question.entries[k];
    compare(question, answer, k, gradient_of(run, entry), incoming, "the reverse rule", outcome);
    if (is_red(outcome.verdict)) return;
    Direction u = along_entry(question.place.drawn, entry, 1);
    for (std::size_t a : subject.real_arguments())
      if ((question.active >> a & 1) && u.parts[a].empty())
        u.parts[a].assign(question.place.drawn.arguments[a].values.size(), 0);
    if (const auto forward = forward_slope_if_any(subject, u, &here))
      compare(question, answer, k, static_cast<double>(forward->value), incoming,
              "the forward rule", outcome);
  }
}

/// All arguments, and each one alone if entries of several meet.
std::vector<ArgumentMask> active_sets(const Place& place) {
  std::vector<ArgumentMask> sets = {kAllArguments};
  ArgumentMask met = 0;
  for (const ArgumentEntry& entry : place.entries) met |= 1u << entry.argument;
  if (place.distance == 0 && (met & (met - 1)) != 0)
    for (uint32_t a = 0; a < 32; ++a)
      if (met >> a & 1) sets.push_back(1u << a);
  return sets;
}

}  // namespace

Outcome check_kinks(const Subject& subject) {
  if (subject.is_opaque()) return check_declared_kinks(subject);
  Outcome outcome;
  for (const Place& place : singular_places(subject)) {
    const Subject moved(subject.spec, place.drawn, subject.dtype, subject.device);
    for (ArgumentMask active : active_sets(place)) {
      SingularQuestion question{moved, place, active, {}};
      for (const ArgumentEntry& entry : place.entries)
        if (active >> entry.argument & 1) question.entries.push_back(entry);
      std::sort(question.entries.begin(), question.entries.end(),
                [](const ArgumentEntry& a, const ArgumentEntry& b) {
                  return a.argument != b.argument ? a.argument < b.argument : a.index < b.index;
                });
      judge(question, outcome);
      if (is_red(outcome.verdict)) return outcome;
    }
  }
  return outcome;
}

}  // namespace notape::verify
