#include "verify/report/diff.h"

#include <fmt/format.h>

#include <map>

#include "verify/report/summary.h"

namespace notape::verify {
namespace {

constexpr double kMuchWeaker = 2, kMuchSlower = 2, kWorthMentioning = 0.1;

void compare(const Record& then, const Record& now, const Gates& gates, Difference& difference) {
  const bool was_red = colour_of(then, gates) == Colour::Red;
  if (colour_of(now, gates) == Colour::Red) {
    if (!was_red) difference.new_reds.push_back(one_line(now));
    return;
  }
  if (was_red) difference.fixed.push_back(fmt::format("{}: {} now", now.id, name_of(now.verdict)));
  if (then.verdict == Verdict::Pass && now.verdict == Verdict::Unresolved)
    difference.lost_power.push_back(fmt::format("{}: UNRESOLVED: {}", now.id, now.detail));
  else if (then.verdict == Verdict::Pass && now.detectable > kMuchWeaker * then.detectable)
    difference.lost_power.push_back(fmt::format("{}: could miss {:.2g} then, {:.2g} now", now.id,
                                                then.detectable, now.detectable));
  if (2 * now.comparisons < then.comparisons)
    difference.lost_coverage.push_back(fmt::format("{}: {} comparisons then, {} now", now.id,
                                                   grouped(then.comparisons),
                                                   grouped(now.comparisons)));
  if (now.seconds > kMuchSlower * then.seconds && now.seconds > then.seconds + kWorthMentioning)
    difference.slower.push_back(
        fmt::format("{}: {:.2f} s then, {:.2f} s now", now.id, then.seconds, now.seconds));
}

}  // namespace

Difference compare_runs(const std::vector<Record>& then, const std::vector<Record>& now,
                        const Gates& gates) {
  std::map<std::string_view, const Record*> known;
  for (const Record& record : then) known.emplace(record.id, &record);
  Difference difference;
  for (const Record& record : now) {
    const auto found = known.find(record.id);
    if (found != known.end()) {
      compare(*found->second, record, gates, difference);
      known.erase(found);
    } else if (colour_of(record, gates) == Colour::Red) {
      difference.new_reds.push_back(one_line(record));
    }
  }
  for (const Record& record : then)
    if (known.contains(record.id))
      difference.lost_coverage.push_back(record.id + ": not checked any more");
  return difference;
}

std::string text_of(const Difference& difference) {
  std::string text;
  const auto section = [&](const char* title, const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    text += fmt::format("{} ({})\n", title, lines.size());
    for (const std::string& line : lines) text += "  " + line + "\n";
  };
  section("new reds", difference.new_reds);
  section("lost power", difference.lost_power);
  section("lost coverage", difference.lost_coverage);
  section("slower", difference.slower);
  section("fixed", difference.fixed);
  return text.empty() ? "nothing is worse\n" : text;
}

int exit_code_of(const Difference& difference) {
  if (!difference.new_reds.empty()) return 1;
  return difference.lost_power.empty() ? 0 : 3;
}

}  // namespace notape::verify
