// BackwardRun: what the graph needs from a backward run that works on it; the engine's GraphTask
// is one.
#pragma once
#include "autograd/modes/thread_state.h"
#include "autograd/source_location.h"

namespace notape {

class BackwardRun {
 public:
  struct Options {
    bool keep_graph = false;
    bool create_graph = false;
    /// Run only what leads to a capture or to `accumulate_only`.
    bool restricted = false;
    const char* caller = "backward";
    SourceLocation at = SourceLocation::current();
  };

  BackwardRun(const BackwardRun&) = delete;
  BackwardRun& operator=(const BackwardRun&) = delete;

  const char* caller() const { return options_.caller; }
  const SourceLocation& at() const { return options_.at; }
  /// The run that was interrupted for this one.
  const BackwardRun* outer() const { return outer_; }

 protected:
  explicit BackwardRun(const Options& options) : options_(options), outer_(thread_state.task) {}
  ~BackwardRun() = default;

  const Options options_;

 private:
  const BackwardRun* const outer_;
};

}  // namespace notape
