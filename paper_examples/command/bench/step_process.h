// StepProcess: a process that takes steps of training when it is told to, each as long as it needs:
// `notape bench step`, or another library's program.
#pragma once
#include <filesystem>
#include <limits>

#include "trace/latency/line_process.h"
#include "verify/processes/interruption.h"

namespace notape::command::bench {

inline std::filesystem::path own_program() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored);
}

class StepProcess {
 public:
  StepProcess(std::vector<std::string> command, const std::vector<std::string>& variables)
      : process_(std::move(command), variables, kForever, verify::Interruption::check) {}
  const std::string& name() const { return process_.name(); }
  std::string ask(const std::string& line) {
    return process_.ask(line, kForever, verify::Interruption::check);
  }
  double number(const std::string& line) {
    return process_.number(line, kForever, verify::Interruption::check);
  }

 private:
  static constexpr double kForever = std::numeric_limits<double>::infinity();
  trace::LineProcess process_;
};

}  // namespace notape::command::bench
