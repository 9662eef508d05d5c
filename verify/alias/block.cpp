#include "verify/alias/block.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "verify/alias/generator.h"
#include "verify/processes/interruption.h"

namespace notape::verify::alias {

// What a block says, of a CampaignResult its counts.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(EndedProgram, index, how)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CampaignResult, programs, statements, writes, gradients,
                                   outcomes, required, unwanted)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(BlockResult, counts, failures, unexplained, ended)

namespace {

/// A program that ended its process.
TrialResult broken() {
  TrialResult result;
  result.outcome = Outcome::Broken;
  return result;
}

Finding finding_of(const EndedProgram& ended, uint64_t seed) {
  return {.program_seed = seed,
          .outcome = Outcome::Broken,
          .detail = "the process ended: " + ended.how,
          .program = {}};
}

}  // namespace

std::vector<Block> blocks_of(int64_t programs) {
  // Enough blocks for many processes, large enough to be worth handing out, few enough for files.
  const int64_t size = std::clamp<int64_t>(programs / 1024, 64, 8192);
  std::vector<Block> blocks;
  for (int64_t first = 0; first < programs; first += size)
    blocks.push_back({first, std::min(first + size, programs)});
  return blocks;
}

BlockResult run_block(const CampaignOptions& options, Block block,
                      const std::vector<EndedProgram>& ended, ToParent& note) {
  BlockResult result;
  Trial trial(options.settings);
  Generator generator(trial);
  Program program;
  const auto keep = [&](std::vector<int64_t>& list, int64_t index) {
    if (list.size() < options.findings) list.push_back(index);
  };
  for (int64_t i = block.first; i < block.last && !Interruption::requested(); ++i) {
    const auto known = std::find_if(ended.begin(), ended.end(),
                                    [&](const EndedProgram& one) { return one.index == i; });
    if (known != ended.end()) {
      count(result.counts, broken());
      result.ended.push_back(*known);
      continue;
    }
    note.note(std::to_string(i));
    const uint64_t seed = program_seed(options.seed, i);
    if (options.before) options.before(seed);
    const TrialResult& one = generator.run(seed, program);
    count(result.counts, one);
    if (one.outcome >= kFirstFailure)
      keep(result.failures, i);
    else if (one.outcome == Outcome::Unexplained)
      keep(result.unexplained, i);
    if (options.stop_at_failure && one.outcome >= kFirstFailure) break;
  }
  return result;
}

std::optional<int64_t> noted_program(const std::string& note) {
  int64_t index = 0;
  const auto [end, error] = std::from_chars(note.data(), note.data() + note.size(), index);
  return error == std::errc() ? std::optional(index) : std::nullopt;
}

std::string block_text(const BlockResult& result) { return nlohmann::json(result).dump(); }

BlockResult block_of(const std::string& text) {
  return nlohmann::json::parse(text).get<BlockResult>();
}

CampaignResult campaign_of(const CampaignOptions& options, const std::vector<BlockResult>& blocks) {
  CampaignResult sum;
  sum.seed = options.seed;
  const auto wanted = [&](const std::vector<Finding>& list) {
    return list.size() < options.findings;
  };
  for (const BlockResult& block : blocks) {
    add_counts(sum, block.counts);
    auto ended = block.ended.begin();
    const auto add_ended = [&](int64_t before) {
      for (; ended != block.ended.end() && ended->index < before; ++ended)
        if (wanted(sum.findings))
          sum.findings.push_back(finding_of(*ended, program_seed(options.seed, ended->index)));
    };
    for (int64_t index : block.failures) {
      add_ended(index);
      if (!wanted(sum.findings)) break;
      const auto again = replay(options.settings, program_seed(options.seed, index)).findings;
      sum.findings.insert(sum.findings.end(), again.begin(), again.end());
    }
    add_ended(block.ended.empty() ? 0 : INT64_MAX);
    for (int64_t index : block.unexplained) {
      if (!wanted(sum.unexplained)) break;
      const auto again = replay(options.settings, program_seed(options.seed, index)).unexplained;
      sum.unexplained.insert(sum.unexplained.end(), again.begin(), again.end());
    }
  }
  return sum;
}

}  // namespace notape::verify::alias
