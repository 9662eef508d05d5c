#include "verify/alias/campaign.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "verify/alias/block.h"
#include "verify/alias/generator.h"
#include "verify/alias/shrink_program.h"
#include "verify/processes/interruption.h"
#include "verify/processes/workers.h"

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

}  // namespace

void count(CampaignResult& sum, const TrialResult& one) {
  ++sum.programs;
  ++sum.outcomes[static_cast<std::size_t>(one.outcome)];
  sum.statements += one.statements;
  sum.writes += one.writes;
  sum.gradients += one.gradients;
  for (std::size_t i = 0; i < kFailures; ++i) {
    sum.required[i] += one.required[i];
    sum.unwanted[i] += one.unwanted[i];
  }
}

void add_counts(CampaignResult& sum, const CampaignResult& one) {
  sum.programs += one.programs;
  sum.statements += one.statements;
  sum.writes += one.writes;
  sum.gradients += one.gradients;
  for (std::size_t i = 0; i < kOutcomes; ++i) sum.outcomes[i] += one.outcomes[i];
  for (std::size_t i = 0; i < kFailures; ++i) {
    sum.required[i] += one.required[i];
    sum.unwanted[i] += one.unwanted[i];
  }
}

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

void note_interruption(CampaignResult& result, int64_t planned) {
  if (!Interruption::requested() || result.programs >= planned) return;
  result.interrupted = format_message("{} after {} of {} programs",
                                      {Interruption::name(), result.programs, planned});
}

uint64_t program_seed(uint64_t campaign_seed, int64_t i) {
  Random random(campaign_seed);
  return Random(random.next() + static_cast<uint64_t>(i)).next();
}

CampaignResult run_campaign(const CampaignOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const std::vector<Block> blocks = blocks_of(options.programs);
  std::vector<BlockResult> results(blocks.size());
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stop{false};
  std::mutex reporting;
  int64_t done = 0;
  const auto work = [&] {
    ToNobody nobody;
    while (!stop && !Interruption::requested()) {
      const std::size_t i = next.fetch_add(1);
      if (i >= blocks.size()) return;
      results[i] = run_block(options, blocks[i], {}, nobody);
      if (options.stop_at_failure && results[i].counts.has_failed()) stop = true;
      if (!options.progress) continue;
      const std::lock_guard one_at_a_time(reporting);
      options.progress(done += blocks[i].last - blocks[i].first);
    }
  };
  std::vector<std::thread> others;
  for (int i = 1; i < options.threads; ++i) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  CampaignResult result = campaign_of(options, results);
  result.seconds = seconds.count();
  note_interruption(result, options.programs);
  return result;
}

CampaignResult replay(const Settings& settings, uint64_t program_seed) {
  CampaignResult result;
  result.seed = CampaignOptions().seed;
  Trial trial(settings);
  Generator generator(trial);
  Program program;
  const TrialResult& one = generator.run(program_seed, program);
  count(result, one);
  const bool failed = one.outcome >= kFirstFailure;
  if (failed || one.outcome == Outcome::Unexplained)
    (failed ? result.findings : result.unexplained)
        .push_back(small_finding(program, program_seed, settings));
  return result;
}

}  // namespace notape::verify::alias
