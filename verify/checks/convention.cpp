#include "verify/checks/convention.h"

#include <algorithm>
#include <cmath>

#include "verify/atlas/atlas.h"
#include "verify/numeric/least_norm.h"

namespace notape::verify {
namespace {

/// How far around a place its gradients are taken: many roundings of 113 bits, and far below the
/// distances of numbers of the dtype.
constexpr int kAround = 48;
constexpr Steps kStepsAround{kAround + 5, kAround + 7};
/// In units of the distance from the kink.
constexpr Steps kStepsBeside{4, 8};

/// The gradient with respect to the entries, the k-th of which has moved by moved[k] 2^-48 units.
std::vector<Wide> gradient_around(const SingularQuestion& question,
                                  const std::vector<double>& moved, Wide& error) {
  const double unit = unit_of(question.place);
  const Numbers v = one_output(question.subject, question.place.output);
  WideList x = question.subject.wide();
  for (std::size_t k = 0; k < moved.size(); ++k) {
    const ArgumentEntry& entry = question.entries[k];
    x[entry.argument].values[entry.index] += Wide(std::ldexp(moved[k] * unit, -kAround));
  }
  std::vector<Wide> gradient;
  for (const ArgumentEntry& entry : question.entries) {
    const Direction u = along_entry(question.place.drawn, entry, unit);
    const Slope found = slope(question.subject.path(u, x, v), kStepsAround);
    gradient.push_back(found.value / Wide(unit));
    error = std::max(error, found.error / Wide(unit));
  }
  return gradient;
}

/// The gradients of all pieces that meet here: every combination of signs, no two moves alike.
std::vector<std::vector<Wide>> gradients_around(const SingularQuestion& question, Wide& error,
                                                double distance = 1) {
  constexpr double kMoves[] = {1, 0.75, 0.625};
  std::vector<std::vector<Wide>> gradients;
  const std::size_t count = question.entries.size();
  for (uint32_t signs = 0; signs < 1u << count; ++signs) {
    std::vector<double> moved;
    for (std::size_t k = 0; k < count; ++k)
      moved.push_back(distance * (signs >> k & 1 ? kMoves[k] : -kMoves[k]));
    gradients.push_back(gradient_around(question, moved, error));
  }
  return gradients;
}

std::string step_text_of(Wide x) { return format_message("{}", {static_cast<double>(x)}); }

/// R8: the piece on which the first of the tied entries is the one.
SingularAnswer first_of_tied(const SingularQuestion& question) {
  SingularAnswer answer{.verdict = Verdict::Kink,
                        .why = "a tie under an index: the first one's slope"};
  for (const double move : {1.0, -1.0}) {
    std::vector<double> moved(question.entries.size(), 0);
    moved[0] = move;
    answer.expected = gradient_around(question, moved, answer.error);
    if (answer.expected[0] != 0) break;
  }
  return answer;
}

/// R8 where tied entries have several places in the result: they stand there in their own order,
/// the first one first or last.
SingularAnswer in_order(const SingularQuestion& question) {
  SingularAnswer answer{.verdict = Verdict::Kink, .why = "a tie under indices: slopes in order"};
  for (const double move : {0.25, -0.25}) {
    std::vector<double> moved;
    for (std::size_t k = 0; k < question.entries.size(); ++k)
      moved.push_back(move * static_cast<double>(k + 1));
    (move > 0 ? answer.expected : answer.reversed) = gradient_around(question, moved, answer.error);
  }
  return answer;
}

void bound(SingularAnswer& answer, const std::vector<std::vector<Wide>>& gradients) {
  answer.least = answer.most = gradients.front();
  for (const std::vector<Wide>& gradient : gradients)
    for (std::size_t k = 0; k < gradient.size(); ++k) {
      answer.least[k] = std::min(answer.least[k], gradient[k]);
      answer.most[k] = std::max(answer.most[k], gradient[k]);
    }
}

/// R5 in one variable.
SingularAnswer on_jump(const SingularQuestion& question, const LocalView& view) {
  SingularAnswer answer{.verdict = Verdict::Jump};
  if (question.entries.size() != 1) return {};
  const auto below = gradient_around(question, {-1}, answer.error);
  const auto above = gradient_around(question, {1}, answer.error);
  bound(answer, {below, above});
  const bool from_below = view.growth_below < 0.9, from_above = view.growth_above < 0.9;
  answer.expected = from_below ? below : from_above ? above : least_norm({below, above});
  answer.why = "a jump: the slope of the value's own piece";
  return answer;
}

/// Where a comparison ties and the value stays smooth.
SingularAnswer slope_on_branch(const SingularQuestion& question) {
  SingularAnswer answer{.verdict = Verdict::Pass, .why = "where a comparison ties: the slope"};
  answer.expected =
      gradient_around(question, std::vector<double>(question.entries.size(), 0), answer.error);
  return answer;
}

/// Whether the gradients around tend to each other, as those of x |x| do, whose slopes at 0 are too
/// flat to look like anything.
bool slopes_meet(const SingularQuestion& question) {
  const auto spread = [&](double distance) {
    Wide error = 0, most = 0;
    const auto gradients = gradients_around(question, error, distance);
    for (const std::vector<Wide>& gradient : gradients)
      for (std::size_t k = 0; k < gradient.size(); ++k)
        most = std::max(most, magnitude(gradient[k] - gradients.front()[k]));
    return most;
  };
  return spread(1) <= spread(1024) / 64;
}

SingularAnswer on_place(const SingularQuestion& question) {
  std::vector<LocalView> views;
  for (const ArgumentEntry& entry : question.entries)
    views.push_back(look(samples_at(question.subject, question.place, entry), 0));
  const auto any = [&](LocalShape shape) {
    return std::any_of(views.begin(), views.end(),
                       [=](const LocalView& view) { return view.shape == shape; });
  };
  if (any(LocalShape::Unbounded)) return {};
  if (any(LocalShape::Undecided))
    return !question.place.declared && slopes_meet(question) ? slope_on_branch(question)
                                                             : SingularAnswer();
  if (any(LocalShape::Jump)) return on_jump(question, views[0]);
  if (!any(LocalShape::Kink))
    return question.place.declared ? SingularAnswer() : slope_on_branch(question);
  if (question.place.tie && atlas::follows_index(question.subject.spec.name))
    return has_trait(question.subject.spec.traits, Trait::Permutes) ||
                   has_trait(question.subject.spec.traits, Trait::Scans)
               ? in_order(question)
               : first_of_tied(question);
  SingularAnswer answer{.verdict = Verdict::Kink};
  const auto gradients = gradients_around(question, answer.error);
  answer.expected = least_norm(gradients);
  bound(answer, gradients);
  const Wide unit = unit_of(question.place);
  for (std::size_t k = 0; k < views.size(); ++k)
    answer.why +=
        format_message("{}slopes {} and {}, convention {}",
                       {k ? "; " : "", step_text_of(views[k].below / unit),
                        step_text_of(views[k].above / unit), step_text_of(answer.expected[k])});
  return answer;
}

/// Beside a kink the function is smooth in steps small enough.
SingularAnswer slope_beside(const SingularQuestion& question) {
  SingularAnswer answer{.verdict = Verdict::Pass, .why = "beside a kink: the slope"};
  const double unit = power_of_two_below(question.place.distance);
  const Numbers v = one_output(question.subject, question.place.output);
  for (const ArgumentEntry& entry : question.entries) {
    const Direction u = along_entry(question.place.drawn, entry, unit);
    const Slope found = slope(question.subject.path(u, question.subject.wide(), v), kStepsBeside);
    if (!found.finite) return {};
    answer.expected.push_back(found.value / Wide(unit));
    answer.error = std::max(answer.error, found.error / Wide(unit));
  }
  return answer;
}

}  // namespace

SingularAnswer convention_at(const SingularQuestion& question) {
  return question.place.distance == 0 ? on_place(question) : slope_beside(question);
}

}  // namespace notape::verify
