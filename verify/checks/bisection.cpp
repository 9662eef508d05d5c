#include "verify/checks/bisection.h"

namespace notape::verify {
namespace {

std::vector<MovedEntry> moved_entries(const Direction& u) {
  std::vector<MovedEntry> moved;
  for (std::size_t a = 0; a < u.parts.size(); ++a)
    for (std::size_t i = 0; i < u.parts[a].size(); ++i)
      if (u.parts[a][i] != 0) moved.push_back({{a, i}, u.parts[a][i]});
  return moved;
}

/// u, of which only these entries move.
Direction part_of(Direction u, std::span<const MovedEntry> kept) {
  for (Numbers& part : u.parts) part.assign(part.size(), 0);
  for (const MovedEntry& one : kept) u.parts[one.argument][one.index] = one.step;
  return u;
}

}  // namespace

Direction bisected(Direction u, const std::function<Wide(const Direction&)>& distance) {
  for (;;) {
    const std::vector<MovedEntry> moved = moved_entries(u);
    if (moved.size() <= 1) return u;
    const std::span<const MovedEntry> all(moved);
    Direction first = part_of(u, all.first(moved.size() / 2));
    Direction second = part_of(u, all.subspan(moved.size() / 2));
    const bool in_first = distance(first) >= distance(second);
    u = in_first ? std::move(first) : std::move(second);
  }
}

std::optional<MovedEntry> only_entry(const Direction& u) {
  const std::vector<MovedEntry> moved = moved_entries(u);
  return moved.size() == 1 ? std::optional(moved.front()) : std::nullopt;
}

std::string MovedEntry::text(const Subject& subject) const {
  return format_message("argument {} at ", {argument}) +
         coordinates(subject.drawn.arguments[argument].argument.sizes, index);
}

}  // namespace notape::verify
