#include "trace/write/summary.h"

#include <fmt/ostream.h>

#include <algorithm>
#include <map>

namespace notape::trace {
namespace {

constexpr const char* kKindNames[] = {"operator", "backward", "range", "step"};

const char* kind_name(EventKind kind) { return kKindNames[static_cast<int>(kind)]; }

bool is_inside_its_like(const Timeline& timeline, const Slice& slice) {
  for (int64_t outer = slice.parent; outer >= 0;) {
    const Slice& parent = timeline.slices[static_cast<std::size_t>(outer)];
    if (parent.kind == slice.kind && std::string_view(parent.name) == slice.name) return true;
    outer = parent.parent;
  }
  return false;
}

int64_t median_of(std::vector<int64_t>& numbers) {
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  return numbers.size() % 2 == 1 ? *middle
                                 : (*middle + *std::max_element(numbers.begin(), middle)) / 2;
}

double microseconds(int64_t ns) { return static_cast<double>(ns) * 1e-3; }

}  // namespace

std::vector<SummaryRow> summarize(const Timeline& timeline) {
  struct Calls {
    SummaryRow row;
    std::vector<int64_t> self_ns;
  };
  std::map<std::pair<EventKind, std::string_view>, Calls> by_name;
  for (const Slice& slice : timeline.slices) {
    if (slice.kind == EventKind::Step) continue;
    auto [place, is_new] = by_name.try_emplace({slice.kind, slice.name});
    auto& [row, calls_ns] = place->second;
    if (is_new) row = {slice.kind, slice.name};
    calls_ns.push_back(slice.self_ns());
    ++row.calls;
    row.self_ns += slice.self_ns();
    if (!is_inside_its_like(timeline, slice)) row.total_ns += slice.duration_ns();
  }
  std::vector<SummaryRow> result;
  for (auto& [key, calls] : by_name) {
    calls.row.median_ns = median_of(calls.self_ns);
    result.push_back(std::move(calls.row));
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const SummaryRow& a, const SummaryRow& b) { return a.self_ns > b.self_ns; });
  return result;
}

void print_summary(std::ostream& out, const Recording& recording, const Timeline& timeline,
                   std::size_t rows) {
  const std::vector<SummaryRow> all = summarize(timeline);
  int64_t self_ns = 0;
  for (const SummaryRow& row : all) self_ns += row.self_ns;
  fmt::print(out, "{:<32} {:<8} {:>7} {:>11} {:>6} {:>11} {:>9} {:>9}\n", "name", "kind", "calls",
             "self us", "self %", "total us", "self mean", "median");
  for (std::size_t i = 0; i < std::min(rows, all.size()); ++i) {
    const SummaryRow& row = all[i];
    fmt::print(
        out, "{:<32} {:<8} {:>7} {:>11.3f} {:>6.1f} {:>11.3f} {:>9.3f} {:>9.3f}\n", row.name,
        kind_name(row.kind), row.calls, microseconds(row.self_ns),
        self_ns ? 100.0 * static_cast<double>(row.self_ns) / static_cast<double>(self_ns) : 0.0,
        microseconds(row.total_ns), microseconds(row.self_ns) / static_cast<double>(row.calls),
        microseconds(row.median_ns));
  }
  if (all.size() > rows) fmt::print(out, "... and {} more\n", all.size() - rows);
  fmt::print(out, "{} events on {} thread{} in {:.3f} ms; {} dropped, {} unfinished\n",
             recording.events(), timeline.threads.size(), timeline.threads.size() == 1 ? "" : "s",
             microseconds(recording.stopped.monotonic_ns - recording.started.monotonic_ns) * 1e-3,
             recording.dropped(), timeline.unfinished);
  fmt::print(out, "recording cost about {:.0f} ns per operator, {:.0f} ns per backward node\n",
             recording.cost.operation_ns, recording.cost.node_ns);
}

}  // namespace notape::trace
