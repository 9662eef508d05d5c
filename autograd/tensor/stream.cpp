#include "autograd/tensor/stream.h"

#include <mutex>
#include <set>

#include "autograd/tensor/device_interface.h"
#include "autograd/tensor/storage.h"
#include "autograd/tensor/tensor.h"

namespace notape {
namespace {

/// Sets are kept for ever, each once: who has the address has the set.
const StreamSet* interned(const StreamSet& streams) {
  if (streams == StreamSet()) return nullptr;
  static auto* const lock = new std::mutex;
  static auto* const all = new std::set<StreamSet>;
  const std::lock_guard guard(*lock);
  return &*all->insert(streams).first;
}

void* handle_in(const StreamSet* streams, Device device) {
  return streams ? streams->handles[static_cast<std::size_t>(device.index)] : nullptr;
}

}  // namespace

void Stream::synchronize() const {
  device_interface(device).synchronize_stream(device.index, handle);
}

Stream current_stream(Device device) {
  const bool has_streams = device.is_cuda() && device.index >= 0 && device.index < kMaxDevices;
  return {device, has_streams ? handle_in(thread_state.streams, device) : nullptr};
}

void set_current_stream(const Stream& stream) {
  if (stream == current_stream(stream.device)) return;
  if (!stream.device.is_cuda() || stream.device.index < 0 || stream.device.index >= kMaxDevices)
    throw DeviceError("{} has no stream besides the default one", to_string(stream.device));
  StreamSet streams = thread_state.streams ? *thread_state.streams : StreamSet();
  streams.handles[static_cast<std::size_t>(stream.device.index)] = stream.handle;
  thread_state.streams = interned(streams);
}

Stream new_stream(Device device) {
  return {device, device_interface(device).new_stream(device.index)};
}

Event::Event() = default;
Event::~Event() = default;
Event::Event(Event&&) noexcept = default;
Event& Event::operator=(Event&&) noexcept = default;

void Event::record(const Stream& stream) {
  if (!event_ || device_ != stream.device)
    event_ = device_interface(stream.device).make_event(stream.device.index);
  device_ = stream.device;
  if (event_) event_->record(stream.handle);
}

void Event::block(const Stream& stream) const {
  if (!event_) return;
  if (stream.device.type == device_.type)
    event_->block(stream.device.index, stream.handle);
  else
    event_->synchronize();
}

void Event::synchronize() const {
  if (event_) event_->synchronize();
}

bool Event::query() const { return !event_ || event_->has_happened(); }

void record_stream(const Tensor& tensor, const Stream& stream) {
  if (tensor.device().of_samples() != stream.device)
    throw DeviceError("record_stream: a tensor on {} and a stream of {}",
                      to_string(tensor.device()), to_string(stream.device));
  device_interface(stream.device)
      .record_stream(tensor.impl().storage()->data(), stream.device.index, stream.handle);
}

void synchronize(Device device) { device_interface(device).synchronize(device.index); }

void order_streams(const StreamSet* later, const StreamSet* earlier) {
  for (int i = 0; i < kMaxDevices; ++i) {
    const Device device(kCUDA, i);
    void *const first = handle_in(earlier, device), *const then = handle_in(later, device);
    if (first == then) continue;
    Event event;
    event.record({device, first});
    event.block({device, then});
  }
}

void record_streams(const Tensor& tensor, const StreamSet* streams) {
  if (!tensor.defined()) return;
  const Device device = tensor.device().of_samples();
  if (device.is_cuda()) record_stream(tensor, {device, handle_in(streams, device)});
}

}  // namespace notape
