// spawn: the same work in several processes (torch.multiprocessing.spawn).
#pragma once
#include <functional>

#include "autograd/error.h"

namespace notape::multiprocessing {

/// Names the rank that failed, and how.
struct ProcessFailed : ErrorOf<"ProcessFailed"> {
  using ErrorOf::ErrorOf;
};

/// Runs work(rank), ranks 0 to count - 1, each in a process forked from this one, and waits for
/// all. In these, operations run on one thread, and what is printed is not written twice. If one
/// throws or dies the others are killed and ProcessFailed is thrown. Children die with this
/// process. Throws std::system_error if there can be no more processes.
void spawn(int count, const std::function<void(int rank)>& work);

}  // namespace notape::multiprocessing
