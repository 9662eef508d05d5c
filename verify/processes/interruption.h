// Interruption: Ctrl-C and SIGTERM end a run at the next safe point; what was found so far is
// reported.
#pragma once
#include <string>

#include "autograd/error.h"

namespace notape::verify {

/// Thrown if the interrupted work has nothing to report.
struct Interrupted : ErrorOf<"Interrupted"> {
  using ErrorOf::ErrorOf;
};

/// While it lives, the first SIGINT or SIGTERM is a request that runs look at between two cases,
/// programs or operators; a second one ends the process at once, and leaves neither a drawn bar nor
/// a half-written file. One that comes within a quarter of a second is the first one again, as
/// `timeout` sends it. Signals that the caller ignores (nohup) stay ignored.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  static bool requested() noexcept;
  /// Throws Interrupted if it is requested.
  static void check();
  /// "SIGINT"; empty if nothing was requested.
  static std::string name();
  /// 128 and the signal's number, as a shell has it: 130 for SIGINT, 143 for SIGTERM.
  static int exit_code();

  /// In a forked child of a run: what the parent does about these signals is not its business, and
  /// the parent ends it.
  static void leave_to_parent() noexcept;
};

}  // namespace notape::verify
