// A crash inside an operator ends the command, but not without a word: which case it was, how to
// replay it, and exit code 6.
#pragma once
#include <string>

namespace notape::verify {

/// While it lives, fatal signals print the present context, leave its case in a file where later
/// commands look, and exit with code 6.
class CrashGuard {
 public:
  CrashGuard();
  ~CrashGuard();
  CrashGuard(const CrashGuard&) = delete;
  CrashGuard& operator=(const CrashGuard&) = delete;

  /// What is about to run on this thread, and what to leave in the file of cases.
  static void set_context(const std::string& text, const std::string& case_line = "");
};

}  // namespace notape::verify
