#include "verify/corpus/report.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "verify/numeric/number_text.h"
#include "verify/report/environment.h"
#include "verify/report/row_json.h"

namespace notape::verify::corpus {
namespace {

using What = Violation::What;

/// The sums over some functions.
struct ReportRow {
  std::string name;
  int functions = 0;
  int64_t checks = 0, unresolved = 0;
  int false_alarms = 0, planted = 0, wrong = 0, found = 0, undecided = 0, small = 0, missed = 0;
  int contradicted = 0;
  double seconds = 0;

  void add(const EntryTally& entry) {
    ++functions;
    checks += entry.checks;
    unresolved += entry.unresolved;
    false_alarms += entry.false_alarms;
    seconds += entry.seconds;
    for (const MistakeTally& one : entry.mistakes) {
      ++planted;
      wrong += one.wrong;
      found += one.found;
      undecided += one.undecided;
      small += one.small;
      missed += one.missed;
    }
  }
  double share() const {
    return checks == 0 ? 0 : 100 * static_cast<double>(unresolved) / static_cast<double>(checks);
  }
};

std::string line_of(const ReportRow& row) {
  return fmt::format(
      "{:<16} {:>9} {:>8} {:>6} {:>10.2f}% {:>8} {:>8} {:>8} {:>9} {:>5} {:>6} {:>5} {:>8.1f}\n",
      row.name, row.functions, row.checks, row.false_alarms, row.share(), row.planted, row.wrong,
      row.found, row.undecided, row.small, row.missed, row.contradicted, row.seconds);
}

std::vector<ReportRow> rows_of(const Calibration& calibration) {
  std::vector<ReportRow> rows;
  ReportRow all{.name = "all"};
  for (const EntryTally& entry : calibration.entries) {
    if (rows.empty() || rows.back().name != entry.entry->family)
      rows.push_back({.name = entry.entry->family});
    rows.back().add(entry);
    all.add(entry);
  }
  for (const Violation& one : calibration.violations) {
    if (one.what != What::Contradicted) continue;
    ++all.contradicted;
    for (ReportRow& row : rows) row.contradicted += row.name == one.entry->family;
  }
  rows.push_back(std::move(all));
  return rows;
}

std::string function_of(const Violation& violation) {
  return violation.entry->name + "/" + (violation.mistake ? violation.mistake->name : "right");
}

std::string violation_text(const Violation& one, bool whole) {
  std::string text = fmt::format("{}: {}: {}\n    again: {}\n", name_of(one.what), function_of(one),
                                 one.detail, replay_of(one));
  if (whole) text += one.text + "\n";
  return text;
}

/// Violations of one kind by one function; the first ones are listed.
std::string violations_text(const Calibration& calibration) {
  constexpr int kListed = 3;
  std::string text, last;
  int of_last = 0;
  const auto finish = [&] {
    if (of_last > kListed) text += fmt::format("    and {} more like it\n", of_last - kListed);
  };
  for (const Violation& one : calibration.violations) {
    const std::string now = fmt::format("{} {}", name_of(one.what), function_of(one));
    if (now != last) {
      finish();
      of_last = 0;
    }
    last = now;
    if (++of_last <= kListed) text += violation_text(one, calibration.options.seeds == 1);
  }
  finish();
  return text;
}

/// Mistakes without effect: their functions never differed from the right ones.
std::string never_wrong_text(const Calibration& calibration) {
  std::string text;
  for (const EntryTally& entry : calibration.entries)
    for (const MistakeTally& one : entry.mistakes)
      if (one.wrong == 0)
        text +=
            fmt::format("{}{}/{}", text.empty() ? "" : ", ", entry.entry->name, one.mistake->name);
  return text.empty() ? "" : "without effect at these seeds: " + text + "\n";
}

using Json = nlohmann::ordered_json;

Json json_of(const EntryTally& entry) {
  Json json = {{"name", entry.entry->name},
               {"family", entry.entry->family},
               {"order", entry.entry->traits.order},
               {"float32_inside", entry.entry->traits.single_precision},
               {"kinks", entry.entry->traits.kinks},
               {"c", static_cast<bool>(entry.entry->foreign)},
               {"trials", entry.trials},
               {"checks", entry.checks},
               {"unresolved", entry.unresolved},
               {"false_alarms", entry.false_alarms},
               {"seconds", entry.seconds}};
  json["mistakes"] = Json::array();
  for (const MistakeTally& one : entry.mistakes)
    json["mistakes"].push_back(
        {{"name", one.mistake->name},
         {"kind", name_of(one.mistake->kind)},
         {"order", one.mistake->order},
         {"wrong", one.wrong},
         {"found", one.found},
         {"undecided", one.undecided},
         {"below_power", one.small},
         {"missed", one.missed},
         {"harmless", one.harmless},
         {"least_distance", one.least},
         {"most_distance", std::isfinite(one.most) ? Json(one.most) : Json("infinite")}});
  return json;
}

}  // namespace

std::string replay_of(const Violation& violation) {
  return fmt::format("notape verify calibrate {} --seed {}{}", function_of(violation),
                     violation.seed, violation.what == What::NeverFound ? "" : " --seeds 1");
}

std::string calibration_text(const Calibration& calibration) {
  std::string text;
  if (!calibration.interrupted.empty())
    text += fmt::format("interrupted by {}; what follows is of these\n", calibration.interrupted);
  text += fmt::format(
      "{:<16} {:>9} {:>8} {:>6} {:>11} {:>8} {:>8} {:>8} {:>9} {:>5} {:>6} {:>5} {:>8}\n", "family",
      "functions", "checks", "alarms", "unresolved", "mistakes", "wrong", "found", "undecided",
      "small", "missed", "false", "seconds");
  for (const ReportRow& row : rows_of(calibration)) text += line_of(row);
  if (!calibration.violations.empty()) text += "\n" + violations_text(calibration);
  const ReportRow all = rows_of(calibration).back();
  text += never_wrong_text(calibration);
  text += fmt::format(
      "\n{} with {} at {} from {}: {} false alarms, {:.2f} % of {} checks unresolved (at most "
      "{:.0f} %); {} of {} wrong trials found, {} missed, {} powers contradicted, {} 'proven', {} "
      "mistakes never found; {:.1f} s\n{}\n",
      counted(all.functions, "function"), counted(all.planted, "mistake"),
      counted(calibration.options.seeds, "seed"), calibration.options.first_seed,
      calibration.count(What::FalseAlarm), all.share(), all.checks, 100 * kMostUnresolved,
      all.found, all.wrong, calibration.count(What::Missed), calibration.count(What::Contradicted),
      calibration.count(What::Proven), calibration.count(What::NeverFound), calibration.seconds,
      calibration.accepted() ? "accepted" : "NOT accepted");
  return text;
}

std::string calibration_json(const Calibration& calibration, const std::string& comparison) {
  const ReportRow all = rows_of(calibration).back();
  Json json = {{"schema", "notape.calibration/1"},
               {"cpu", value_of(environment(), "cpu")},
               {"compiler", __VERSION__},
               {"first_seed", calibration.options.first_seed},
               {"seeds", calibration.options.seeds},
               {"accepted", calibration.accepted()},
               {"functions", all.functions},
               {"mistakes", all.planted},
               {"checks", all.checks},
               {"unresolved", all.unresolved},
               {"false_alarms", calibration.count(What::FalseAlarm)},
               {"wrong_trials", all.wrong},
               {"found", all.found},
               {"undecided", all.undecided},
               {"below_power", all.small},
               {"missed", calibration.count(What::Missed)},
               {"contradicted", calibration.count(What::Contradicted)},
               {"proven", calibration.count(What::Proven)},
               {"never_found", calibration.count(What::NeverFound)},
               {"crashes", calibration.count(What::Crash)},
               {"seconds", calibration.seconds}};
  if (!calibration.interrupted.empty()) json["interrupted"] = calibration.interrupted;
  if (!comparison.empty()) json["against_torch"] = Json::parse(comparison);
  json["entries"] = Json::array();
  for (const EntryTally& entry : calibration.entries) json["entries"].push_back(json_of(entry));
  json["violations"] = Json::array();
  for (const Violation& one : calibration.violations)
    json["violations"].push_back({{"what", name_of(one.what)},
                                  {"function", function_of(one)},
                                  {"seed", one.seed},
                                  {"detail", one.detail},
                                  {"replay", replay_of(one)}});
  return row_json(json);
}

std::string corpus_list(const std::vector<Chosen>& chosen) {
  std::string text;
  int mistakes = 0;
  for (const Chosen& one : chosen) {
    const Traits& traits = one.entry->traits;
    text += fmt::format("{:<16} {} (order {}{}{}{})\n", one.entry->family, one.entry->name,
                        traits.order, traits.single_precision ? ", float32 inside" : "",
                        traits.kinks ? ", kinks" : "", one.entry->foreign ? ", C" : "");
    for (const Mistake* mistake : one.mistakes) {
      ++mistakes;
      text += fmt::format("{:<18} /{:<16} {}{}\n", "", mistake->name, meaning_of(mistake->kind),
                          mistake->order == 2 ? " (second order)" : "");
    }
  }
  return text + fmt::format("{} with {}\n",
                            counted(static_cast<int64_t>(chosen.size()), "function"),
                            counted(mistakes, "mistake"));
}

}  // namespace notape::verify::corpus
