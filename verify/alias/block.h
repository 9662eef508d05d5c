// Block: some programs of a campaign in a row, and what became of them, as text that processes can
// send each other. The sum over all blocks does not depend on who ran them.
#pragma once
#include "verify/alias/campaign.h"
#include "verify/processes/child.h"

namespace notape::verify::alias {

/// Programs `first` up to `last`.
struct Block {
  int64_t first = 0, last = 0;
};
/// All programs of a campaign, in blocks.
std::vector<Block> blocks_of(int64_t programs);

struct EndedProgram {
  int64_t index = 0;
  std::string how;  ///< "SIGSEGV"
};

struct BlockResult {
  CampaignResult counts = {};
  std::vector<int64_t> failures = {}, unexplained = {};  ///< programs, the first few
  std::vector<EndedProgram> ended = {};                  ///< programs that ended their process
};

/// Runs a block, but not the programs known to end the process. Notes the program it is at.
BlockResult run_block(const CampaignOptions& options, Block block,
                      const std::vector<EndedProgram>& ended, ToParent& note);
/// The program that a note of run_block() is about; none for an empty note.
std::optional<int64_t> noted_program(const std::string& note);
std::string block_text(const BlockResult& result);
/// Throws std::exception for a text that block_text() did not make.
BlockResult block_of(const std::string& text);
/// The campaign of all its blocks, in order; shrinks the first failures.
CampaignResult campaign_of(const CampaignOptions& options, const std::vector<BlockResult>& blocks);

}  // namespace notape::verify::alias
