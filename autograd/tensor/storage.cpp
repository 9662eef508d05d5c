#include "autograd/tensor/storage.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <vector>

#include "autograd/error.h"
#include "autograd/modes/thread_state.h"
#include "autograd/tensor/batch.h"
#include "autograd/tensor/device_allocator.h"
#include "autograd/tensor/device_interface.h"
#include "autograd/tensor/fingerprint.h"
#include "autograd/tensor/memory_observer.h"

namespace notape {
namespace {

constexpr std::size_t kHeader = (sizeof(Storage) + 63) / 64 * 64;
/// Payloads up to this many bytes live in the storage's own block, which spares an allocation.
constexpr std::size_t kMostInside = 448;

/// The bytes of a storage with its payload.
constexpr std::size_t block_of(std::size_t payload) {
  return kHeader + std::max(payload, pool::kGranule);
}

/// count() of both, which one thread's counters have.
void count_storages(int64_t storages, int64_t bytes) {
  count(Count::LiveStorages, storages);
  std::atomic<int64_t>& live = detail::thread_counters.values[static_cast<int>(Count::LiveBytes)];
  live.store(live.load(std::memory_order_relaxed) + bytes, std::memory_order_relaxed);
}

}  // namespace

struct Storage::Extra {
  Deleter deleter;  // of foreign memory, and of a program's own allocator
  DeviceType pinned_for = kCPU;
  std::optional<Batch> batch;
  std::mutex mutex;
  std::vector<WriteWatcher*> watchers;
  std::unique_ptr<const ByteSnapshot> handed_out;  // as it was when a pointer first was
  /// Regions that user functions' forwards have written unrecorded, by the first and the last.
  struct Unrecorded {
    Geometry region;
    int64_t item_size;
    uint32_t first, last;
  };
  std::vector<Unrecorded> unrecorded;
  uint64_t first_recorded_in = 0;
};
static_assert(kHeader == pool::kGranule && kHeader + kMostInside <= pool::kLargestBlock);

inline Storage::Storage(std::size_t bytes, Device device)
    : bytes_(bytes), device_(device), traits_(thread_state.inference_mode ? kInference : 0) {}

inline Storage::~Storage() = default;

/// Sets the data to what `take` returns; if it throws, nothing is left of the storage.
template <typename Take>
void Storage::allocate_outside(Storage* storage, const Take& take) {
  try {
    storage->data_ = take();
  } catch (...) {
    storage->~Storage();
    pool::deallocate(storage, sizeof(Storage));
    throw;
  }
}

Ref<Storage> Storage::allocate(std::size_t bytes, Device device) {
  // Out of the way of what most small tensors need: its registers are saved by nobody else.
  const auto elsewhere = [](std::size_t size, Device place, const PluggableAllocator* allocator)
      __attribute__((noinline)) {
    if (size <= kMostInside && place.is_cpu() && !allocator) {
      auto* inside = new (pool::allocate(block_of(size))) Storage(size, place);
      inside->inline_ = true;
      inside->data_ = reinterpret_cast<char*>(inside) + kHeader;
      return inside;
    }
    auto* fresh = new (pool::allocate_granules<1>()) Storage(size, place);
    if (allocator) {
      allocate_outside(fresh, [&] {
        fresh->make_extra().deleter = [allocator, size](void* data) {
          allocator->release(data, size, 0, nullptr);
        };
        if (void* const data = allocator->allocate(size, 0, nullptr)) return data;
        throw OutOfMemory("the program's own allocator has no {} bytes on the CPU", size);
      });
      fresh->special_ = true;
    } else if (place.is_cpu()) {
      try {
        fresh->data_ = pool::allocate(size);
      } catch (const std::bad_alloc&) {
        fresh->~Storage();
        pool::deallocate(fresh, sizeof(Storage));
        throw OutOfMemory("cannot allocate {} bytes on the CPU", size);
      }
    } else {
      allocate_outside(fresh, [&] { return device_interface(place).allocate(size, place.index); });
    }
    return fresh;
  };
  const PluggableAllocator* const own =
      device.is_cpu() && bytes > 0 ? own_cpu_allocator.load(std::memory_order_acquire) : nullptr;
  Storage* storage = nullptr;
  if (bytes <= pool::kGranule && device.is_cpu() && !own) [[likely]] {
    storage = new (pool::allocate_granules<2>()) Storage(bytes, device);
    storage->inline_ = true;
    storage->data_ = reinterpret_cast<char*>(storage) + kHeader;
  } else {
    storage = elsewhere(bytes, device, own);
  }
  count_storages(1, static_cast<int64_t>(bytes));
  if (thread_state.memory_session) [[unlikely]]
    storage->tell_allocated();
  return Ref<Storage>::adopt(storage);
}

Ref<Storage> Storage::foreign(void* data, std::size_t bytes, Device device, Deleter deleter) {
  auto extra = std::make_unique<Extra>();
  extra->deleter = std::move(deleter);
  auto* storage = new (pool::allocate(sizeof(Storage))) Storage(bytes, device);
  storage->data_ = data;
  storage->traits_ |= kForeign;
  storage->extra_ = std::move(extra);
  storage->special_ = true;
  count_storages(1, static_cast<int64_t>(bytes));
  return Ref<Storage>::adopt(storage);
}

Ref<Storage> Storage::pinned(std::size_t bytes, DeviceType device) {
  auto extra = std::make_unique<Extra>();
  extra->pinned_for = device;
  auto* storage = new (pool::allocate(sizeof(Storage))) Storage(bytes, kCPU);
  allocate_outside(storage, [&] { return device_interface(device).allocate_pinned(bytes); });
  storage->write_care_ = kPinned;
  storage->extra_ = std::move(extra);
  storage->special_ = true;
  count_storages(1, static_cast<int64_t>(bytes));
  if (thread_state.memory_session) [[unlikely]]
    storage->tell_allocated();
  return Ref<Storage>::adopt(storage);
}

bool Storage::is_pinned_for(DeviceType device) const {
  return is_pinned() && extra_->pinned_for == device;
}

void Storage::finish_copies() const { device_interface(extra_->pinned_for).finish_copies(data_); }

// An address that no access through it survives, whatever offset is added: code that takes a
// batched tensor for one in memory stops there instead of computing with the wrong sample.
static void* const kNoData = reinterpret_cast<void*>(uintptr_t{1} << 62);

Ref<Storage> Storage::batched(Batch batch, std::size_t bytes) {
  const Device device = Device::batched_over(batch.samples->device());
  auto extra = std::make_unique<Extra>();
  extra->batch = std::move(batch);
  auto* storage = new (pool::allocate(sizeof(Storage))) Storage(bytes, device);
  storage->data_ = kNoData;
  storage->extra_ = std::move(extra);
  storage->special_ = true;
  count_storages(1, static_cast<int64_t>(bytes));
  return Ref<Storage>::adopt(storage);
}

const Batch* Storage::batch() const { return extra_ && extra_->batch ? &*extra_->batch : nullptr; }

void Storage::destroy() noexcept {
  count_storages(-1, -static_cast<int64_t>(bytes_));
  if (inline_) {
    const std::size_t bytes = bytes_;
    this->~Storage();
    return bytes <= pool::kGranule ? pool::deallocate(this, block_of(pool::kGranule))
                                   : pool::deallocate(this, block_of(bytes));
  }
  if (special_) return destroy_special();
  if (device_.is_cpu()) {
    pool::deallocate(data_, bytes_);
  } else {
    device_interface(device_).deallocate(data_, bytes_, device_.index);
  }
  this->~Storage();
  pool::deallocate(this, sizeof(Storage));
}

/// Devices have allocators that know more than this, and tell of it themselves.
void Storage::tell_allocated() noexcept {
  if (!device_.is_cpu()) return;
  memory_session_ =
      tell_cpu_memory(thread_state.memory_session, data_, static_cast<int64_t>(bytes_));
  if (memory_session_ == 0) return;
  special_ = true;
  inline_ = false;
}

void Storage::destroy_special() noexcept {
  const bool has_deleter = extra_ && extra_->deleter;
  const bool inside = memory_session_ != 0 && bytes_ <= kMostInside && !is_pinned() && !has_deleter;
  if (memory_session_ != 0) tell_cpu_memory(memory_session_, data_, -static_cast<int64_t>(bytes_));
  if (is_pinned()) {
    device_interface(extra_->pinned_for).deallocate_pinned(data_, bytes_);
  } else if (has_deleter) {
    extra_->deleter(data_);
  } else if (memory_session_ != 0 && !inside) {
    pool::deallocate(data_, bytes_);
  }
  const std::size_t block = inside ? block_of(bytes_) : sizeof(Storage);
  this->~Storage();
  pool::deallocate(this, block);
}

/// Values saved from now on are fingerprinted. Those saved before were not: for them, what the
/// pointer's receiver finds is remembered.
void Storage::hand_out() {
  static constinit std::mutex one_at_a_time;  // a pointer may be taken for reading in any thread
  const std::lock_guard lock(one_at_a_time);
  if (is_foreign()) return;
  const bool is_checked = thread_state.alias_policy != AliasPolicy::UnsafeRawWrites;
  if (readers() != 0 && is_checked && device_.is_cpu()) {
    make_extra().handed_out = std::make_unique<ByteSnapshot>(data_, bytes_);
    version_ |= kHandedOut;
  }
  traits_ |= kForeign;
}

bool Storage::is_as_handed_out(const Geometry& region, int64_t item_size) const {
  return !extra_ || !extra_->handed_out || extra_->handed_out->agrees(data_, region, item_size);
}

bool Storage::has_unrecorded_region(uint32_t call, const Geometry& region,
                                    int64_t item_size) const {
  return std::any_of(
      extra_->unrecorded.begin(), extra_->unrecorded.end(), [&](const Extra::Unrecorded& one) {
        return call - one.first <= one.last - one.first &&  // numbers may wrap around
               overlaps(one.region, one.item_size, region, item_size);
      });
}

void Storage::mark_unrecorded(uint32_t call, const Geometry& region, int64_t item_size,
                              bool keeps_old) {
  constexpr std::size_t kMost = 16;
  if (unrecorded_by_ == call || region.numel() == 0) return;
  std::vector<Extra::Unrecorded>& all = make_extra().unrecorded;
  for (Extra::Unrecorded& one : all)
    if (one.region == region && one.item_size == item_size) {
      one.last = call;
      if (!keeps_old) one.first = call;
      return;
    }
  all.push_back({region, item_size, call, call});
  if (all.size() <= kMost) return;
  // One for the bytes that all of them span, and for every call since the first.
  int64_t begin = INT64_MAX, end = 0;
  uint32_t oldest = 0;
  for (const Extra::Unrecorded& one : all) {
    begin = std::min(begin, one.region.offset() * one.item_size);
    end = std::max(end, one.region.storage_end() * one.item_size);
    oldest = std::max(oldest, call - one.first);
  }
  all.assign(1, {Geometry({end - begin}, {1}, begin), 1, call - oldest, call});
}

void Storage::clear_unrecorded(const Geometry& region, int64_t item_size) {
  const bool is_all =
      region.is_dense() && region.numel() * item_size == static_cast<int64_t>(bytes_);
  if (is_all) unrecorded_by_ = 0;
  if (!extra_) return;
  std::erase_if(extra_->unrecorded, [&](const Extra::Unrecorded& one) {
    return is_all || (one.region == region && one.item_size == item_size);
  });
}

uint64_t Storage::first_recorded_in() const { return extra_ ? extra_->first_recorded_in : 0; }

void Storage::set_first_recorded_in(uint64_t run) { make_extra().first_recorded_in = run; }

void Storage::log_write(const Geometry& region, int64_t item_size, const char* operator_name,
                        const SourceLocation& at, const Writer& writer, bool recorded) {
  if (!log_) log_ = std::make_unique<WriteLog>();
  log_->append({version(), region, item_size, operator_name, at, writer, recorded});
}

Storage::Extra& Storage::make_extra() {
  if (!extra_) extra_ = std::make_unique<Extra>();
  return *extra_;
}

void Storage::add_watcher(WriteWatcher* watcher) {
  Extra& extra = make_extra();
  const std::lock_guard lock(extra.mutex);
  extra.watchers.push_back(watcher);
}

void Storage::remove_watcher(WriteWatcher* watcher) noexcept {
  const std::lock_guard lock(extra_->mutex);
  std::erase(extra_->watchers, watcher);
}

void Storage::tell_all_watchers(const Geometry& region, int64_t item_size) {
  const std::lock_guard lock(extra_->mutex);
  for (WriteWatcher* watcher : extra_->watchers) watcher->before_write(region, item_size);
}

}  // namespace notape
