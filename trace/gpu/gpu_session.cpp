#include "trace/gpu/gpu_session.h"

#include <unistd.h>

#include <optional>

#include "trace/gpu/cupti/collector.h"
#include "trace/gpu/cupti/correlation_observer.h"
#include "trace/gpu/cupti/cupti_library.h"
#include "trace/gpu/emulated/emulated_device.h"

namespace notape::trace {
namespace {

using cupti::collector;

}  // namespace

bool has_gpu_driver() noexcept { return access("/dev/nvidiactl", F_OK) == 0; }

cupti::Collector& cupti::collector() {
  static auto* const only = new Collector(cupti_library());
  return *only;
}

struct GpuSession::State {
  Observer* behind;
  std::optional<EmulatedDevice> emulated;
  std::optional<cupti::CorrelationObserver> correlation;
  DeviceRecording recording;
  std::string line;
};

GpuSession::GpuSession(GpuSource source, Observer& behind)
    : state_(new State{&behind, {}, {}, {}, {}}) {
  if (source == GpuSource::Off) return;
  if (wants_emulated_device()) {
    state_->correlation.emplace(behind, state_->emulated.emplace());
    state_->line = "GPU: emulated: times are stated costs, not measurements";
  } else if (source == GpuSource::Gpu || has_gpu_driver()) {
    if (collector().start()) state_->correlation.emplace(behind, cupti::cupti_library());
    state_->line = "GPU: CUPTI is " + collector().state();
    if (!state_->correlation) state_->line += "; rows of the CPU alone";
  }
}

GpuSession::~GpuSession() = default;

Observer& GpuSession::in_front() {
  if (state_->correlation) return *state_->correlation;
  return *state_->behind;
}

Recorder::Options::ClockFunction GpuSession::clock() const {
  return state_->emulated ? state_->emulated->clock() : nullptr;
}

std::string GpuSession::line() const { return state_->line; }

void GpuSession::finish() {
  if (state_->emulated) state_->recording = state_->emulated->finish();
  if (state_->line.starts_with("GPU: CUPTI")) state_->recording = collector().stop();
}

DeviceRecording GpuSession::take() { return std::move(state_->recording); }

}  // namespace notape::trace
