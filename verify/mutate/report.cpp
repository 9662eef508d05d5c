#include "verify/mutate/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "ops/spec/without_tails.h"
#include "verify/mutate/specimens.h"
#include "verify/numeric/number_text.h"
#include "verify/report/environment.h"
#include "verify/report/row_json.h"

namespace notape::verify::mutate {
namespace {

struct Row {
  int64_t killed = 0, survived = 0, otherwise = 0, harmless = 0, absent = 0;
  int most_cases = 0;
  double seconds = 0;
  std::set<std::string> other_legs;

  void add(const Cell& cell) {
    seconds += cell.seconds;
    killed += cell.fate == Fate::Killed;
    survived += cell.fate == Fate::Survived;
    harmless += cell.fate == Fate::Equivalent;
    absent += cell.fate == Fate::NotApplicable;
    if (cell.fate != Fate::Killed) return;
    most_cases = std::max(most_cases, cell.cases);
    if (cell.as_meant) return;
    ++otherwise;
    other_legs.insert(cell.leg);
  }
};

using ByMutant = std::vector<std::pair<const Mutant*, Row>>;

ByMutant by_mutant(const KillMatrix& matrix) {
  ByMutant rows;
  for (const Cell& cell : matrix.cells) {
    auto found = std::find_if(rows.begin(), rows.end(),
                              [&](const auto& row) { return row.first == cell.mutant; });
    if (found == rows.end()) found = rows.insert(rows.end(), {cell.mutant, {}});
    found->second.add(cell);
  }
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return std::string_view(a.first->id) < b.first->id;
  });
  return rows;
}

std::map<std::string, Row> by_operator(const KillMatrix& matrix) {
  std::map<std::string, Row> rows;
  for (const Cell& cell : matrix.cells) rows[cell.spec->name].add(cell);
  return rows;
}

std::string joined(const std::set<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string replay_of(const Cell& cell) {
  return fmt::format("notape verify mutate '{}' {}", cell.spec->name, cell.mutant->id);
}

std::string survivor_text(const Cell& cell) {
  return fmt::format("SURVIVED {} in {}: {}\n    again: {}\n", cell.mutant->id, cell.spec->name,
                     cell.mutant->what, replay_of(cell));
}

std::string row_text(const Mutant& mutant, const Row& row) {
  std::string line =
      fmt::format("{:<5} {:<47} {:<12} {:>5} {:>6} {:>8} {:>8} {:>5} {:>7.2f}", mutant.id,
                  mutant.what, mutant.leg, row.killed + row.survived, row.killed, row.survived,
                  row.harmless, row.most_cases, row.seconds);
  if (row.otherwise > 0)
    line += fmt::format("  {} only by {}", row.otherwise, joined(row.other_legs));
  return line + "\n";
}

std::string summary_text(const KillMatrix& matrix) {
  const int64_t baseline =
      std::count_if(matrix.cells.begin(), matrix.cells.end(), [](const Cell& cell) {
        return cell.mutant->baseline && (cell.fate == Fate::Killed || cell.fate == Fate::Survived);
      });
  return fmt::format(
      "{} of {} wrong pairs killed: score {:.4f}; {} pairs are no mistake, {} have no place for "
      "it\nbaseline: {} of {} pairs; false alarms: {} in {} of {}; {:.1f} s "
      "of processor time, "
      "seed {}\n",
      matrix.killed(), matrix.wrong(), matrix.score(), matrix.count(Fate::Equivalent),
      matrix.count(Fate::NotApplicable),
      baseline - std::count_if(matrix.cells.begin(), matrix.cells.end(),
                               [](const Cell& cell) {
                                 return cell.mutant->baseline && cell.fate == Fate::Survived;
                               }),
      baseline, matrix.false_alarms.size(), counted(matrix.right_cases, "case"),
      counted(matrix.right_operators, "right operator"), matrix.seconds, matrix.options.seed);
}

}  // namespace

std::string matrix_text(const KillMatrix& matrix) {
  std::string text =
      fmt::format("{:<5} {:<47} {:<12} {:>5} {:>6} {:>8} {:>8} {:>5} {:>7}\n", "id", "mistake",
                  "meant leg", "wrong", "killed", "survived", "harmless", "cases", "seconds");
  std::string absent;
  for (const auto& [mutant, row] : by_mutant(matrix))
    if (row.killed + row.survived + row.harmless > 0)
      text += row_text(*mutant, row);
    else
      absent += fmt::format(" {}", mutant->id);
  for (const LibraryCell& cell : matrix.library)
    text += fmt::format("{:<5} {:<47} {:<12} {:>5} {:>6} {:>8} {:>8} {:>5} {:>7.2f}\n",
                        cell.fault->id, cell.fault->what, "alias", 1, int{cell.killed},
                        int{!cell.killed}, 0, cell.programs, cell.seconds);
  for (const LeftOut& one : left_out())
    text += fmt::format("{:<5} {:<47} not planted: {}\n", one.id, one.what, one.why);
  if (!absent.empty()) text += "no place here for:" + absent + "\n";
  text += "\n";
  for (const auto& [name, row] : by_operator(matrix))
    if (row.survived > 0)
      text += fmt::format("{}: {} of {} killed\n", name, row.killed, row.killed + row.survived);
  for (const Cell& cell : matrix.cells)
    if (cell.fate == Fate::Survived) text += survivor_text(cell);
  for (const LibraryCell& cell : matrix.library)
    if (!cell.killed) text += fmt::format("SURVIVED {}: {}\n", cell.fault->id, cell.fault->what);
  for (const FalseAlarm& alarm : matrix.false_alarms)
    text += fmt::format("FALSE ALARM: {} of {} in {}, case {}: {}\n", alarm.check, alarm.spec->name,
                        name_of(alarm.dtype), case_of(alarm).on_command_line(), alarm.message);
  for (const Ended& ended : matrix.crashes)
    text += fmt::format("CRASH of {} in {}: {}\n    again: notape verify mutate '{}' {}\n",
                        ended.mutant.empty() ? "no mistake" : ended.mutant, ended.where, ended.how,
                        ended.where, ended.mutant);
  if (!matrix.interrupted.empty())
    text += fmt::format("interrupted by {}; what follows is of these\n", matrix.interrupted);
  return text + summary_text(matrix);
}

SavedCase case_of(const FalseAlarm& alarm) {
  return saved_case_of({.spec = alarm.spec, .check = alarm.check.c_str(), .dtype = alarm.dtype},
                       alarm.code);
}

std::string mutant_list(const std::vector<const Mutant*>& mutants) {
  std::string text = fmt::format("{:<5} {:<50} {:<12} {}\n", "id", "mistake", "meant leg", "needs");
  for (const Mutant* mutant : mutants)
    text += fmt::format("{:<5} {:<50} {:<12} {}{}\n", mutant->id, mutant->what, mutant->leg,
                        mutant->needs, mutant->baseline ? " (baseline)" : "");
  for (const LibraryFault& fault : library_faults())
    text += fmt::format("{:<5} {:<50} {:<12}\n", fault.id, fault.what, "alias");
  for (const LeftOut& one : left_out())
    text += fmt::format("{:<5} {:<50} not planted: {}\n", one.id, one.what, one.why);
  for (const OpSpec* one : specimens())
    if (const WithoutTails* without = without_tails(one->name))
      text += fmt::format("the specimen '{}' is not held to its last places: it {}\n", one->name,
                          without->reason);
  return text + fmt::format("{} mutants\n", mutants.size() + library_faults().size());
}

std::string matrix_json(const KillMatrix& matrix) {
  using Json = nlohmann::ordered_json;
  Json json = {{"schema", "notape.mutation/1"},
               {"cpu", value_of(environment(), "cpu")},
               {"compiler", __VERSION__},
               {"seed", matrix.options.seed},
               {"samples", matrix.options.samples},
               {"score", matrix.score()},
               {"killed", matrix.killed()},
               {"wrong", matrix.wrong()},
               {"harmless", matrix.count(Fate::Equivalent)},
               {"not_applicable", matrix.count(Fate::NotApplicable)},
               {"baseline_complete", matrix.baseline_is_complete()},
               {"false_alarms", matrix.false_alarms.size()},
               {"right_operators", matrix.right_operators},
               {"right_cases", matrix.right_cases},
               {"seconds", matrix.seconds}};
  if (!matrix.interrupted.empty()) json["interrupted"] = matrix.interrupted;
  json["mutants"] = Json::array();
  for (const auto& [mutant, row] : by_mutant(matrix)) {
    Json one = {{"id", mutant->id},
                {"what", mutant->what},
                {"leg", mutant->leg},
                {"baseline", mutant->baseline},
                {"wrong", row.killed + row.survived},
                {"killed", row.killed},
                {"survived", row.survived},
                {"only_by_other_legs", row.otherwise},
                {"harmless", row.harmless},
                {"most_cases", row.most_cases},
                {"seconds", row.seconds}};
    for (const Cell& cell : matrix.cells) {
      if (cell.mutant != mutant) continue;
      if (cell.fate == Fate::Killed) one["killed_by"][cell.leg].push_back(cell.spec->name);
      if (cell.fate == Fate::Equivalent) one["harmless_in"].push_back(cell.spec->name);
    }
    if (row.harmless > 0) one["harmless_because"] = mutant->harmless;
    json["mutants"].push_back(std::move(one));
  }
  for (const LibraryCell& cell : matrix.library)
    json["library"].push_back({{"id", cell.fault->id},
                               {"what", cell.fault->what},
                               {"killed", cell.killed},
                               {"programs", cell.programs},
                               {"seconds", cell.seconds}});
  for (const LeftOut& one : left_out())
    json["left_out"].push_back({{"id", one.id}, {"what", one.what}, {"why", one.why}});
  for (const auto& [name, row] : by_operator(matrix))
    json["operators"][name] = {{"wrong", row.killed + row.survived}, {"killed", row.killed}};
  for (const Ended& ended : matrix.crashes)
    json["crashes"].push_back(
        {{"id", ended.mutant}, {"operator", ended.where}, {"how", ended.how}});
  json["survivors"] = Json::array();
  for (const Cell& cell : matrix.cells)
    if (cell.fate == Fate::Survived)
      json["survivors"].push_back(
          {{"id", cell.mutant->id}, {"operator", cell.spec->name}, {"cases", cell.cases}});
  return row_json(json);
}

}  // namespace notape::verify::mutate
