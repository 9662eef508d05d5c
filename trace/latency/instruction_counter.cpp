#include "trace/latency/instruction_counter.h"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace notape::trace {
namespace {

const char* hint_of(int error) {
  switch (error) {
    case ENOENT:
    case EOPNOTSUPP:
    case ENODEV:
      return "this processor, or its virtual machine, has none";
    case EACCES:
    case EPERM:
      return "not permitted, see /proc/sys/kernel/perf_event_paranoid";
    default:
      return "the kernel refuses";
  }
}

}  // namespace

InstructionCounter::Event InstructionCounter::instructions() {
  return {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS};
}

InstructionCounter::Event InstructionCounter::thread_time() {
  return {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK};
}

InstructionCounter::InstructionCounter(Event event) {
  perf_event_attr attributes{};
  attributes.size = sizeof(attributes);
  attributes.type = event.type;
  attributes.config = event.config;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  descriptor_ =
      static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
  if (descriptor_ < 0) {
    const int error = errno;
    reason_ = fmt::format("no perf counters: perf_event_open: {} ({})", std::strerror(error),
                          hint_of(error));
  } else if (read() < 0) {
    reason_ = "no perf counters: what was opened cannot be read";
  }
}

InstructionCounter::~InstructionCounter() {
  if (descriptor_ >= 0) close(descriptor_);
}

int64_t InstructionCounter::read() const {
  int64_t count = -1;
  if (descriptor_ < 0 || ::read(descriptor_, &count, sizeof(count)) != sizeof(count)) return -1;
  return count;
}

}  // namespace notape::trace
