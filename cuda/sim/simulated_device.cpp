#include "cuda/sim/simulated_device.h"

#include <sys/mman.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <new>
#include <string>
#include <utility>

#include "autograd/error.h"
#include "autograd/tensor/large_pages.h"

namespace notape::sim {
namespace {

constexpr std::size_t kGranule = 512, kLargePage = std::size_t{2} << 20;

constexpr std::size_t rounded(std::size_t bytes, std::size_t step) {
  return (bytes + step - 1) / step * step;
}

/// "always [madvise] never"
bool has_large_pages() {
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string text;
  return std::getline(file, text) && text.find("[never]") == text.npos;
}

}  // namespace

SimulatedDevice::SimulatedDevice(std::size_t capacity)
    : closes_memory_(has_large_pages()),
      capacity_(rounded(capacity, kLargePage)),
      mapped_bytes_(capacity_ + kLargePage) {
  mapped_ =
      ::mmap(nullptr, mapped_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped_ == MAP_FAILED) throw OutOfMemory("sim: no addresses for {} bytes", capacity);
  memory_ = static_cast<char*>(mapped_);
  memory_ += -reinterpret_cast<uintptr_t>(mapped_) % kLargePage;
  end_ = memory_;
  ask_for_large_pages(memory_, capacity_);
}

SimulatedDevice::~SimulatedDevice() { ::munmap(mapped_, mapped_bytes_); }

void* SimulatedDevice::allocate(std::size_t bytes, int) {
  if (bytes == 0) return nullptr;
  const std::lock_guard guard(lock_);
  if (bytes <= capacity_) {
    const std::size_t wanted = rounded(bytes, kGranule);
    for (auto it = free_.begin(); it != free_.end(); ++it) {
      const auto [begin, length] = *it;
      if (length < wanted) continue;
      free_.erase(it);
      if (length > wanted) free_.emplace(begin + wanted, length - wanted);
      in_use_ += wanted;
      return begin;
    }
    if (wanted <= static_cast<std::size_t>(memory_ + capacity_ - end_)) {
      char* const begin = std::exchange(end_, end_ + wanted);
      in_use_ += wanted;
      if (open_ > 0) set_access(PROT_READ | PROT_WRITE);
      return begin;
    }
  }
  throw OutOfMemory("sim out of memory. Tried to allocate {} bytes where {} of {} are in use",
                    bytes, in_use_, capacity_);
}

void SimulatedDevice::deallocate(void* data, std::size_t bytes, int) noexcept {
  if (!data) return;
  do_queued();
  const std::lock_guard guard(lock_);
  std::size_t length = rounded(bytes, kGranule);
  in_use_ -= length;
  char* begin = static_cast<char*>(data);
  auto after = free_.lower_bound(begin);
  if (after != free_.end() && after->first == begin + length) {
    length += after->second;
    after = free_.erase(after);
  }
  if (after != free_.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == begin) {
      before->second += length;
      return;
    }
  }
  free_.emplace(begin, length);
}

void SimulatedDevice::copy(void* target, Device, const void* source, Device, std::size_t bytes) {
  if (bytes == 0) return;
  open_memory();
  std::memmove(target, source, bytes);
  close_memory();
}

void* SimulatedDevice::allocate_pinned(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  try {
    return ::operator new (bytes, std::align_val_t{64});
  } catch (const std::bad_alloc&) {
    throw OutOfMemory("sim: cannot pin {} bytes of the CPU's memory", bytes);
  }
}

void SimulatedDevice::deallocate_pinned(void* data, std::size_t) noexcept {
  do_queued();
  ::operator delete (data, std::align_val_t{64});
}

void SimulatedDevice::copy_from_pinned(void* target, Device, const void* source,
                                       std::size_t bytes) {
  if (bytes == 0) return;
  const std::lock_guard guard(lock_);
  queue_.push_back({target, source, bytes});
}

void SimulatedDevice::open_memory() {
  const std::lock_guard guard(lock_);
  open();
}

void SimulatedDevice::close_memory() noexcept {
  const std::lock_guard guard(lock_);
  close();
}

void SimulatedDevice::do_queued() {
  const std::lock_guard guard(lock_);
  if (queue_.empty()) return;
  open();
  close();
}

/// What was queued is done first.
void SimulatedDevice::open() {
  if (open_++ == 0) set_access(PROT_READ | PROT_WRITE);
  for (const QueuedCopy& copy : std::exchange(queue_, {}))
    std::memcpy(copy.target, copy.source, copy.bytes);
}

void SimulatedDevice::close() noexcept {
  if (--open_ == 0 && closes_memory_) set_access(PROT_NONE);
}

/// Of what was ever in use.
void SimulatedDevice::set_access(int protection) noexcept {
  const std::size_t bytes = rounded(static_cast<std::size_t>(end_ - memory_), kLargePage);
  if (bytes > 0) ::mprotect(memory_, bytes, protection);
}

std::size_t SimulatedDevice::bytes_in_use() const {
  const std::lock_guard guard(lock_);
  return in_use_;
}

SimulatedDevice& use_simulated_device() {
  static auto* const device = [] {
    auto* const made = new SimulatedDevice;
    register_device(kSIM, made);
    return made;
  }();
  return *device;
}

}  // namespace notape::sim
