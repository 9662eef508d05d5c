#include "verify/alias/campaign.h"

#include <chrono>

#include "verify/alias/generator.h"
#include "verify/alias/shrink_program.h"

namespace notape::verify::alias {
namespace {

Finding small_finding(const Program& program, uint64_t seed, const Settings& settings) {
  Finding finding;
  finding.program_seed = seed;
  finding.program = shrink(program, settings);
  Trial trial(settings);
  const TrialResult& result = trial.run(finding.program);
  finding.outcome = result.outcome;
  finding.detail = result.detail;
  return finding;
}

class Campaign {
 public:
  explicit Campaign(const CampaignOptions& options)
      : options_(options), trial_(options.settings), generator_(trial_) {
    result_.seed = options.seed;
  }

  void run_program(uint64_t seed) {
    const TrialResult& result = generator_.run(seed, program_);
    ++result_.programs;
    ++result_.outcomes[static_cast<std::size_t>(result.outcome)];
    result_.statements += result.statements;
    result_.writes += result.writes;
    result_.gradients += result.gradients;
    for (std::size_t i = 0; i < kFailures; ++i) {
      result_.required[i] += result.required[i];
      result_.unwanted[i] += result.unwanted[i];
    }
    if (result.outcome >= kFirstFailure)
      note(result_.findings, seed);
    else if (result.outcome == Outcome::Unexplained)
      note(result_.unexplained, seed);
  }

  CampaignResult run() {
    const auto start = std::chrono::steady_clock::now();
    for (int64_t i = 0; i < options_.programs; ++i) {
      const uint64_t seed = program_seed(options_.seed, i);
      if (options_.progress) options_.progress(i, seed);
      run_program(seed);
      if (options_.stop_at_failure && result_.has_failed()) break;
    }
    result_.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return std::move(result_);
  }

  CampaignResult take() { return std::move(result_); }

 private:
  void note(std::vector<Finding>& list, uint64_t seed) {
    if (list.size() < options_.findings)
      list.push_back(small_finding(program_, seed, options_.settings));
  }

  const CampaignOptions& options_;
  Trial trial_;
  Generator generator_;
  Program program_;
  CampaignResult result_;
};

}  // namespace

double CampaignResult::false_rejection_rate() const {
  const auto rejected =
      static_cast<double>(count(Outcome::FalseRejection) + count(Outcome::Unexplained));
  const double accepted = static_cast<double>(count(Outcome::Exact));
  return rejected + accepted > 0 ? rejected / (rejected + accepted) : 0;
}

bool CampaignResult::has_failed() const {
  for (int i = static_cast<int>(kFirstFailure); i < kOutcomes; ++i)
    if (outcomes[static_cast<std::size_t>(i)] > 0) return true;
  return false;
}

uint64_t program_seed(uint64_t campaign_seed, int64_t i) {
  Random random(campaign_seed);
  return Random(random.next() + static_cast<uint64_t>(i)).next();
}

CampaignResult run_campaign(const CampaignOptions& options) { return Campaign(options).run(); }

CampaignResult replay(const Settings& settings, uint64_t program_seed) {
  const CampaignOptions options{.settings = settings, .programs = 1};
  Campaign campaign(options);
  campaign.run_program(program_seed);
  return campaign.take();
}

}  // namespace notape::verify::alias
