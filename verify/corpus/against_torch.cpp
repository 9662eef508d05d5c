#include "verify/corpus/against_torch.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "verify/corpus/against_torch_script.h"

namespace notape::verify::corpus {
namespace {

constexpr int kNoTorch = 3, kNoPython = 127;

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

/// A file that is gone with its object.
class Script {
 public:
  Script() {
    std::string name =
        (std::filesystem::temp_directory_path() / "notape-against-torch-").string() + "XXXXXX";
    const int file = ::mkstemp(name.data());
    if (file < 0) return;
    ::close(file);
    path_ = name;
    std::ofstream(path_) << kAgainstTorch;
  }
  ~Script() {
    if (!path_.empty()) std::remove(path_.c_str());
  }
  Script(const Script&) = delete;
  Script& operator=(const Script&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct Answer {
  int status = -1;
  std::string text;
};

Answer ask(const std::string& command) {
  Answer answer;
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (!pipe) return answer;
  std::array<char, 4096> buffer{};
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe))
    answer.text.append(buffer.data(), count);
  const int status = ::pclose(pipe);
  if (WIFEXITED(status)) answer.status = WEXITSTATUS(status);
  return answer;
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
  const Script script;
  const char* python = std::getenv("NOTAPE_PYTHON");
  std::string command =
      fmt::format("'{}' '{}' --seed {} --seeds {}", python ? python : "python3", script.path(),
                  calibration.options.first_seed, calibration.options.seeds);
  for (const EntryTally& one : calibration.entries)
    command += fmt::format(" '{}'", one.entry->name);
  const Answer answer = ask(command);
  if (answer.status == kNoTorch || answer.status == kNoPython)
    return {fmt::format("\nagainst torch: skipped, {} has no PyTorch (NOTAPE_PYTHON says which)\n",
                        python ? python : "python3"),
            ""};
  const auto json = nlohmann::json::parse(answer.text, nullptr, /*allow_exceptions=*/false);
  if (answer.status != 0 || !json.is_object())
    return {fmt::format("\nagainst torch: skipped, the script ended with {}\n", answer.status), ""};
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
