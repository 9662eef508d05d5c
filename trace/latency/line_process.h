// LineProcess: a program that does something when it is asked to, and is silent between, so that
// several can take turns. It answers "ready<TAB>NAME" or "missing<TAB>REASON", and then each line
// with a line.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "autograd/error.h"

namespace notape::trace {

/// A process cannot be started, ends, or says what it should not: in one line.
struct ProcessError : ErrorOf<"ProcessError"> {
  using ErrorOf::ErrorOf;
};

class LineProcess {
 public:
  /// Called ten times a second while an answer is awaited; what it throws ends the waiting.
  using Check = std::function<void()>;

  /// Starts the program, looked for on PATH, with `variables` ("NAME=value") in its environment,
  /// and waits until it is ready, at most `seconds` long. Throws ProcessError.
  LineProcess(std::vector<std::string> command, const std::vector<std::string>& variables,
              double seconds, const Check& check = {});
  /// Ends it.
  ~LineProcess();
  LineProcess(const LineProcess&) = delete;
  LineProcess& operator=(const LineProcess&) = delete;

  /// "PyTorch 2.15.0, Python 3.11.7"
  const std::string& name() const { return name_; }
  /// Sends a line and waits for the answer. Throws ProcessError if the process ends.
  std::string ask(const std::string& line, double seconds, const Check& check = {});
  /// An answer that is a number, not negative.
  double number(const std::string& line, double seconds, const Check& check = {});

 private:
  void start(std::vector<std::string> command, const std::vector<std::string>& variables);
  std::string answer(double seconds, const Check& check);
  [[noreturn]] void fail(const std::string& what);
  std::string last_words() const;
  void end() noexcept;

  std::string program_, name_, unread_;
  int channel_ = -1, errors_ = -1, process_ = -1;
};

}  // namespace notape::trace
