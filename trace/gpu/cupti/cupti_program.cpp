#include "trace/gpu/cupti/cupti_program.h"

#include <utility>

namespace notape::trace::cupti {

void CuptiProgram::try_to_start() noexcept {
  if (!hooks_.is_gpu_in_use()) return;
  {
    const std::lock_guard guard(lock_);
    if (was_tried_.load(std::memory_order_relaxed)) return;
    collector_.start();
    was_tried_.store(true, std::memory_order_release);
  }
  hooks_.started();
}

void CuptiProgram::stop() {
  const std::lock_guard guard(lock_);
  if (!was_tried_.exchange(true)) return;  // nothing begins any more
  if (collector_.is_recording())
    recording_ = collector_.stop();
  else if (recording_.rows.empty())
    recording_.state = collector_.state();
}

DeviceRecording CuptiProgram::finish() {
  stop();
  const std::lock_guard guard(lock_);
  return std::move(recording_);
}

}  // namespace notape::trace::cupti
