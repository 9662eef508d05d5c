#include "verify/report/diff.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "verify/report/summary.h"

namespace notape::verify {
namespace {

constexpr double kMuchWeaker = 2, kMuchSlower = 2, kWorthMentioning = 0.1;

using Known = std::map<std::string_view, const Record*>;

Known known_by_id(const std::vector<Record>& records) {
  Known known;
  for (const Record& record : records) known.emplace(record.id, &record);
  return known;
}

/// What became of the checks of one operator.
struct Coverage {
  std::vector<std::string> gone, fewer;               ///< ids
  int64_t comparisons_then = 0, comparisons_now = 0;  ///< of the ids with fewer
};

std::string checks(const std::vector<std::string>& ids) {
  return counted(static_cast<int64_t>(ids.size()), "check");
}

std::string gone_text(const std::string& op, const Coverage& coverage, bool is_there) {
  if (!is_there)
    return fmt::format("{}: not checked any more ({} then)", op, checks(coverage.gone));
  return fmt::format("{}: {} not made any more: {}", op, checks(coverage.gone),
                     fmt::join(coverage.gone, ", "));
}

std::string fewer_text(const std::string& op, const Coverage& coverage) {
  const bool single = coverage.fewer.size() == 1;
  return fmt::format("{}: {} then, {} now{}", single ? coverage.fewer[0] : op,
                     counted(coverage.comparisons_then, "comparison"),
                     grouped(coverage.comparisons_now),
                     single ? "" : ", in " + checks(coverage.fewer));
}

/// By operator, so that one that is gone, or a run with fewer samples, is no long list.
std::vector<std::string> lost_coverage(const std::vector<Record>& then,
                                       const std::vector<Record>& now, const Gates& gates) {
  const Known known = known_by_id(now);
  std::set<std::string_view> there;
  for (const Record& record : now) there.insert(record.op);
  std::vector<std::string> order;
  std::map<std::string, Coverage> operators;
  for (const Record& before : then) {
    if (operators.emplace(before.op, Coverage()).second) order.push_back(before.op);
    Coverage& coverage = operators[before.op];
    const auto found = known.find(before.id);
    if (found == known.end()) {
      coverage.gone.push_back(before.id);
      continue;
    }
    const Record& after = *found->second;
    // A red check ends early, and is reported elsewhere.
    if (colour_of(after, gates) == Colour::Red || 2 * after.comparisons >= before.comparisons)
      continue;
    coverage.fewer.push_back(before.id);
    coverage.comparisons_then += before.comparisons;
    coverage.comparisons_now += after.comparisons;
  }
  std::vector<std::string> lines;
  for (const std::string& op : order) {
    const Coverage& coverage = operators[op];
    if (!coverage.gone.empty()) lines.push_back(gone_text(op, coverage, there.contains(op)));
    if (!coverage.fewer.empty()) lines.push_back(fewer_text(op, coverage));
  }
  return lines;
}

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
  if (now.seconds > kMuchSlower * then.seconds && now.seconds > then.seconds + kWorthMentioning)
    difference.slower.push_back(
        fmt::format("{}: {:.2f} s then, {:.2f} s now", now.id, then.seconds, now.seconds));
}

}  // namespace

Difference compare_runs(const std::vector<Record>& then, const std::vector<Record>& now,
                        const Gates& gates) {
  const Known known = known_by_id(then);
  Difference difference;
  for (const Record& record : now) {
    const auto found = known.find(record.id);
    if (found != known.end())
      compare(*found->second, record, gates, difference);
    else if (colour_of(record, gates) == Colour::Red)
      difference.new_reds.push_back(one_line(record));
  }
  difference.lost_coverage = lost_coverage(then, now, gates);
  if (const std::string interruption = interruption_of(now); !interruption.empty())
    difference.lost_coverage.insert(difference.lost_coverage.begin(),
                                    "the later run was interrupted by " + interruption);
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
  if (!difference.lost_power.empty()) return 3;
  return difference.lost_coverage.empty() ? 0 : 5;
}

}  // namespace notape::verify
