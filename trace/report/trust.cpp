// Is the file trustworthy: what `trace check` says.
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
  constexpr std::pair<const char*, const char*> kRows[] = {
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
  for (const auto& [metric, label] : kRows)
    if (const Value& value = report[metric].value; !value.is_nothing())
      table.rows.push_back({text_cell(label), number_cell(value_words(value))});
  return table;
}

}  // namespace

Section trust_section(const Facts& facts) {
  const TraceModel& model = facts.model();
  const Report report = check(facts.whole());
  Section section{.id = "trust", .question = "Is the file trustworthy?"};
  const auto anomalies = static_cast<int64_t>(report.anomalies.size());
  if (model.counts.events == 0)
    section.say(Tone::Bad, "The file has no events.");
  else
    section.findings.push_back({"faults of the file", count_words(anomalies),
                                anomalies ? "" : "its events fit each other", "",
                                anomalies ? Tone::Bad : Tone::Good});
  for (const std::string& anomaly : report.anomalies)
    section.say(Tone::Bad, "Fault: " + anomaly + ".");
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
  section.add(row_counts(report));
  section.definitions = {
      {"def-rows", "What the file has",
       "Rows as they were read. A device operation is linked if an API call has its correlation. "
       "Annotations that pose as operators are not counted as such."}};
  FigureTable doubts = table_of(
      {.id = "tab-doubts", .title = "Figures that are not reliable", .definition = "def-doubts"},
      report.find_table("metrics"), {{"figures about", 0, Look::Words}, {"reason", 2, Look::Words}},
      [](const std::vector<Value>& row) { return row[1] == Value("no"); });
  if (doubts.rows.empty()) return section;
  if (model.counts.events > 0)
    section.findings.push_back({"unreliable kinds of figures",
                                count_words(static_cast<int64_t>(doubts.rows.size())),
                                "the reasons stand beside them", "", Tone::Warning});
  section.add(std::move(doubts));
  section.definitions.push_back(
      {"def-doubts", "Figures that are not reliable",
       "Figures need things of a file: device rows, links to launch calls, step marks, time stamps "
       "finer than a us, no recorded stacks. What needs a thing that is missing is not shown, or "
       "shown with the reason not to rely on it."});
  return section;
}

}  // namespace notape::trace
