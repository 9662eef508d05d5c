#include "trace/analysis/by_process.h"

#include <algorithm>
#include <exception>
#include <map>

#include "autograd/error.h"

namespace notape::trace {
namespace {

struct Answer {
  std::string process;
  Report report;
};

/// A line that all have stands once.
void add_lines(std::vector<std::string>& lines, const std::vector<Answer>& answers,
               std::vector<std::string> Report::*member) {
  std::map<std::string_view, std::size_t> count;
  for (const Answer& answer : answers)
    for (const std::string& line : answer.report.*member) ++count[line];
  for (const Answer& answer : answers)
    for (const std::string& line : answer.report.*member) {
      if (count[line] < answers.size())
        lines.push_back("process " + answer.process + ": " + line);
      else if (&answer == &answers.front())
        lines.push_back(line);
    }
}

Table across(const std::vector<Metric>& metrics) {
  Table table{
      "across processes",
      {"metric", "of", "unit", "n", "lowest", "lowest in", "median", "highest", "highest in"},
      {}};
  std::map<std::pair<std::string, std::string>, std::vector<const Metric*>> alike;
  for (const Metric& metric : metrics)
    if (!metric.value.is_nothing() && !metric.value.is_text())
      alike[{metric.name, metric.window.kind == "file" ? "" : metric.window.name}].push_back(
          &metric);
  for (const Metric& metric : metrics) {  // in their order
    const auto found =
        alike.find({metric.name, metric.window.kind == "file" ? "" : metric.window.name});
    if (found == alike.end()) continue;
    std::vector<const Metric*> values = std::move(found->second);
    std::stable_sort(values.begin(), values.end(), [](const Metric* a, const Metric* b) {
      return a->value.number() < b->value.number();
    });
    const auto where = [](const Metric* of) {
      return of->process + (of->device ? ", device " + std::to_string(*of->device) : "");
    };
    table.rows.push_back({found->first.first, found->first.second, metric.unit, values.size(),
                          values.front()->value, where(values.front()),
                          values[std::min(values.size() - 1, values.size() / 2)]->value,
                          values.back()->value, where(values.back())});
    alike.erase(found);
  }
  return table;
}

}  // namespace

Report by_process(const TraceModel& model,
                  const std::function<Report(const TraceModel&)>& question) {
  if (!model.is_of_several()) return question(model);
  std::vector<Answer> answers;
  std::exception_ptr first_refusal;
  Report all;
  for (const TraceModel& part : of_processes(model)) try {
      answers.push_back({part.process_name(0), question(part)});
    } catch (const ValueError& refusal) {
      if (!first_refusal) first_refusal = std::current_exception();
      all.notes.push_back(refusal.what_without_backtrace());
    }
  if (answers.empty()) std::rethrow_exception(first_refusal);
  all.title = answers.front().report.title;
  const std::string own = " (process " + answers.front().process + ")";
  if (all.title.ends_with(own)) all.title.resize(all.title.size() - own.size());
  all.title += ", " + std::to_string(answers.size()) + " processes";
  for (Answer& answer : answers) {
    for (Metric metric : answer.report.metrics) {
      metric.process = answer.process;
      all.metrics.push_back(std::move(metric));
    }
    for (Table table : answer.report.tables) {
      table.name += ", process " + answer.process;
      all.tables.push_back(std::move(table));
    }
  }
  all.tables.insert(all.tables.begin(), across(all.metrics));
  add_lines(all.notes, answers, &Report::notes);
  add_lines(all.anomalies, answers, &Report::anomalies);
  return all;
}

}  // namespace notape::trace
