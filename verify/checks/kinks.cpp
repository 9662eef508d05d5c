// kinks: on a kink the gradient is the convention's, one unit in the last place beside it the
// slope.
// - A kink or tie: the least-norm element of the convex hull of the gradients around it with
// respect
//   to the active arguments (rule R3), measured on the reference in 113 bits: on a line 0 if the
//   one-sided slopes have different signs, with k tied operands 1/k each, 0 beside a flat constant.
// - A tie under an operator that returns an index: the gradient of the first of them (R8).
// - A jump: the gradient of the piece that the value belongs to (R5).
// Places are those that the row declares, and those where comparisons of its reference tie.
#include "verify/checks/kinks.h"

#include <algorithm>
#include <cmath>

#include "verify/atlas/atlas.h"
#include "verify/checks/duals.h"
#include "verify/checks/singular_places.h"
#include "verify/numeric/least_norm.h"
#include "verify/numeric/tolerance.h"

namespace notape::verify {
namespace {

/// How far around a place its gradients are taken: many roundings of 113 bits, and far below the
/// distances of numbers of the dtype.
constexpr int kAround = 48;
constexpr Steps kStepsAround{kAround + 5, kAround + 7};
/// In units of the distance from the kink.
constexpr Steps kStepsBeside{4, 8};

/// A place and the arguments with respect to which it is differentiated.
struct Question {
  const Subject& subject;
  const Place& place;
  ArgumentMask active;
  std::vector<Lane> lanes;  ///< the active ones, in row-major order
};

struct Answer {
  Verdict verdict = Verdict::Unresolved;
  std::vector<Wide> expected = {};  ///< one per lane
  Wide error = 0;
  std::string why = {};
};

/// The gradient with respect to the lanes, the k-th of which has moved by moved[k] 2^-48 units.
std::vector<Wide> gradient_around(const Question& question, const std::vector<double>& moved,
                                  Wide& error) {
  const double unit = unit_of(question.place);
  const Numbers v = one_output(question.subject, question.place.output);
  WideList x = question.subject.wide();
  for (std::size_t k = 0; k < moved.size(); ++k) {
    const Lane& lane = question.lanes[k];
    x[lane.argument].values[lane.entry] += Wide(std::ldexp(moved[k] * unit, -kAround));
  }
  std::vector<Wide> gradient;
  for (const Lane& lane : question.lanes) {
    const Direction u = along_lane(question.place.drawn, lane, unit);
    const Slope found = slope(question.subject.path(u, x, v), kStepsAround);
    gradient.push_back(found.value / Wide(unit));
    error = std::max(error, found.error / Wide(unit));
  }
  return gradient;
}

/// The gradients of all pieces that meet here: every combination of signs, no two moves alike.
std::vector<std::vector<Wide>> gradients_around(const Question& question, Wide& error) {
  constexpr double kMoves[] = {1, 0.75, 0.625};
  std::vector<std::vector<Wide>> gradients;
  const std::size_t count = question.lanes.size();
  for (uint32_t signs = 0; signs < 1u << count; ++signs) {
    std::vector<double> moved;
    for (std::size_t k = 0; k < count; ++k)
      moved.push_back(signs >> k & 1 ? kMoves[k] : -kMoves[k]);
    gradients.push_back(gradient_around(question, moved, error));
  }
  return gradients;
}

std::string text_of(Wide x) { return format_message("{}", {static_cast<double>(x)}); }

/// R8: the piece on which the first of the tied entries is the one.
Answer first_of_tied(const Question& question) {
  Answer answer{.verdict = Verdict::Kink, .why = "a tie under an index: the first one's slope"};
  for (const double move : {1.0, -1.0}) {
    std::vector<double> moved(question.lanes.size(), 0);
    moved[0] = move;
    answer.expected = gradient_around(question, moved, answer.error);
    if (answer.expected[0] != 0) break;
  }
  return answer;
}

/// R5 in one variable.
Answer on_jump(const Question& question, const LocalView& view) {
  Answer answer{.verdict = Verdict::Jump};
  if (question.lanes.size() != 1) return {};
  const auto below = gradient_around(question, {-1}, answer.error);
  const auto above = gradient_around(question, {1}, answer.error);
  const bool from_below = view.growth_below < 0.9, from_above = view.growth_above < 0.9;
  answer.expected = from_below ? below : from_above ? above : least_norm({below, above});
  answer.why = "a jump: the slope of the value's own piece";
  return answer;
}

/// Where a comparison ties and the value stays smooth.
Answer slope_on_branch(const Question& question) {
  Answer answer{.verdict = Verdict::Pass, .why = "where a comparison ties: the slope"};
  answer.expected =
      gradient_around(question, std::vector<double>(question.lanes.size(), 0), answer.error);
  return answer;
}

Answer answer_of(const Question& question) {
  std::vector<LocalView> views;
  for (const Lane& lane : question.lanes)
    views.push_back(look(samples_at(question.subject, question.place, lane), 0));
  const auto any = [&](LocalShape shape) {
    return std::any_of(views.begin(), views.end(),
                       [=](const LocalView& view) { return view.shape == shape; });
  };
  if (any(LocalShape::Unbounded) || any(LocalShape::Undecided)) return {};
  if (any(LocalShape::Jump)) return on_jump(question, views[0]);
  if (!any(LocalShape::Kink)) return question.place.declared ? Answer() : slope_on_branch(question);
  if (question.place.tie && atlas::follows_index(question.subject.spec.name))
    return first_of_tied(question);
  Answer answer{.verdict = Verdict::Kink};
  answer.expected = least_norm(gradients_around(question, answer.error));
  const Wide unit = unit_of(question.place);
  for (std::size_t k = 0; k < views.size(); ++k)
    answer.why += format_message("{}slopes {} and {}, convention {}",
                                 {k ? "; " : "", text_of(views[k].below / unit),
                                  text_of(views[k].above / unit), text_of(answer.expected[k])});
  return answer;
}

/// Beside a kink the function is smooth in steps small enough.
Answer slope_beside(const Question& question) {
  Answer answer{.verdict = Verdict::Pass, .why = "beside a kink: the slope"};
  const double unit = power_of_two_below(question.place.distance);
  const Numbers v = one_output(question.subject, question.place.output);
  for (const Lane& lane : question.lanes) {
    const Direction u = along_lane(question.place.drawn, lane, unit);
    const Slope found = slope(question.subject.path(u, question.subject.wide(), v), kStepsBeside);
    if (!found.finite) return {};
    answer.expected.push_back(found.value / Wide(unit));
    answer.error = std::max(answer.error, found.error / Wide(unit));
  }
  return answer;
}

/// "entry [1] of argument 0, which is 0.5,"
std::string lane_text(const Question& question, const Lane& lane) {
  const DrawnArgument& drawn = question.place.drawn.arguments[lane.argument];
  return format_message("entry {} of argument {}, which is {},",
                        {coordinates(drawn.argument.sizes, lane.entry), lane.argument,
                         number_text(drawn.values[lane.entry], question.subject.dtype)});
}

std::string undeclared_text(const Question& question, std::size_t k) {
  return format_message("{} is on a kink or jump that the row does not declare",
                        {lane_text(question, question.lanes[k])});
}

/// Compares one derivative with one entry of the answer.
void compare(const Question& question, const Answer& answer, std::size_t k, double got,
             const char* blame, Outcome& outcome) {
  const ScalarType dtype = question.subject.dtype;
  const Wide expected = answer.expected[k];
  const Wide size = std::max(magnitude(expected), Wide(std::abs(got)));
  const Wide radius =
      Wide(kLadderFactor) * answer.error + Wide(rounding_factor(dtype) * epsilon_of(dtype)) * size;
  ++outcome.comparisons;
  if (std::isfinite(got) && magnitude(Wide(got) - expected) <= radius) {
    const Wide power = size > 0 ? (radius + answer.error) / size : Wide(0);
    outcome.detectable = std::max(outcome.detectable, static_cast<double>(power));
    const bool news = answer.verdict != Verdict::Pass && !question.place.declared;
    if (news) outcome.message = undeclared_text(question, k);
    if (answer.verdict > outcome.verdict || news) outcome.reason = news ? "undeclared" : answer.why;
    outcome.verdict = std::max(outcome.verdict, answer.verdict);
    return;
  }
  const Lane& lane = question.lanes[k];
  const auto wanted = static_cast<double>(expected);
  outcome.verdict = std::isfinite(got) ? Verdict::Fail : Verdict::Nonfinite;
  outcome.reason = answer.verdict == Verdict::Pass ? "beside a kink" : "convention";
  outcome.message =
      format_message("the derivative of output {} by {} is wrong ({})",
                     {coordinates(question.subject.base().sizes, question.place.output),
                      lane_text(question, lane), answer.why});
  outcome.blame = blame;
  outcome.guilty = Guilty{
      format_message("gradient of argument {} at ", {lane.argument}) +
          coordinates(question.place.drawn.arguments[lane.argument].argument.sizes, lane.entry),
      wanted, got, ulps_between(wanted, got, dtype)};
}

void compare_value(const Question& question, const Run& run, Outcome& outcome) {
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
  outcome.guilty = Guilty{"output" + coordinates(run.sizes, o), wanted, run.output[o],
                          ulps_between(wanted, run.output[o], dtype)};
}

void judge(const Question& question, Outcome& outcome) {
  const Subject& subject = question.subject;
  const Answer answer = question.place.distance == 0 ? answer_of(question) : slope_beside(question);
  if (answer.expected.empty()) {
    ++outcome.comparisons;
    ++outcome.unresolved;
    return;
  }
  const Numbers v = one_output(subject, question.place.output);
  const Run run = subject.run(subject.inputs(question.active), subject.output_tensor(v));
  compare_value(question, run, outcome);
  NoisePoint here{{}, v};
  for (const DrawnArgument& argument : question.place.drawn.arguments)
    here.values.push_back(argument.values);
  for (std::size_t k = 0; k < question.lanes.size() && !is_red(outcome.verdict); ++k) {
    const Lane& lane = question.lanes[k];
    const Numbers& gradient = run.gradients[lane.argument];
    compare(question, answer, k, run.defined[lane.argument] ? gradient[lane.entry] : 0,
            "the reverse rule", outcome);
    if (is_red(outcome.verdict)) return;
    Direction u = along_lane(question.place.drawn, lane, 1);
    for (std::size_t a : subject.real_arguments())
      if ((question.active >> a & 1) && u.parts[a].empty())
        u.parts[a].assign(question.place.drawn.arguments[a].values.size(), 0);
    compare(question, answer, k, static_cast<double>(forward_slope(subject, u, &here).value),
            "the forward rule", outcome);
  }
}

/// All arguments, and each one alone if lanes of several meet.
std::vector<ArgumentMask> active_sets(const Place& place) {
  std::vector<ArgumentMask> sets = {kAllArguments};
  ArgumentMask met = 0;
  for (const Lane& lane : place.lanes) met |= 1u << lane.argument;
  if (place.distance == 0 && (met & (met - 1)) != 0)
    for (uint32_t a = 0; a < 32; ++a)
      if (met >> a & 1) sets.push_back(1u << a);
  return sets;
}

}  // namespace

Outcome check_kinks(const Subject& subject) {
  Outcome outcome;
  for (const Place& place : singular_places(subject)) {
    const Subject moved(subject.spec, place.drawn, subject.dtype, subject.device);
    for (ArgumentMask active : active_sets(place)) {
      Question question{moved, place, active, {}};
      for (const Lane& lane : place.lanes)
        if (active >> lane.argument & 1) question.lanes.push_back(lane);
      std::sort(question.lanes.begin(), question.lanes.end(), [](const Lane& a, const Lane& b) {
        return a.argument != b.argument ? a.argument < b.argument : a.entry < b.entry;
      });
      judge(question, outcome);
      if (is_red(outcome.verdict)) return outcome;
    }
  }
  return outcome;
}

}  // namespace notape::verify
