// Which operators, kernels and calls take most time.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "trace/analysis/quantile.h"
#include "trace/report/sections.h"
#include "trace/report/words.h"

namespace notape::trace {
namespace {

constexpr std::size_t kTopRows = 15;

using ByName = std::map<std::string_view, std::vector<int64_t>>;

/// The names with the largest sums, by these.
FigureTable top_table(FigureTable table, const char* noun, ByName by_name) {
  struct Timed {
    std::string_view name;
    std::vector<int64_t> samples;
    int64_t sum = 0;
  };
  std::vector<Timed> order;
  int64_t all = 0;
  for (auto& [name, samples] : by_name) {
    Timed& one = order.emplace_back(Timed{name, std::move(samples)});
    for (const int64_t ns : one.samples) one.sum += ns;
    all += one.sum;
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const Timed& a, const Timed& b) { return a.sum > b.sum; });
  table.columns = {noun, "count", "time", "share", "median", "longest"};
  order.resize(std::min(order.size(), kTopRows));
  for (const Timed& one : order)
    table.rows.push_back(
        {name_cell(one.name), number_cell(count_words(std::ssize(one.samples))),
         number_cell(time_words(one.sum),
                     static_cast<double>(one.sum) /
                         static_cast<double>(std::max<int64_t>(1, order.front().sum))),
         number_cell(share_words(one.sum, all)), number_cell(time_words(median(one.samples))),
         number_cell(time_words(quantile(one.samples, 100)))});
  return table;
}

/// The table's first row as a finding, and the table.
void add(Section& section, const char* what, const char* of_what, FigureTable table) {
  if (table.rows.empty()) return;
  const std::vector<Cell>& top = table.rows.front();
  section.findings.push_back(
      {what, top[0].text,
       fmt::format("{} {}, {}", top[3].text.plain(), of_what, top[2].text.plain()), table.doubt});
  section.add(std::move(table));
}

/// One call that takes a twentieth of the time or more.
void add_longest_call(Section& section, const Facts& facts) {
  const ApiCall* longest = nullptr;
  facts.whole().each(facts.model().calls, [&](const ApiCall& call) {
    if (!longest || call.time.length() > longest->time.length()) longest = &call;
  });
  const int64_t all = facts.window().length();
  if (!longest || longest->time.length() < all / 20) return;
  const bool is_first_use = facts.causes().of(*longest) == IterationCause::FirstUse;
  section.findings.push_back(
      {"longest call", Sentence().name(facts.model().name(longest->name)),
       fmt::format("{}, {} of the time{}", time_words(longest->time.length()),
                   share_words(longest->time.length(), all),
                   is_first_use ? ": first use (module loading, inferred)" : ""),
       "", Tone::Warning});
}

}  // namespace

FigureTable call_table(const Facts& facts, FigureTable frame,
                       const std::function<bool(const ApiCall&)>& is_wanted) {
  ByName calls;
  facts.whole().each(facts.model().calls, [&](const ApiCall& call) {
    if (is_wanted(call)) calls[facts.model().name(call.name)].push_back(call.time.length());
  });
  return top_table(std::move(frame), "call", std::move(calls));
}

Section top_section(const Facts& facts) {
  const TraceModel& model = facts.model();
  Section section{.id = "top", .question = "Which operators, kernels and calls take most time?"};
  const DispatchTimes& times = facts.whole().file().dispatch_times();
  ByName ops, kernels;
  facts.whole().each(model.ops, [&](const HostOp& op) {
    ops[model.name(op.name)].push_back(times.host_self(model.place_of(op)));
  });
  if (facts.device())
    for (const GpuOp* op : facts.whole().gpu_ops(*facts.device()))
      kernels[model.name(op->name)].push_back(op->time.length());
  add(section, "operator", "of the operators' own time on the host",
      top_table({.id = "tab-ops",
                 .title = "Operators by their own time on the host",
                 .definition = "def-top",
                 .doubt = facts.whole().doubts(kNeedsOps | kNeedsNoStacks)},
                "operator", std::move(ops)));
  add(section, "on the device", "of its time",
      top_table({.id = "tab-kernels",
                 .title = "Kernels, copies and fills by time on the device",
                 .definition = "def-top",
                 .doubt = facts.whole().doubts(kNeedsGpu)},
                "on the device", std::move(kernels)));
  add(section, "API call", "of the time in such calls",
      call_table(facts, {.id = "tab-calls", .title = "API calls by time", .definition = "def-top"},
                 [](const ApiCall&) { return true; }));
  add_longest_call(section, facts);
  if (section.tables.empty())
    section.say(Tone::Plain, "The file has no operators, no device operations, and no API calls.");
  else
    section.definitions.push_back(
        {"def-top", "Most time",
         "Sums over all that the page is about. An operator's own time is without the operators "
         "and API calls inside it. Device times of several streams add up, also where they "
         "overlap; so do those of calls on several threads."});
  return section;
}

}  // namespace notape::trace
