#include "autograd/modes/deterministic.h"

#include "autograd/modes/thread_state.h"

namespace notape {

void set_deterministic(bool wanted) { thread_state.deterministic = wanted; }
bool is_deterministic() { return thread_state.deterministic; }

DeterministicGuard::DeterministicGuard(bool wanted)
    : before_(std::exchange(thread_state.deterministic, wanted)) {}
DeterministicGuard::~DeterministicGuard() { thread_state.deterministic = before_; }

void refuse_if_deterministic(const Operation& op, Device device) {
  if (!thread_state.deterministic) return;
  op.fail<NotDeterministic>(
      "does not have a deterministic implementation on {}, but set_deterministic(true) was called",
      to_string(device));
}

}  // namespace notape
