// A campaign on several processes: those this one forks, and those that `mpirun` started beside it.
#pragma once
#include <cstdio>

#include "verify/alias/block.h"
#include "verify/alias/rank.h"

namespace notape::verify::alias {

/// run_campaign() on `jobs` forked processes, with the same result. A program that ends its process
/// is Broken; the others still run.
CampaignResult run_on_processes(const CampaignOptions& options, int jobs);

/// The same, shared with the other ranks, which run it too; each claims block after block in
/// `folder`, which all of them see and none has used before. Blocks of ranks that died are run
/// again, and the deaths told on `err`. Only one rank gets the result: rank 0, or the first that
/// lives. All ranks use the seed of the first that came. Throws UsageError if their options differ.
std::optional<CampaignResult> run_on_ranks(const CampaignOptions& options, int jobs,
                                           const Rank& rank, const std::string& folder,
                                           std::FILE* err);

}  // namespace notape::verify::alias
