#include "trace/gpu/emulated/emulated_device.h"

#include <dlfcn.h>

#include <cstdlib>
#include <string_view>

#include "autograd/error.h"
#include "autograd/tensor/device_interface.h"
#include "autograd/tensor/registered_device.h"
#include "cuda/emulated/activity.h"
#include "trace/record/clock.h"

namespace notape::trace {
namespace {

using emulator::Activity;

/// Null before the device's library is loaded.
const emulator::ActivityFunctions* find_functions() {
  if (!is_device_registered(kCUDA)) return nullptr;
  const auto functions = reinterpret_cast<decltype(&notape_emulated_activity)>(
      dlsym(RTLD_DEFAULT, "notape_emulated_activity"));
  return functions ? functions() : nullptr;
}

const emulator::ActivityFunctions& loaded_functions() {
  device_interface(kCUDA);  // loads it
  const emulator::ActivityFunctions* const functions = find_functions();
  if (!functions) throw DeviceError("the device is not emulated: NOTAPE_CUDA was set too late");
  return *functions;
}

DeviceRowKind kind_of(Activity::Kind kind) {
  constexpr DeviceRowKind kKinds[] = {DeviceRowKind::RuntimeCall, DeviceRowKind::Kernel,
                                      DeviceRowKind::Copy, DeviceRowKind::Fill,
                                      DeviceRowKind::Sync};
  return kKinds[static_cast<int>(kind)];
}

DeviceRow row_of(Activity&& activity) {
  DeviceRow row;
  row.kind = kind_of(activity.kind);
  row.name = std::move(activity.name);
  row.begin_ns = activity.begin_ns;
  row.end_ns = activity.end_ns;
  row.correlation = activity.correlation;
  row.operation = activity.operation;
  row.range = activity.range;
  row.tid = activity.tid;
  row.device = activity.device;
  row.context = row.is_call() ? 0 : 1;
  row.stream = activity.stream;
  row.bytes = activity.bytes;
  row.grid = activity.grid;
  row.block = activity.block;
  row.awaited_stream = activity.awaited_stream;
  row.awaited_correlation = activity.awaited_correlation;
  return row;
}

DeviceRecording finished(const emulator::ActivityFunctions& functions) {
  DeviceRecording result;
  result.device_kind = "emulated";
  result.state = "not used: the device is emulated";
  result.clock = "virtual, the recorder's, too; stated costs: " + functions.stated_costs();
  for (Activity& activity : functions.stop()) result.rows.push_back(row_of(std::move(activity)));
  return result;
}

}  // namespace

bool wants_emulated_device() {
  const char* const wanted = std::getenv("NOTAPE_CUDA");
  return wanted && std::string_view(wanted) == "emulated";
}

EmulatedDevice::EmulatedDevice()
    : AbsentActivity("the GPU is emulated"), functions_(loaded_functions()) {
  functions_.start(0);
}

Recorder::Options::ClockFunction EmulatedDevice::clock() const { return functions_.read_clock; }

DeviceRecording EmulatedDevice::finish() {
  for (int i = 0; i < device_count(kCUDA); ++i) device_interface({kCUDA, i}).synchronize(i);
  return finished(functions_);
}

cupti::ActivityStatus EmulatedDevice::push_external(cupti::ExternalKind kind,
                                                    uint64_t id) noexcept {
  functions_.begin(kind == cupti::ExternalKind::Range, id);
  return {};
}
cupti::ActivityStatus EmulatedDevice::pop_external(cupti::ExternalKind kind) noexcept {
  functions_.end(kind == cupti::ExternalKind::Range);
  return {};
}

DeviceRecording EmulatedProgram::finish() {
  const emulator::ActivityFunctions* const functions = functions_.load();
  return functions ? finished(*functions) : DeviceRecording();
}

void EmulatedProgram::begin() noexcept {
  const emulator::ActivityFunctions* functions = functions_.load(std::memory_order_acquire);
  if (!functions) {
    const std::lock_guard guard(lock_);
    if (!(functions = functions_.load()) && (functions = find_functions())) {
      functions->start(now_ns());
      clock_function.store(functions->read_clock);
      functions_.store(functions, std::memory_order_release);
    }
  }
  if (functions) functions->begin(false, 0);
}
void EmulatedProgram::end() noexcept {
  if (const auto* const functions = functions_.load(std::memory_order_acquire))
    functions->end(false);
}

void EmulatedProgram::operator_begin(const char* name, uint64_t sequence_nr) noexcept {
  ObserverInFront::operator_begin(name, sequence_nr);
  begin();
}
void EmulatedProgram::operator_end(const char* name, uint64_t sequence_nr) noexcept {
  end();
  ObserverInFront::operator_end(name, sequence_nr);
}
void EmulatedProgram::node_begin(const Node& node) noexcept {
  ObserverInFront::node_begin(node);
  begin();
}
void EmulatedProgram::node_end(const Node& node) noexcept {
  end();
  ObserverInFront::node_end(node);
}

}  // namespace notape::trace
