#include "verify/alias/processes.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <sstream>

#include "verify/alias/meeting.h"
#include "verify/alias/report.h"
#include "verify/processes/interruption.h"
#include "verify/processes/usage_error.h"
#include "verify/processes/workers.h"

namespace notape::verify::alias {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Blocks on forked processes. `done` gets them as they end.
void run_blocks(const CampaignOptions& options, const std::vector<Block>& blocks, int jobs,
                const std::function<std::optional<std::size_t>()>& claim,
                const std::function<void(std::size_t block, const std::string& text)>& done) {
  std::vector<std::vector<EndedProgram>> ended(blocks.size());
  run_in_workers({.tasks = blocks.size(),
                  .jobs = jobs,
                  .run =
                      [&](std::size_t i, ToParent& note) {
                        return block_text(run_block(options, blocks[i], ended[i], note));
                      },
                  .done = done,
                  .died =
                      [&](const WorkerDeath& death) {
                        const Block block = blocks[death.task];
                        const int64_t program = noted_program(death.doing).value_or(block.first);
                        ended[death.task].push_back({program, death.how});
                        return true;  // without that program
                      },
                  .claim = claim});
}

class Participant {
 public:
  Participant(const CampaignOptions& options, int jobs, const Rank& rank, const std::string& folder,
              std::FILE* err)
      : options_(options),
        jobs_(jobs),
        rank_(rank),
        err_(err),
        meeting_(folder, rank.rank, rank.size) {
    agree_on_options();
    blocks_ = blocks_of(options_.programs);
    texts_.resize(blocks_.size());
  }

  std::optional<CampaignResult> run() {
    const auto start = Clock::now();
    if (rank_.rank == 0)
      fmt::print(err_, "notape verify: {} ranks, seed {}\n", rank_.size, options_.seed);
    std::size_t next = static_cast<std::size_t>(rank_.rank) * blocks_.size() /
                       static_cast<std::size_t>(rank_.size);
    std::size_t tried = 0;
    // Each starts elsewhere and goes round, so that few meet at a block.
    work([&]() -> std::optional<std::size_t> {
      while (tried < blocks_.size()) {
        ++tried;
        const std::size_t block = next++ % blocks_.size();
        if (!meeting_.published(block) && meeting_.claim(block)) return block;
      }
      return {};
    });
    while (!all_there() && !Interruption::requested()) {
      if (!take_over()) ::usleep(kPollMicroseconds);
    }
    const bool reports = is_first_alive();
    if (!reports) {
      meeting_.say_done();
      return {};
    }
    std::vector<BlockResult> results;
    for (const std::string& text : texts_)
      results.push_back(text.empty() ? BlockResult() : block_of(text));
    CampaignResult result = campaign_of(options_, results);
    result.seconds = seconds_since(start);
    note_interruption(result, options_.programs);
    say_farewell();
    return result;
  }

 private:
  static constexpr unsigned kPollMicroseconds = 20000;

  void agree_on_options() {
    const auto others = [&] {
      return fmt::format("{} {} {} {}", options_.programs, name_of(options_.settings.field),
                         name_of(options_.settings.policy), name_of(options_.settings.fault));
    };
    std::istringstream agreed(meeting_.agree(fmt::format("{} {}", options_.seed, others())));
    std::string rest;
    agreed >> options_.seed;
    std::getline(agreed >> std::ws, rest);
    if (rest != others())
      throw UsageError("rank {} was told other options ({}) than the first one ({})", rank_.rank,
                       others(), rest);
  }

  void work(const std::function<std::optional<std::size_t>()>& claim) {
    run_blocks(options_, blocks_, jobs_, claim, [&](std::size_t block, const std::string& text) {
      meeting_.publish(block, text);
      if (options_.progress) options_.progress(done_ += blocks_[block].last - blocks_[block].first);
    });
  }

  /// Whether all blocks were run; keeps those that were.
  bool all_there() {
    bool all = true;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      if (!texts_[i].empty()) continue;
      const auto text = meeting_.published(i);
      if (text) texts_[i] = *text;
      all = all && text;
      if (!all && !Interruption::requested()) return false;
    }
    return all;
  }

  /// Blocks that dead ranks had claimed. False if there are none.
  bool take_over() {
    std::vector<std::size_t> orphans;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      if (!texts_[i].empty() || meeting_.published(i)) continue;
      const auto claim = meeting_.last_claim(i);
      if (claim && !meeting_.is_dead(claim->rank)) continue;
      if (!meeting_.claim(i, claim ? claim->attempt + 1 : 0)) continue;
      orphans.push_back(i);
      if (claim)
        fmt::print(err_, "notape verify: rank {} died; rank {} runs its programs {} to {} again\n",
                   claim->rank, rank_.rank, blocks_[i].first, blocks_[i].last - 1);
    }
    std::fflush(err_);
    for (const std::size_t orphan : orphans) {
      bool taken = false;
      work([&]() -> std::optional<std::size_t> {
        return std::exchange(taken, true) ? std::nullopt : std::optional(orphan);
      });
    }
    return !orphans.empty();
  }

  bool is_first_alive() const {
    for (int other = 0; other < rank_.rank; ++other)
      if (!meeting_.is_dead(other)) return false;
    return true;
  }

  /// Waits for the others, so that the folder is nobody's any more; after an interruption, which
  /// they may not have heard of, not for long.
  void say_farewell() {
    constexpr double kShortly = 2;
    const auto start = Clock::now();
    const auto waits = [&] {
      return !Interruption::requested() || seconds_since(start) < kShortly;
    };
    std::vector<int> dead;
    for (int other = 0; other < rank_.size; ++other) {
      while (other != rank_.rank && !meeting_.is_done(other) && !meeting_.is_dead(other) && waits())
        ::usleep(kPollMicroseconds);
      if (other != rank_.rank && !meeting_.is_done(other)) dead.push_back(other);
    }
    if (!dead.empty() && !Interruption::requested())
      fmt::print(err_, "notape verify: of {} ranks these died: {}; no program was left out\n",
                 rank_.size, fmt::join(dead, ", "));
    meeting_.remove();
  }

  CampaignOptions options_;
  const int jobs_;
  const Rank rank_;
  std::FILE* err_;
  Meeting meeting_;
  std::vector<Block> blocks_;
  std::vector<std::string> texts_;
  int64_t done_ = 0;
};

}  // namespace

CampaignResult run_on_processes(const CampaignOptions& options, int jobs) {
  const auto start = Clock::now();
  const std::vector<Block> blocks = blocks_of(options.programs);
  std::vector<BlockResult> results(blocks.size());
  int64_t done = 0;
  run_blocks(options, blocks, jobs, {}, [&](std::size_t i, const std::string& text) {
    results[i] = block_of(text);
    if (options.progress) options.progress(done += blocks[i].last - blocks[i].first);
  });
  CampaignResult result = campaign_of(options, results);
  result.seconds = seconds_since(start);
  note_interruption(result, options.programs);
  return result;
}

std::optional<CampaignResult> run_on_ranks(const CampaignOptions& options, int jobs,
                                           const Rank& rank, const std::string& folder,
                                           std::FILE* err) {
  return Participant(options, jobs, rank, folder, err).run();
}

}  // namespace notape::verify::alias
