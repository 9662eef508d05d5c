// OtherLibrary: a program with LibTorch, or Python with PyTorch, that measures the same operations
// and gets a command for each batch: it is silent between two, so batches of several libraries can
// alternate.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "trace/latency/line_process.h"
#include "trace/latency/source.h"

namespace notape::trace {

/// How to start one, or why it cannot be started.
struct OtherLibrary {
  std::string key;                   ///< in names of figures: "libtorch", "pytorch_2"
  std::string name;                  ///< for people, until it says its own: "LibTorch"
  std::vector<std::string> command;  ///< program, looked for on PATH, and arguments
  std::string missing = {};          ///< why there is no command
};

/// The program answers "ready<TAB>NAME" or "missing<TAB>REASON", and then each line
/// "OPERATION CLASS SIZE CALLS" with the ns that these calls took.
class OtherProcess final : public Source {
 public:
  /// Starts it, with one thread, and waits until it is ready. Throws ProcessError with the reason
  /// if it cannot be started, ends, or says that it is missing something, and if `enough` says so
  /// before it is ready.
  explicit OtherProcess(const OtherLibrary& library, const std::function<bool()>& enough = {});
  /// "LibTorch 1.13.1, C++".
  const std::string& name() const { return process_.name(); }
  int64_t run(const Work& work, int64_t calls) override;

 private:
  LineProcess process_;
};

}  // namespace notape::trace
