#include "paper_examples/command/command.h"

namespace notape::command {

std::span<const Command> all_commands() {
  static constexpr Command kCommands[] = {
      {"verify", "check the gradients of the operators", verify},
      {"examples", "run the programs of the two papers", examples},
      {"trace", "record timelines, and answer questions about them", trace},
      {"overlap", "how much of the GPU's work and the host's happens at the same time", overlap},
      {"latency", "what one operation costs besides its arithmetic", latency},
      {"bench", "training throughput beside PyTorch, and records of measurements", bench_command},
      {"ops", "the operators: signatures, derivatives, what they take", ops},
  };
  return kCommands;
}

}  // namespace notape::command
