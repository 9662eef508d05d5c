#include "verify/alias/report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "verify/alias/cpp_text.h"

namespace notape::verify::alias {

const char* name_of(Policy policy) {
  return policy == Policy::Default     ? "default"
         : policy == Policy::Paper2017 ? "paper2017"
         : policy == Policy::CowSave   ? "cow"
                                       : "guarded";
}
const char* name_of(Field field) { return field == Field::Exact ? "fp61" : "f64"; }
const char* name_of(Fault fault) {
  return fault == Fault::None             ? "none"
         : fault == Fault::NoVersionCheck ? "no-version-check"
                                          : "stale-views";
}

std::string replay_command(uint64_t program_seed, const Settings& settings) {
  std::string text = fmt::format("notape verify alias --replay {}", program_seed);
  if (settings.policy != Policy::Default)
    text += fmt::format(" --policy {}", name_of(settings.policy));
  if (settings.field != Field::Exact) text += fmt::format(" --field {}", name_of(settings.field));
  if (settings.fault != Fault::None) text += fmt::format(" --fault {}", name_of(settings.fault));
  return text;
}

std::string campaign_table(const CampaignResult& result, const Settings& settings) {
  std::string text = fmt::format("{:<24}{:>12}{:>10}\n", "outcome", "programs", "share");
  for (std::size_t i = 0; i < kOutcomes; ++i)
    text += fmt::format("{:<24}{:>12}{:>9.2f}%\n", kOutcomeNames[i], result.outcomes[i],
                        100.0 * static_cast<double>(result.outcomes[i]) /
                            static_cast<double>(std::max<int64_t>(result.programs, 1)));
  text += fmt::format("\n{:<24}{:>12}{:>10}\n", "class of error", "required", "false");
  for (std::size_t i = 0; i < kFailures; ++i)
    if (result.required[i] + result.unwanted[i] > 0)
      text += fmt::format("{:<24}{:>12}{:>10}\n", kFailureNames[i], result.required[i],
                          result.unwanted[i]);
  if (!result.interrupted.empty()) text += fmt::format("\ninterrupted by {}\n", result.interrupted);
  text += fmt::format(
      "\n{} programs, {} statements, {} writes, {} gradients; false-rejection rate {:.2f} %; "
      "policy {}, field {}, seed {}, {:.1f} s ({:.0f} programs/s)\n",
      result.programs, result.statements, result.writes, result.gradients,
      100 * result.false_rejection_rate(), name_of(settings.policy), name_of(settings.field),
      result.seed, result.seconds,
      result.seconds > 0 ? static_cast<double>(result.programs) / result.seconds : 0.0);
  return text;
}

std::string finding_text(const Finding& finding, const Settings& settings) {
  const std::string headline =
      fmt::format("{}: {}", kOutcomeNames[static_cast<std::size_t>(finding.outcome)],
                  finding.detail.substr(0, finding.detail.find('\n')));
  if (finding.program.empty())  // it ended its process, so nobody could look at it
    return fmt::format("\n{}\nreplay: {}\n", headline,
                       replay_command(finding.program_seed, settings));
  return fmt::format("\n{} ({} statements)\nreplay: {}\n\n{}", headline, finding.program.size(),
                     replay_command(finding.program_seed, settings),
                     program_text(finding.program, settings, headline));
}

std::string campaign_json(const CampaignResult& result, const Settings& settings) {
  nlohmann::ordered_json json = {{"schema", "notape.alias/1"},
                                 {"seed", std::to_string(result.seed)},
                                 {"policy", name_of(settings.policy)},
                                 {"field", name_of(settings.field)},
                                 {"fault", name_of(settings.fault)},
                                 {"programs", result.programs},
                                 {"statements", result.statements},
                                 {"writes", result.writes},
                                 {"gradients", result.gradients},
                                 {"seconds", result.seconds},
                                 {"false_rejection_rate", result.false_rejection_rate()}};
  if (!result.interrupted.empty()) json["interrupted"] = result.interrupted;
  for (std::size_t i = 0; i < kOutcomes; ++i)
    json["outcomes"][kOutcomeNames[i]] = result.outcomes[i];
  json["rejections"] = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < kFailures; ++i)
    if (result.required[i] + result.unwanted[i] > 0)
      json["rejections"][kFailureNames[i]] = {{"required", result.required[i]},
                                              {"false", result.unwanted[i]}};
  json["findings"] = nlohmann::ordered_json::array();
  for (const auto* list : {&result.findings, &result.unexplained})
    for (const Finding& finding : *list)
      json["findings"].push_back(
          {{"outcome", kOutcomeNames[static_cast<std::size_t>(finding.outcome)]},
           {"detail", finding.detail},
           {"program", program_text(finding.program, settings, finding.detail)},
           {"replay", replay_command(finding.program_seed, settings)}});
  return json.dump(2) + "\n";
}

int exit_code_of(const CampaignResult& result) {
  if (result.count(Outcome::Broken) > 0) return 6;
  return result.has_failed() ? 1 : 0;
}

}  // namespace notape::verify::alias
