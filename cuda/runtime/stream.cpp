#include "cuda/runtime/stream.h"

namespace notape::cuda {
namespace {

constinit thread_local StreamHandle current[kMaxDevices] = {};

}  // namespace

Stream current_stream(int device) { return {device, current[device]}; }

void set_current_stream(const Stream& stream) { current[stream.device] = stream.handle; }

Stream StreamPool::next(int device) {
  const std::lock_guard guard(lock_);
  OfDevice& pool = devices_[device];
  if (pool.streams.size() < kStreams) {
    pool.streams.push_back(driver_.make_stream(device));
    return {device, pool.streams.back()};
  }
  return {device, pool.streams[pool.next++ % kStreams]};
}

Event::~Event() {
  if (handle_) driver_->destroy_event(handle_);
}

void Event::record(const Stream& stream) {
  if (!handle_) handle_ = driver_->make_event(stream.device);
  driver_->record(handle_, stream.device, stream.handle);
}

void Event::block(const Stream& stream) const {
  if (handle_) driver_->wait(stream.device, stream.handle, handle_);
}

void Event::synchronize() const {
  if (handle_) driver_->synchronize_event(handle_);
}

bool Event::has_happened() const { return !handle_ || driver_->has_happened(handle_); }

}  // namespace notape::cuda
