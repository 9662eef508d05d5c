// What a campaign says at its end: a table, failures as C++, a JSON object.
#pragma once
#include "verify/alias/campaign.h"

namespace notape::verify::alias {

inline constexpr const char* kOutcomeNames[kOutcomes] = {"exact",
                                                         "required rejection",
                                                         "false rejection",
                                                         "unexplained rejection",
                                                         "missed rejection",
                                                         "silently wrong",
                                                         "dirty rejection",
                                                         "broken"};

const char* name_of(Policy policy);
const char* name_of(Field field);
const char* name_of(Fault fault);

/// Outcomes with shares, then rejections by class.
std::string campaign_table(const CampaignResult& result, const Settings& settings);
/// One finding: what went wrong, its program, how to see it again.
std::string finding_text(const Finding& finding, const Settings& settings);
std::string campaign_json(const CampaignResult& result, const Settings& settings);
/// The command line that runs one program again.
std::string replay_command(uint64_t program_seed, const Settings& settings);
/// 6 broken; 1 missed, silent or dirty; else 0.
int exit_code_of(const CampaignResult& result);

}  // namespace notape::verify::alias
