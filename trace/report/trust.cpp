// Is the file trustworthy: what `trace check` says, in sentences.
#include <fmt/format.h>

#include "trace/analysis/analyses.h"
#include "trace/report/sections.h"
#include "trace/report/words.h"

namespace notape::trace {
namespace {

FigureTable row_counts(const Report& report) {
  FigureTable table{.id = "tab-rows",
                    .title = "What the file has",
                    .definition = "def-rows",
                    .columns = {"rows", "count"}};
  const std::pair<const char*, const char*> kRows[] = {
      {"check.events", "events"},
      {"check.cpu_ops", "operators on the host"},
      {"check.api_calls", "calls of the CUDA runtime or driver"},
      {"check.kernels", "kernels"},
      {"check.copies", "copies"},
      {"check.fills", "fills"},
      {"check.linked", "device operations with their launch call"},
      {"check.unlinked", "device operations without"},
      {"check.syncs", "synchronisation rows"},
      {"check.memory_events", "changes of allocated memory"},
      {"check.steps", "steps"},
      {"check.threads", "host threads"},
  };
  for (const auto& [metric, label] : kRows) {
    const Value& value = report[metric].value;
    if (value.is_nothing()) continue;
    table.rows.push_back({text_cell(label), number_cell(count_words(value.count()))});
  }
  return table;
}

/// The metrics that are not reliable, and why.
FigureTable doubtful_metrics(const Report& report) {
  FigureTable table{.id = "tab-doubts",
                    .title = "What the file is no evidence for",
                    .definition = "def-doubts",
                    .columns = {"figures about", "reason"}};
  for (const std::vector<Value>& row : report.table("metrics").rows)
    if (row[1] == Value("no"))
      table.rows.push_back({text_cell(row[0].text()), text_cell(row[2].text())});
  return table;
}

}  // namespace

Section trust_section(const Facts& facts) {
  const TraceModel& model = facts.model();
  const Report report = check(facts.whole());
  Section section{.id = "trust", .question = "Is the file trustworthy?"};
  const std::size_t anomalies = report.anomalies.size();
  if (model.counts.events == 0) {
    section.say(Tone::Bad, "The file has no events: there is nothing to report about.");
  } else if (anomalies == 0) {
    section.say(Tone::Good,
                fmt::format("Nothing is wrong with the file: its {} fit each other.",
                            count_words(static_cast<int64_t>(model.counts.events), "event")));
  } else {
    section.say(Tone::Bad, fmt::format("The file has {}.",
                                       count_words(static_cast<int64_t>(anomalies), "fault")));
  }
  for (const std::string& anomaly : report.anomalies)
    section.say(Tone::Bad, "Fault: " + anomaly + ".");
  FigureTable doubts = doubtful_metrics(report);
  if (!doubts.rows.empty() && model.counts.events > 0)
    section.say(
        Tone::Warning,
        fmt::format("{} of {} kinds of figures are not reliable with this file; the reasons "
                    "stand beside them.",
                    doubts.rows.size(), report.table("metrics").rows.size()));
  for (const std::string& note : report.notes) section.say(Tone::Plain, "Note: " + note + ".");
  if (model.processes_of_file > 1)
    section.say(Tone::Plain,
                fmt::format("The file has {} processes; this page is about process {}, the one "
                            "with most operations unless it was chosen (--process, --rank).",
                            model.processes_of_file, model.process_name(0)));
  if (const std::size_t devices = model.devices().size(); devices > 1)
    section.say(Tone::Plain,
                fmt::format("The file has {} devices; this page is about device {}{}.", devices,
                            *facts.device(),
                            facts.is_of_chosen_device() ? "" : ", which has most operations"));
  section.tables.push_back(row_counts(report));
  if (!doubts.rows.empty()) section.tables.push_back(std::move(doubts));
  section.definitions = {
      {"def-rows", "What the file has",
       "Rows as they were read. A device operation is linked if an API call has its correlation. "
       "Annotations that pose as operators are not counted as such."},
      {"def-doubts", "What the file is no evidence for",
       "Figures need things of a file: device rows, links to launch calls, step marks, time stamps "
       "finer than a us, no recorded stacks. What needs a thing that is missing is not shown, or "
       "shown with the reason not to rely on it."}};
  return section;
}

}  // namespace notape::trace
