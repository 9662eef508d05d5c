#include "autograd/modes/deterministic.h"

#include <utility>

#include "autograd/modes/thread_state.h"

namespace notape {

void set_deterministic(bool wanted) { thread_state.deterministic = wanted; }
bool is_deterministic() { return thread_state.deterministic; }

DeterministicGuard::DeterministicGuard(bool wanted)
    : before_(std::exchange(thread_state.deterministic, wanted)) {}
DeterministicGuard::~DeterministicGuard() { thread_state.deterministic = before_; }

}  // namespace notape
