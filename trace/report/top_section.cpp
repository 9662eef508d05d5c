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

struct Timed {
  std::string_view name;
  std::vector<int64_t> samples = {};
  int64_t sum = 0;
};

using ByName = std::map<std::string_view, std::vector<int64_t>>;

/// By the sum of the samples, largest first.
std::vector<Timed> ordered(ByName by_name) {
  std::vector<Timed> order;
  for (auto& [name, samples] : by_name) {
    Timed one{name, std::move(samples)};
    for (const int64_t ns : one.samples) one.sum += ns;
    if (!one.samples.empty()) order.push_back(std::move(one));
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const Timed& a, const Timed& b) { return a.sum > b.sum; });
  return order;
}

int64_t sum_of_all(const std::vector<Timed>& order) {
  int64_t sum = 0;
  for (const Timed& one : order) sum += one.sum;
  return sum;
}

void add_table(Section& section, const std::vector<Timed>& order, FigureTable table,
               const char* noun) {
  if (order.empty()) return;
  const int64_t all = sum_of_all(order);
  table.columns = {noun, "count", "time", "share", "median", "longest"};
  const auto first = static_cast<double>(std::max<int64_t>(1, order.front().sum));
  for (std::size_t i = 0; i < std::min(order.size(), kTopRows); ++i) {
    const Timed& one = order[i];
    table.rows.push_back(
        {name_cell(one.name), number_cell(count_words(static_cast<int64_t>(one.samples.size()))),
         number_cell(time_words(one.sum), static_cast<double>(one.sum) / first),
         number_cell(share_words(one.sum, all)), number_cell(time_words(median(one.samples))),
         number_cell(time_words(quantile(one.samples, 100)))});
  }
  section.tables.push_back(std::move(table));
}

/// "`aten::conv2d` takes most of the operators' own time on the host: 31 % of it in 636 calls."
void say_top(Section& section, const std::vector<Timed>& order, const std::string& of_what,
             const std::string& doubt) {
  if (order.empty() || order.front().sum == 0) return;
  const Timed& top = order.front();
  Sentence text = Sentence().name(top.name);
  text << fmt::format(" takes most {}: {}, {}, in {}{}.", of_what,
                      share_words(top.sum, sum_of_all(order)), time_words(top.sum),
                      count_words(static_cast<int64_t>(top.samples.size()), "run"),
                      doubt_words(doubt));
  section.say(Tone::Plain, std::move(text));
}

/// One call that takes a twentieth of the time or more.
void say_longest_call(Section& section, const Facts& facts) {
  const TraceModel& model = facts.model();
  const ApiCall* longest = nullptr;
  facts.whole().each(model.calls, [&](const ApiCall& call) {
    if (!longest || call.time.length() > longest->time.length()) longest = &call;
  });
  const int64_t all = facts.window().length();
  if (!longest || longest->time.length() < all / 20) return;
  Sentence text("One call of ");
  text.name(model.name(longest->name)) << fmt::format(
      " alone took {}, {} of the {}{}.", time_words(longest->time.length()),
      share_words(longest->time.length(), all), facts.is_of_steps() ? "selected steps" : "file",
      facts.causes().of(*longest) == IterationCause::FirstUse
          ? ": first use (module loading, inferred)"
          : "");
  section.say(Tone::Warning, std::move(text));
}

}  // namespace

Section top_section(const Facts& facts) {
  const TraceModel& model = facts.model();
  Section section{.id = "top", .question = "Which operators, kernels and calls take most time?"};
  const DispatchTimes& times = facts.whole().file().dispatch_times();
  ByName ops, kernels, calls;
  facts.whole().each(model.ops, [&](const HostOp& op) {
    ops[model.name(op.name)].push_back(times.host_self(model.place_of(op)));
  });
  if (facts.device())
    for (const GpuOp* op : facts.whole().gpu_ops(*facts.device()))
      kernels[model.name(op->name)].push_back(op->time.length());
  facts.whole().each(model.calls, [&](const ApiCall& call) {
    calls[model.name(call.name)].push_back(call.time.length());
  });
  const std::vector<Timed> top_ops = ordered(std::move(ops)),
                           top_kernels = ordered(std::move(kernels)),
                           top_calls = ordered(std::move(calls));
  if (top_ops.empty() && top_kernels.empty() && top_calls.empty())
    section.say(Tone::Plain, "The file has no operators, no device operations, and no API calls.");
  const std::string op_doubt = facts.whole().doubts(kNeedsOps | kNeedsNoStacks);
  const std::string gpu_doubt = facts.whole().doubts(kNeedsGpu);
  say_top(section, top_ops, "of the operators' own time on the host", op_doubt);
  say_top(section, top_kernels, "of the device's time", gpu_doubt);
  say_top(section, top_calls, "of the time in API calls", "");
  say_longest_call(section, facts);
  if (section.findings.empty()) section.say(Tone::Plain, "None of them takes any time.");
  add_table(section, top_ops,
            {.id = "tab-ops",
             .title = "Operators by their own time on the host",
             .definition = "def-top",
             .doubt = op_doubt},
            "operator");
  add_table(section, top_kernels,
            {.id = "tab-kernels",
             .title = "Kernels, copies and fills by time on the device",
             .definition = "def-top",
             .doubt = gpu_doubt},
            "on the device");
  add_table(section, top_calls,
            {.id = "tab-calls", .title = "API calls by time", .definition = "def-top"}, "call");
  if (!section.tables.empty())
    section.definitions.push_back(
        {"def-top", "Most time",
         "Sums over all that the page is about. An operator's own time is without the operators "
         "and API calls "
         "inside it. Device times of several streams add up, also where they overlap; so do those "
         "of calls on several threads."});
  return section;
}

}  // namespace notape::trace
