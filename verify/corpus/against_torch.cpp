#include "verify/corpus/against_torch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "verify/corpus/against_torch_script.h"
#include "verify/processes/interruption.h"
#include "verify/processes/program.h"

namespace notape::verify::corpus {
namespace {

constexpr std::string_view kNoTorch = "exit(3)", kNoPython = "exit(127)";

struct Row {
  std::string name;
  int functions = 0, trials = 0, alarms = 0, wrong = 0, found = 0, missed = 0, silent = 0;
  double largest = 0, seconds = 0;
};

std::string line_of(const Row& row) {
  return fmt::format("{:<24} {:>9} {:>7} {:>7} {:>7} {:>7} {:>10} {:>7} {:>9} {:>8.1f}\n", row.name,
                     row.functions, row.trials, row.alarms, row.wrong, row.found, row.silent,
                     row.missed, row.missed ? fmt::format("{:.0e}", row.largest) : "-",
                     row.seconds);
}

nlohmann::ordered_json object_of(const Row& row) {
  return {
      {"name", row.name},           {"functions", row.functions}, {"trials", row.trials},
      {"false_alarms", row.alarms}, {"wrong_trials", row.wrong},  {"found", row.found},
      {"undecided", row.silent},    {"missed", row.missed},       {"largest_missed", row.largest},
      {"seconds", row.seconds}};
}

const EntryTally* find(const Calibration& calibration, const std::string& name) {
  for (const EntryTally& one : calibration.entries)
    if (one.entry->name == name) return &one;
  return nullptr;
}

/// What notape said of the same functions and mistakes; false alarms of both are of functions.
void add_own(Row& row, const EntryTally& own, const nlohmann::json& theirs) {
  ++row.functions;
  row.trials += own.trials;
  row.alarms += own.false_alarms;
  row.seconds += own.seconds;
  for (const MistakeTally& one : own.mistakes) {
    const auto same = [&](const nlohmann::json& other) {
      return other["name"] == one.mistake->name;
    };
    if (std::none_of(theirs["mistakes"].begin(), theirs["mistakes"].end(), same)) continue;
    row.wrong += one.wrong;
    row.found += one.found;
    row.silent += one.undecided + one.small;
    row.missed += one.missed;
    if (one.missed > 0) row.largest = std::max(row.largest, one.most);
  }
}

void add_theirs(Row& row, const nlohmann::json& theirs) {
  ++row.functions;
  row.trials += theirs["trials"].get<int>();
  row.alarms += theirs["false_alarms"].get<int>();
  row.seconds += theirs["seconds"].get<double>();
  for (const auto& one : theirs["mistakes"]) {
    row.wrong += one["wrong"].get<int>();
    row.found += one["found"].get<int>();
    row.missed += one["missed"].get<int>();
    row.largest = std::max(row.largest, one["largest_missed"].get<double>());
  }
}

}  // namespace

Comparison against_torch(const Calibration& calibration) {
  const char* given = std::getenv("NOTAPE_PYTHON");
  const std::string python = given ? given : "python3";
  const auto skipped = [](const std::string& why) -> Comparison {
    return {"\nagainst torch: skipped, " + why + "\n", ""};
  };
  std::vector<std::string> words = {python, "-c", kAgainstTorch};
  const CalibrationOptions& options = calibration.options;
  words.insert(words.end(), {"--seed", std::to_string(options.first_seed), "--seeds",
                             std::to_string(options.seeds)});
  for (const EntryTally& one : calibration.entries) words.push_back(one.entry->name);
  Program script(std::move(words));
  std::string answer;
  try {
    answer = script.output();
  } catch (const Interrupted& error) {
    return skipped(error.what());
  }
  const auto json = nlohmann::json::parse(answer, nullptr, /*allow_exceptions=*/false);
  if (script.end() == kNoTorch || script.end() == kNoPython)
    return skipped(python + " has no PyTorch (NOTAPE_PYTHON says which)");
  if (script.end() != "exit(0)" || !json.is_object())
    return skipped("the script ended with " + script.end());
  Row theirs{.name = fmt::format("torch {} gradcheck", json["torch"].get<std::string>())};
  Row own{.name = "notape verify"};
  for (const auto& one : json["entries"])
    if (const EntryTally* same = find(calibration, one["name"])) {
      add_theirs(theirs, one);
      add_own(own, *same, one);
    }
  if (theirs.functions == 0)
    return {"\nagainst torch: none of these functions is in the script\n", ""};
  const std::string head =
      fmt::format("\n{:<24} {:>9} {:>7} {:>7} {:>7} {:>7} {:>10} {:>7} {:>9} {:>8}\n",
                  "the same functions", "functions", "trials", "alarms", "wrong", "found",
                  "undecided", "missed", "largest", "seconds");
  nlohmann::ordered_json both = {object_of(theirs), object_of(own)};
  return {head + line_of(theirs) + line_of(own), both.dump()};
}

}  // namespace notape::verify::corpus
