// StepProcess: a process that takes steps of training when it is told to, and is silent between, so
// that two of them can take turns. It answers "ready<TAB>NAME" or "missing<TAB>REASON", and then
// each line with a line.
#pragma once
#include <string>
#include <vector>

#include "autograd/error.h"

namespace notape::command::bench {

/// What went wrong in the process, in a line.
struct StepError : ErrorOf<"StepError"> {
  using ErrorOf::ErrorOf;
};

class StepProcess {
 public:
  /// Starts the program, looked for on PATH, with `variables` ("NAME=value") in its environment,
  /// and waits until it is ready. Throws StepError with the reason if it cannot be started or ends,
  /// and verify::Interrupted.
  StepProcess(std::vector<std::string> command, const std::vector<std::string>& variables);
  /// Ends it.
  ~StepProcess();
  StepProcess(const StepProcess&) = delete;
  StepProcess& operator=(const StepProcess&) = delete;

  /// "PyTorch 2.15.0, Python 3.11.7"
  const std::string& name() const { return name_; }
  /// Sends a line and waits for the answer, however long. Throws StepError if the process ends, and
  /// verify::Interrupted.
  std::string ask(const std::string& line);
  /// An answer that is a number.
  double number(const std::string& line);

 private:
  std::string answer();
  [[noreturn]] void fail(const std::string& what);
  std::string last_words() const;
  void end() noexcept;

  std::string program_, name_, unread_;
  int channel_ = -1, errors_ = -1, process_ = -1;
};

}  // namespace notape::command::bench
