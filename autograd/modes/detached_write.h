// DetachedWriteGuard: whether memory may be written through detach() and .data().
#pragma once
#include <utility>

#include "autograd/modes/thread_state.h"

namespace notape {

/// Under DetachedWrite::Error every write through a tensor made by detach() or .data(), or through
/// a view of one, raises AliasedInPlace before anything has changed; clone() gives memory of its
/// own. For this thread and scope.
class DetachedWriteGuard {
 public:
  explicit DetachedWriteGuard(DetachedWrite wanted)
      : before_(std::exchange(thread_state.detached_write, wanted)) {}
  ~DetachedWriteGuard() { thread_state.detached_write = before_; }
  DetachedWriteGuard(const DetachedWriteGuard&) = delete;
  DetachedWriteGuard& operator=(const DetachedWriteGuard&) = delete;

 private:
  DetachedWrite before_;
};

}  // namespace notape
