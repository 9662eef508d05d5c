// LabelledOutput: what children print, line by line, with a label in front.
#pragma once
#include <sys/types.h>

#include <string>

namespace notape::verify {

/// While it lives, children that call take_over() print to this process's standard error by way of
/// a process that puts `label` before every line. Its end waits until all has been printed, and
/// changes nothing of how the children end.
class LabelledOutput {
 public:
  /// Throws std::system_error if there can be no process.
  explicit LabelledOutput(const std::string& label);
  ~LabelledOutput();
  LabelledOutput(const LabelledOutput&) = delete;
  LabelledOutput& operator=(const LabelledOutput&) = delete;

  /// In a child: standard output and error go through it.
  void take_over() const noexcept;

 private:
  int write_end_ = -1;
  pid_t printer_ = -1;
};

}  // namespace notape::verify
