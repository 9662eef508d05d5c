#include "autograd/tensor/storage.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <vector>

#include "autograd/batching/batch.h"
#include "autograd/error.h"
#include "autograd/modes/thread_state.h"
#include "autograd/tensor/device_interface.h"

namespace notape {
namespace {

constexpr std::size_t kHeader = (sizeof(Storage) + 63) / 64 * 64;

}  // namespace

struct Storage::Extra {
  Deleter deleter;  // of foreign memory
  std::optional<Batch> batch;
  std::mutex mutex;
  std::vector<WriteWatcher*> watchers;
};

inline Storage::Storage(std::size_t bytes, Device device)
    : bytes_(bytes), device_(device), inference_(thread_state.inference_mode) {}

inline Storage::~Storage() = default;

Ref<Storage> Storage::allocate(std::size_t bytes, Device device) {
  const bool fits = bytes <= kInlineBytes && device.is_cpu();
  void* block = pool::allocate(fits ? kHeader + kInlineBytes : sizeof(Storage));
  auto* storage = new (block) Storage(bytes, device);
  if (fits) {
    storage->inline_ = true;
    storage->data_ = static_cast<char*>(block) + kHeader;
  } else if (device.is_cpu()) {
    try {
      storage->data_ = pool::allocate(bytes);
    } catch (const std::bad_alloc&) {
      storage->~Storage();
      pool::deallocate(block, sizeof(Storage));
      throw OutOfMemory("cannot allocate {} bytes on the CPU", bytes);
    }
  } else {
    allocate_outside(storage, bytes, device);
  }
  count(Count::LiveStorages);
  count(Count::LiveBytes, static_cast<int64_t>(bytes));
  return Ref<Storage>::adopt(storage);
}

void Storage::allocate_outside(Storage* storage, std::size_t bytes, Device device) {
  try {
    storage->data_ = device_interface(device).allocate(bytes, device.index);
  } catch (...) {
    storage->~Storage();
    pool::deallocate(storage, sizeof(Storage));
    throw;
  }
}

Ref<Storage> Storage::foreign(void* data, std::size_t bytes, Device device, Deleter deleter) {
  auto extra = std::make_unique<Extra>();
  extra->deleter = std::move(deleter);
  auto* storage = new (pool::allocate(sizeof(Storage))) Storage(bytes, device);
  storage->data_ = data;
  storage->foreign_ = true;
  storage->extra_ = std::move(extra);
  storage->owned_ = false;
  count(Count::LiveStorages);
  count(Count::LiveBytes, static_cast<int64_t>(bytes));
  return Ref<Storage>::adopt(storage);
}

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
  storage->owned_ = false;
  count(Count::LiveStorages);
  count(Count::LiveBytes, static_cast<int64_t>(bytes));
  return Ref<Storage>::adopt(storage);
}

const Batch* Storage::batch() const { return extra_ && extra_->batch ? &*extra_->batch : nullptr; }

void Storage::destroy() noexcept {
  count(Count::LiveStorages, -1);
  count(Count::LiveBytes, -static_cast<int64_t>(bytes_));
  if (inline_) {
    this->~Storage();
    pool::deallocate(this, kHeader + kInlineBytes);
    return;
  }
  if (!owned_) {
    if (extra_->deleter) extra_->deleter(data_);
  } else if (device_.is_cpu()) {
    pool::deallocate(data_, bytes_);
  } else {
    device_interface(device_).deallocate(data_, bytes_, device_.index);
  }
  this->~Storage();
  pool::deallocate(this, sizeof(Storage));
}

void Storage::log_write(const Geometry& region, int64_t item_size, const char* operator_name,
                        const SourceLocation& at, const Writer& writer, bool recorded) {
  if (!log_) log_ = std::make_unique<WriteLog>();
  log_->append({version_, region, item_size, operator_name, at, writer, recorded});
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
