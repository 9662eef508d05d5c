#include "verify/checks/directions_of.h"

namespace notape::verify {

std::vector<Direction> directions_of(const Subject& subject) {
  constexpr int64_t kFewEntries = 6;
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
  if (subject.real_entries() <= kFewEntries)
    for (std::size_t a : subject.real_arguments())
      for (std::size_t i = 0; i < subject.drawn.arguments[a].values.size(); ++i)
        result.push_back(one_hot(subject.drawn, a, i));
  return result;
}

std::string describe(const Direction& u, const Subject& subject) {
  std::size_t arguments = 0, entries = 0, argument = 0, entry = 0;
  for (std::size_t a = 0; a < u.parts.size(); ++a) {
    arguments += !u.parts[a].empty();
    for (std::size_t i = 0; i < u.parts[a].size(); ++i) {
      if (u.parts[a][i] == 0) continue;
      ++entries;
      argument = a;
      entry = i;
    }
  }
  if (arguments != 1) return "all arguments";
  const std::string only = format_message("argument {}", {argument});
  const auto& sizes = subject.drawn.arguments[argument].argument.sizes;
  return entries == 1 ? only + " at " + coordinates(sizes, entry) : only;
}

}  // namespace notape::verify
