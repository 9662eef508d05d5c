// A crash inside an operator ends the command, but not without a word: which case it was, how to
// replay it, and exit code 6.
#pragma once
#include <string>

namespace notape::verify {

/// While it lives, fatal signals print the present context and exit with code 6.
class CrashGuard {
 public:
  CrashGuard();
  ~CrashGuard();
  CrashGuard(const CrashGuard&) = delete;
  CrashGuard& operator=(const CrashGuard&) = delete;

  /// What is about to run on this thread.
  static void set_context(const std::string& text);
};

}  // namespace notape::verify
