#include "verify/checks/directions_of.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "verify/checks/bisection.h"
#include "verify/checks/opaque_reference.h"
#include "verify/numeric/thresholds.h"

namespace notape::verify {

namespace {

/// u in parts, where some entries' terms u_j g_j are so much smaller than others that a sum with
/// these would hide them whole. The smallest of at most four parts has what is left.
std::vector<Direction> parts_by_size(const Subject& subject, const Direction& u) {
  constexpr int kBits = 20;
  double largest = 0;
  const auto for_each_term = [&](const auto& f) {
    for (std::size_t a = 0; a < u.parts.size(); ++a) {
      const Numbers& gradient = subject.base().gradients[a];
      for (std::size_t i = 0; i < u.parts[a].size(); ++i)
        f(a, i, i < gradient.size() ? std::abs(u.parts[a][i] * gradient[i]) : 0);
    }
  };
  for_each_term([&](std::size_t, std::size_t, double term) {
    if (std::isfinite(term)) largest = std::max(largest, term);
  });
  std::map<int, Direction> parts;
  for_each_term([&](std::size_t a, std::size_t i, double term) {
    const bool none = !(term > 0) || !std::isfinite(term) || largest == 0;
    const int place =
        none ? kMostParts - 1
             : std::min((std::ilogb(largest) - std::ilogb(term)) / kBits, kMostParts - 1);
    Direction& part = parts.try_emplace(place, Direction::none(subject.drawn)).first->second;
    if (part.parts[a].empty()) part.parts[a].assign(u.parts[a].size(), 0);
    part.parts[a][i] = u.parts[a][i];
  });
  std::vector<Direction> result;
  if (parts.size() < 2) return result;
  for (auto& [place, part] : parts)
    if (place > 0) result.push_back(std::move(part));
  return result;
}

}  // namespace

std::vector<Direction> directions_of(const Subject& subject) {
  std::vector<Direction> result;
  if (subject.real_entries() == 0) return result;
  if (subject.real_entries() > 1) {
    result.push_back(make_direction(subject.drawn, Scaling::Entry, 0));
    result.push_back(make_direction(subject.drawn, Scaling::Typical, 1));
    if (subject.real_arguments().size() > 1)
      for (std::size_t a : subject.real_arguments())
        if (!subject.drawn.arguments[a].values.empty())
          result.push_back(make_direction(subject.drawn, Scaling::Entry, 2, static_cast<int>(a)));
  }
  if (subject.real_entries() > kFewEntries)
    for (Direction& part : parts_by_size(subject, result.front()))
      result.push_back(std::move(part));
  if (subject.real_entries() <= kFewEntries)
    for (std::size_t a : subject.real_arguments())
      for (std::size_t i = 0; i < subject.drawn.arguments[a].values.size(); ++i)
        result.push_back(one_hot(subject.drawn, a, i));
  std::erase_if(result, is_still);  // infinite entries cannot move
  return result;
}

std::string describe(const Direction& u, const Subject& subject) {
  if (const auto one = only_entry(u)) return one->text(subject);
  std::size_t arguments = 0, last = 0;
  bool whole = true;
  for (std::size_t a = 0; a < u.parts.size(); ++a) {
    if (u.parts[a].empty()) continue;
    ++arguments;
    last = a;
    whole = whole && std::find(u.parts[a].begin(), u.parts[a].end(), 0.0) == u.parts[a].end();
  }
  const std::string what = arguments == 1 ? format_message("argument {}", {last}) : "all arguments";
  return whole ? what : "some entries of " + what;
}

std::vector<Direction> own_steps(const Subject& subject) {
  std::vector<Direction> result = {make_direction(subject.drawn, Scaling::Entry, 0)};
  for (std::size_t a : subject.real_arguments())
    for (std::size_t i = 0; i < std::min<std::size_t>(subject.drawn.arguments[a].values.size(), 6);
         ++i)
      result.push_back(one_hot(subject.drawn, a, i));
  return result;
}

}  // namespace notape::verify
