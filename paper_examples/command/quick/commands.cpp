// The command without the papers' models and without timelines, for the first verdict on a machine.
#include "paper_examples/command/command.h"

namespace notape::command {

std::span<const Command> all_commands() {
  static constexpr Command kCommands[] = {
      {"verify", "check the gradients of the operators", verify},
      {"ops", "the operators: signatures, derivatives, what they take", ops},
  };
  return kCommands;
}

int verify_models(const Arguments&) {
  return complain("notape verify models",
                  "this program has no models; `./run build` makes build/notape, which has");
}

}  // namespace notape::command
