#include "trace/gpu/gpu_session.h"

#include <unistd.h>

#include <optional>

#include "trace/gpu/cupti/collector.h"
#include "trace/gpu/cupti/correlation_observer.h"
#include "trace/gpu/cupti/cupti_library.h"
#include "trace/gpu/sim/simulation_observer.h"

namespace notape::trace {
namespace {

/// CUPTI takes the recorder's clock once per process, and its buffers are asked for at any time.
cupti::Collector& collector() {
  static auto* const only = new cupti::Collector(cupti::cupti_library());
  return *only;
}

bool has_driver() { return access("/dev/nvidiactl", F_OK) == 0; }

}  // namespace

struct GpuSession::State {
  Observer* behind;
  std::optional<cupti::CorrelationObserver> correlation;
  std::optional<SimulationObserver> simulation;
  DeviceRecording recording;
  std::string line;
};

GpuSession::GpuSession(GpuSource source, Observer& behind)
    : state_(new State{&behind, {}, {}, {}, {}}) {
  if (source == GpuSource::Auto) source = has_driver() ? GpuSource::Cupti : GpuSource::Off;
  if (source == GpuSource::Simulated) {
    state_->simulation.emplace(behind);
    state_->line = "GPU: simulated; its times are invented";
  } else if (source == GpuSource::Cupti) {
    if (collector().start()) state_->correlation.emplace(behind, cupti::cupti_library());
    state_->line = "GPU: CUPTI is " + collector().state();
    if (!state_->correlation) state_->line += "; rows of the CPU alone";
  }
}

GpuSession::~GpuSession() = default;

Observer& GpuSession::in_front() {
  if (state_->simulation) return *state_->simulation;
  if (state_->correlation) return *state_->correlation;
  return *state_->behind;
}

std::string GpuSession::line() const { return state_->line; }

void GpuSession::finish() {
  if (state_->simulation) state_->recording = state_->simulation->finish();
  if (state_->line.starts_with("GPU: CUPTI")) state_->recording = collector().stop();
}

DeviceRecording GpuSession::take() { return std::move(state_->recording); }

}  // namespace notape::trace
