// Goes on upon another thread's stack while the caller waits.
#pragma once
#include <functional>

namespace notape {

/// Runs `work` on a new thread with a stack of its own, in the caller's thread state, and returns
/// when it is done; what it throws arrives here. Throws BackwardTooDeep if there is no thread to be
/// had.
void on_fresh_stack(const std::function<void()>& work);

}  // namespace notape
