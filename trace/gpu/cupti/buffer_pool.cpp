#include "trace/gpu/cupti/buffer_pool.h"

#include <sys/mman.h>

#include <algorithm>

namespace notape::trace::cupti {

BufferPool::BufferPool(std::size_t buffer_bytes, std::size_t most_bytes)
    : buffer_bytes_(buffer_bytes), places_(std::max<std::size_t>(most_bytes / buffer_bytes, 1)) {}

BufferPool::~BufferPool() {
  for (const Place& place : places_)
    if (place.data) munmap(place.data, buffer_bytes_);
}

std::span<uint8_t> BufferPool::request() noexcept {
  const std::lock_guard guard(lock_);
  for (Place& place : places_) {
    if (place.state == State::Absent) {
      void* const data =
          mmap(nullptr, buffer_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (data == MAP_FAILED) break;
      place.data = static_cast<uint8_t*>(data);
      place.state = State::Free;
    }
    if (place.state != State::Free) continue;
    place.state = State::Lent;
    return {place.data, buffer_bytes_};
  }
  ++refused_;
  return {};
}

void BufferPool::complete(const uint8_t* data, std::size_t valid) noexcept {
  const std::lock_guard guard(lock_);
  const auto place = std::find_if(places_.begin(), places_.end(), [&](const Place& candidate) {
    return candidate.state == State::Lent && candidate.data == data;
  });
  if (place == places_.end()) return;
  place->state = valid ? State::Full : State::Free;
  place->valid = std::min(valid, buffer_bytes_);
  place->order = completed_++;
}

std::vector<std::span<const uint8_t>> BufferPool::full() const {
  std::vector<Place> found;
  {
    const std::lock_guard guard(lock_);
    std::copy_if(places_.begin(), places_.end(), std::back_inserter(found),
                 [](const Place& place) { return place.state == State::Full; });
  }
  std::sort(found.begin(), found.end(),
            [](const Place& a, const Place& b) { return a.order < b.order; });
  std::vector<std::span<const uint8_t>> result;
  for (const Place& place : found) result.emplace_back(place.data, place.valid);
  return result;
}

void BufferPool::give_back() noexcept {
  const std::lock_guard guard(lock_);
  for (Place& place : places_)
    if (place.state == State::Full) place.state = State::Free;
}

uint64_t BufferPool::refused() const {
  const std::lock_guard guard(lock_);
  return refused_;
}

std::size_t BufferPool::bytes() const {
  const std::lock_guard guard(lock_);
  return buffer_bytes_ *
         static_cast<std::size_t>(std::count_if(places_.begin(), places_.end(),
                                                [](const Place& place) { return place.data; }));
}

}  // namespace notape::trace::cupti
