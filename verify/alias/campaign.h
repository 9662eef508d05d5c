// The campaign: many random programs, their outcomes counted, failures made small.
#pragma once
#include <functional>

#include "verify/alias/trial.h"

namespace notape::verify::alias {

/// A failing program as found and as shrunk.
struct Finding {
  uint64_t program_seed = 0;
  Outcome outcome = Outcome::Exact;
  std::string detail;  ///< of the small program
  Program program;
};

struct CampaignResult {
  uint64_t seed = 0;
  int64_t programs = 0, statements = 0, writes = 0, gradients = 0;
  double seconds = 0;
  std::string interrupted =
      {};  ///< "SIGINT after 100 of 20000 programs"; empty: it came to its end
  std::array<int64_t, kOutcomes> outcomes{};
  std::array<int64_t, kFailures> required{}, unwanted{};
  std::vector<Finding> findings;     ///< failures, the first few
  std::vector<Finding> unexplained;  ///< rejections that nothing explains, the first few

  int64_t count(Outcome outcome) const { return outcomes[static_cast<std::size_t>(outcome)]; }
  /// false / (exact + false)
  double false_rejection_rate() const;
  bool has_failed() const;
};

/// Counts one program.
void count(CampaignResult& sum, const TrialResult& one);
/// Adds what was counted elsewhere.
void add_counts(CampaignResult& sum, const CampaignResult& one);

/// Says so in `result` if an Interruption has ended it before that many programs were run.
void note_interruption(CampaignResult& result, int64_t planned);

/// The seed of a campaign's i-th program; --replay takes it.
uint64_t program_seed(uint64_t campaign_seed, int64_t i);

struct CampaignOptions {
  Settings settings = {};
  int64_t programs = 20000;
  uint64_t seed = 1;
  std::size_t findings = 3;  ///< shrunk and kept, of each kind
  bool stop_at_failure = false;
  int threads = 1;  ///< that share the programs; what is counted does not depend on them
  std::function<void(uint64_t program)> before = {};  ///< each program, by its thread
  std::function<void(int64_t done)> progress = {};    ///< now and then, one call at a time
};

/// Ends early on an Interruption, as the other ways to run one do.
CampaignResult run_campaign(const CampaignOptions& options);
/// One program of a campaign, shrunk if it fails.
CampaignResult replay(const Settings& settings, uint64_t program_seed);

}  // namespace notape::verify::alias
