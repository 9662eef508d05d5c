#include "trace/latency/other_library.h"

#include <fmt/format.h>

namespace notape::trace {
namespace {

constexpr double kSecondsToStart = 120, kSecondsToAnswer = 60;

const std::vector<std::string>& command_of(const OtherLibrary& library) {
  if (!library.missing.empty()) throw ProcessError("{}", library.missing);
  return library.command;
}

}  // namespace

// One thread for each of the libraries that loops may be in.
OtherProcess::OtherProcess(const OtherLibrary& library, const std::function<bool()>& enough)
    : process_(
          command_of(library), {"OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "MKL_NUM_THREADS=1"},
          kSecondsToStart, [&] {
            if (enough && enough())
              throw ProcessError("{}: interrupted before it was ready", library.command.front());
          }) {}

int64_t OtherProcess::run(const Work& work, int64_t calls) {
  const std::string line =
      fmt::format("{} {} {} {}", work.operation, name_of(work.work), work.size, calls);
  return static_cast<int64_t>(process_.number(line, kSecondsToAnswer));
}

}  // namespace notape::trace
