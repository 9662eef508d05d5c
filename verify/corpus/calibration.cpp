#include "verify/corpus/calibration.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <chrono>

#include "verify/corpus/distance.h"
#include "verify/processes/interruption.h"
#include "verify/processes/packed.h"
#include "verify/processes/shards.h"
#include "verify/runner/selector.h"

namespace notape::verify::corpus {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Trial, checks, unresolved, red, proven, stated, distance,
                                   seconds, text)

namespace {

using What = Violation::What;

bool matches(const std::string& pattern, const std::string& name) {
  return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

/// One entry at one seed.
struct Task {
  std::size_t chosen;
  uint64_t seed;
};

std::vector<Task> tasks_of(const std::vector<Chosen>& chosen, const CalibrationOptions& options) {
  std::vector<Task> tasks;
  for (int i = 0; i < options.seeds; ++i)
    for (std::size_t one = 0; one < chosen.size(); ++one)
      tasks.push_back({one, options.first_seed + static_cast<uint64_t>(i)});
  return tasks;
}

/// The right function first, if it is wanted.
std::vector<Trial> run_task(const Chosen& chosen, uint64_t seed, ToParent& parent) {
  std::vector<Trial> trials;
  const auto add = [&](const Mistake* mistake) {
    parent.note(mistake ? mistake->name : "right");
    trials.push_back(try_out(*chosen.entry, mistake, seed));
  };
  if (chosen.right) add(nullptr);
  for (const Mistake* mistake : chosen.mistakes) add(mistake);
  return trials;
}

class Tally {
 public:
  Tally(const std::vector<Chosen>& chosen, const CalibrationOptions& options) : chosen_(chosen) {
    result_.options = options;
    for (const Chosen& one : chosen) {
      EntryTally tally{.entry = one.entry};
      for (const Mistake* mistake : one.mistakes) tally.mistakes.push_back({.mistake = mistake});
      result_.entries.push_back(std::move(tally));
    }
  }

  void add(const Task& task, const std::vector<Trial>& trials) {
    const Chosen& chosen = chosen_[task.chosen];
    std::size_t next = 0;
    if (chosen.right) add_right(task, trials.at(next++));
    for (std::size_t i = 0; i < chosen.mistakes.size(); ++i)
      add_wrong(task, result_.entries[task.chosen].mistakes[i], trials.at(next++));
  }

  void add_crash(const Task& task, const WorkerDeath& death) {
    violate(What::Crash, task, nullptr, fmt::format("{} in {}", death.how, death.doing), "");
  }

  Calibration finish(double seconds, std::string interrupted) {
    result_.interrupted = std::move(interrupted);
    for (const EntryTally& entry : result_.entries) {
      if (!result_.interrupted.empty()) break;  // it may have been found at a later seed
      for (const MistakeTally& one : entry.mistakes)
        if (one.undecided > 0 && one.found + one.missed + one.small == 0 &&
            one.most > kSeventhDigit)
          result_.violations.push_back(
              {.what = What::NeverFound,
               .entry = entry.entry,
               .mistake = one.mistake,
               .seed = result_.options.first_seed,
               .detail = fmt::format("wrong by up to {:.1e} in {} trials, undecided in {}",
                                     one.most, one.wrong, one.undecided)});
    }
    const auto rank = [](const Violation& one) {
      return std::tuple(one.what, one.entry->family, one.entry->name,
                        one.mistake ? one.mistake->name : "", one.seed);
    };
    std::stable_sort(result_.violations.begin(), result_.violations.end(),
                     [&](const Violation& a, const Violation& b) { return rank(a) < rank(b); });
    result_.seconds = seconds;
    return std::move(result_);
  }

 private:
  void violate(What what, const Task& task, const Mistake* mistake, std::string detail,
               const std::string& text) {
    result_.violations.push_back({.what = what,
                                  .entry = chosen_[task.chosen].entry,
                                  .mistake = mistake,
                                  .seed = task.seed,
                                  .detail = std::move(detail),
                                  .text = text});
  }

  void add_right(const Task& task, const Trial& trial) {
    EntryTally& tally = result_.entries[task.chosen];
    ++tally.trials;
    tally.checks += trial.checks;
    tally.unresolved += trial.unresolved;
    tally.seconds += trial.seconds;
    if (trial.red.empty()) return;
    ++tally.false_alarms;
    violate(What::FalseAlarm, task, nullptr, trial.red, trial.text);
  }

  void add_wrong(const Task& task, MistakeTally& tally, const Trial& trial) {
    result_.entries[task.chosen].seconds += trial.seconds;
    const Fate fate = trial.fate();
    const bool differs = trial.distance > kNoDistance;
    tally.found += fate == Fate::Found;
    tally.harmless += fate == Fate::Harmless;
    tally.undecided += fate == Fate::Undecided;
    tally.small += fate == Fate::Small;
    tally.missed += fate == Fate::Missed;
    if (differs) {
      tally.least = tally.wrong++ == 0 ? trial.distance : std::min(tally.least, trial.distance);
      tally.most = std::max(tally.most, trial.distance);
    }
    if (fate == Fate::Missed)
      violate(trial.contradicted() ? What::Contradicted : What::Missed, task, tally.mistake,
              fmt::format("wrong by {:.1e}; larger than {:.1e} would have been seen, it says",
                          trial.distance, trial.stated),
              trial.text);
    if (differs && fate != Fate::Small && fate != Fate::Found && trial.proven)
      violate(What::Proven, task, tally.mistake, fmt::format("wrong by {:.1e}", trial.distance),
              trial.text);
  }

  const std::vector<Chosen>& chosen_;
  Calibration result_;
};

}  // namespace

std::vector<Chosen> choose(const std::vector<Entry>& entries,
                           const std::vector<std::string>& selectors) {
  std::vector<Chosen> result;
  std::vector<bool> used(selectors.size(), false);
  for (const Entry& entry : entries) {
    Chosen chosen{.entry = &entry, .right = selectors.empty()};
    const auto wanted = [&](const std::string& function) {
      bool any = selectors.empty();
      for (std::size_t i = 0; i < selectors.size(); ++i) {
        const bool matched = matches(selectors[i], entry.name) ||
                             matches(selectors[i], entry.family) ||
                             matches(selectors[i], entry.name + "/" + function);
        if (matched) used[i] = any = true;
      }
      return any;
    };
    chosen.right = wanted("right");
    for (const Mistake& mistake : entry.mistakes)
      if (wanted(mistake.name)) chosen.mistakes.push_back(&mistake);
    if (chosen.right || !chosen.mistakes.empty()) result.push_back(std::move(chosen));
  }
  for (std::size_t i = 0; i < selectors.size(); ++i)
    if (!used[i])
      throw UnknownOperator(
          "nothing in the corpus is called '{}'; `notape verify calibrate --list` shows {} "
          "functions",
          selectors[i], entries.size());
  return result;
}

std::string_view name_of(Violation::What what) {
  constexpr std::string_view names[] = {"FALSE ALARM", "MISSED",      "CONTRADICTED",
                                        "PROVEN",      "NEVER FOUND", "CRASH"};
  return names[static_cast<std::size_t>(what)];
}

int Calibration::count(Violation::What what) const {
  return static_cast<int>(
      std::count_if(violations.begin(), violations.end(),
                    [=](const Violation& violation) { return violation.what == what; }));
}

double Calibration::unresolved_share() const {
  int64_t checks = 0, unresolved = 0;
  for (const EntryTally& entry : entries) {
    checks += entry.checks;
    unresolved += entry.unresolved;
  }
  return checks == 0 ? 0 : static_cast<double>(unresolved) / static_cast<double>(checks);
}

bool Calibration::accepted() const {
  return interrupted.empty() && violations.empty() && unresolved_share() <= kMostUnresolved;
}

Calibration calibrate(const std::vector<Chosen>& chosen, const CalibrationOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const std::vector<Task> tasks = tasks_of(chosen, options);
  Tally tally(chosen, options);
  std::size_t done = 0;
  run_in_workers({.tasks = tasks.size(),
                  .jobs = options.jobs,
                  .run =
                      [&](std::size_t i, ToParent& parent) {
                        return packed(run_task(chosen[tasks[i].chosen], tasks[i].seed, parent));
                      },
                  .done =
                      [&](std::size_t i, const std::string& answer) {
                        tally.add(tasks[i], unpacked<std::vector<Trial>>(answer));
                        ++done;
                        if (options.progress) options.progress(chosen[tasks[i].chosen].entry->name);
                      },
                  .died =
                      [&](const WorkerDeath& death) {
                        tally.add_crash(tasks[death.task], death);
                        return false;
                      }});
  std::string interrupted;
  if (Interruption::requested() && done < tasks.size())
    interrupted = fmt::format("{} after {} of {} trials", Interruption::name(), done, tasks.size());
  return tally.finish(seconds_since(start), std::move(interrupted));
}

}  // namespace notape::verify::corpus
