#include "trace/summary.h"

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

double microseconds(int64_t ns) { return static_cast<double>(ns) * 1e-3; }

}  // namespace

std::vector<SummaryRow> summarize(const Timeline& timeline) {
  std::map<std::pair<EventKind, std::string_view>, SummaryRow> rows;
  for (const Slice& slice : timeline.slices) {
    if (slice.kind == EventKind::Step) continue;
    auto [place, is_new] = rows.try_emplace({slice.kind, slice.name});
    SummaryRow& row = place->second;
    if (is_new) row = {slice.kind, slice.name};
    ++row.calls;
    row.self_ns += slice.self_ns();
    if (!is_inside_its_like(timeline, slice)) row.total_ns += slice.duration_ns();
  }
  std::vector<SummaryRow> result;
  for (auto& [key, row] : rows) result.push_back(std::move(row));
  std::stable_sort(result.begin(), result.end(),
                   [](const SummaryRow& a, const SummaryRow& b) { return a.self_ns > b.self_ns; });
  return result;
}

void print_summary(std::ostream& out, const Recording& recording, const Timeline& timeline,
                   std::size_t rows) {
  const std::vector<SummaryRow> all = summarize(timeline);
  int64_t self_ns = 0;
  for (const SummaryRow& row : all) self_ns += row.self_ns;
  fmt::print(out, "{:<32} {:<9} {:>9} {:>12} {:>7} {:>12} {:>10}\n", "name", "kind", "calls",
             "self us", "self %", "total us", "self/call");
  for (std::size_t i = 0; i < std::min(rows, all.size()); ++i) {
    const SummaryRow& row = all[i];
    fmt::print(
        out, "{:<32} {:<9} {:>9} {:>12.3f} {:>7.1f} {:>12.3f} {:>10.3f}\n", row.name,
        kind_name(row.kind), row.calls, microseconds(row.self_ns),
        self_ns ? 100.0 * static_cast<double>(row.self_ns) / static_cast<double>(self_ns) : 0.0,
        microseconds(row.total_ns), microseconds(row.self_ns) / static_cast<double>(row.calls));
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
