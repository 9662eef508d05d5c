// A campaign on several processes, which this one forks.
#pragma once
#include "verify/alias/block.h"

namespace notape::verify::alias {

/// run_campaign() on `jobs` forked processes, with the same result. A program that ends its process
/// is Broken; the others still run.
CampaignResult run_on_processes(const CampaignOptions& options, int jobs);

}  // namespace notape::verify::alias
