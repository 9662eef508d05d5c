#include "verify/alias/processes.h"

#include <chrono>

#include "verify/alias/report.h"
#include "verify/processes/shards.h"

namespace notape::verify::alias {

CampaignResult run_on_processes(const CampaignOptions& options, int jobs) {
  const auto start = std::chrono::steady_clock::now();
  const std::vector<Block> blocks = blocks_of(options.programs);
  std::vector<BlockResult> results(blocks.size());
  std::vector<std::vector<EndedProgram>> ended(blocks.size());
  int64_t ran = 0;
  run_in_workers({.tasks = blocks.size(),
                  .jobs = jobs,
                  .run =
                      [&](std::size_t i, ToParent& note) {
                        return block_text(run_block(options, blocks[i], ended[i], note));
                      },
                  .done =
                      [&](std::size_t i, const std::string& text) {
                        results[i] = block_of(text);
                        if (options.progress)
                          options.progress(ran += blocks[i].last - blocks[i].first);
                      },
                  .died =
                      [&](const WorkerDeath& death) {
                        const Block block = blocks[death.task];
                        const int64_t program = noted_program(death.doing).value_or(block.first);
                        ended[death.task].push_back({program, death.how});
                        return true;  // without that program
                      }});
  CampaignResult result = campaign_of(options, results);
  result.seconds = seconds_since(start);
  note_interruption(result, options.programs);
  return result;
}

}  // namespace notape::verify::alias
