// Program: another program that runs beside this one, and what it prints.
#pragma once
#include <string>
#include <vector>

#include "verify/processes/child.h"

namespace notape::verify {

/// No shell: words are only words. It ends with this object and, should this process be killed,
/// with this process.
class Program {
 public:
  enum class Errors { Shown, Dropped };

  /// Throws std::system_error if there can be no child.
  explicit Program(std::vector<std::string> words, Errors errors = Errors::Shown);

  /// All of its standard output, when it has ended; nothing if it could not be started. Throws
  /// Interrupted.
  std::string output();
  /// How it ended: "exit(0)" as a program does that had no trouble, "exit(127)" if it could not be
  /// started, "SIGSEGV".
  const std::string& end() const { return end_; }

 private:
  Child child_;
  std::string end_;
};

}  // namespace notape::verify
