#include "verify/alias/campaign.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>

#include "verify/alias/generator.h"
#include "verify/alias/shrink_program.h"
#include "verify/processes/interruption.h"

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

/// A program to be shown.
struct Noted {
  int64_t index;
  uint64_t seed;
  Program program;
};

/// One thread's part: its programs run on a trial of its own.
class Part {
 public:
  explicit Part(const CampaignOptions& options)
      : options_(options), trial_(options.settings), generator_(trial_) {}

  void run_program(int64_t index, uint64_t seed) {
    if (options_.before) options_.before(seed);
    const TrialResult& result = generator_.run(seed, program_);
    count(counts, result);
    if (result.outcome >= kFirstFailure)
      note(failures, index, seed);
    else if (result.outcome == Outcome::Unexplained)
      note(unexplained, index, seed);
  }

  CampaignResult counts;
  std::vector<Noted> failures, unexplained;

 private:
  void note(std::vector<Noted>& list, int64_t index, uint64_t seed) {
    if (list.size() < options_.findings) list.push_back({index, seed, program_});
  }

  const CampaignOptions& options_;
  Trial trial_;
  Generator generator_;
  Program program_;
};

/// The first of all parts, shrunk.
std::vector<Finding> small_findings(const std::vector<std::unique_ptr<Part>>& parts,
                                    std::vector<Noted> Part::*list,
                                    const CampaignOptions& options) {
  std::vector<Noted> all;
  for (const auto& part : parts)
    all.insert(all.end(), ((*part).*list).begin(), ((*part).*list).end());
  std::sort(all.begin(), all.end(),
            [](const Noted& a, const Noted& b) { return a.index < b.index; });
  std::vector<Finding> result;
  for (const Noted& noted : all)
    if (result.size() < options.findings)
      result.push_back(small_finding(noted.program, noted.seed, options.settings));
  return result;
}

CampaignResult merge(const std::vector<std::unique_ptr<Part>>& parts,
                     const CampaignOptions& options) {
  CampaignResult sum;
  for (const auto& part : parts) add_counts(sum, part->counts);
  sum.seed = options.seed;
  sum.findings = small_findings(parts, &Part::failures, options);
  sum.unexplained = small_findings(parts, &Part::unexplained, options);
  return sum;
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
  constexpr int64_t kBlock = 64;  // programs handed to a thread at a time
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::unique_ptr<Part>> parts;
  for (int i = 0; i < options.threads; ++i) parts.push_back(std::make_unique<Part>(options));
  std::atomic<int64_t> next{0};
  std::atomic<bool> stop{false};
  std::mutex reporting;
  int64_t done = 0;
  const auto work = [&](Part& part) {
    while (!stop && !Interruption::requested()) {
      const int64_t first = next.fetch_add(kBlock);
      if (first >= options.programs) return;
      const int64_t last = std::min(first + kBlock, options.programs);
      for (int64_t i = first; i < last && !stop && !Interruption::requested(); ++i) {
        part.run_program(i, program_seed(options.seed, i));
        if (options.stop_at_failure && part.counts.has_failed()) stop = true;
      }
      if (!options.progress) continue;
      const std::lock_guard one_at_a_time(reporting);
      options.progress(done += last - first);
    }
  };
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < parts.size(); ++i) others.emplace_back([&, i] { work(*parts[i]); });
  work(*parts[0]);
  for (std::thread& other : others) other.join();
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  CampaignResult result = merge(parts, options);
  result.seconds = seconds;
  note_interruption(result, options.programs);
  return result;
}

CampaignResult replay(const Settings& settings, uint64_t program_seed) {
  const CampaignOptions options{.settings = settings, .programs = 1};
  std::vector<std::unique_ptr<Part>> parts;
  parts.push_back(std::make_unique<Part>(options));
  parts[0]->run_program(0, program_seed);
  return merge(parts, options);
}

}  // namespace notape::verify::alias
