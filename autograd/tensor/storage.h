// Storage: reference-counted bytes on one device, shared by every alias of a tensor.
// It carries the version counter (2017 paper, 3.1: "Every underlying storage of a variable is
// associated with a version counter") and the log of writes.
#pragma once
#include <functional>
#include <memory>

#include "autograd/tensor/counters.h"
#include "autograd/tensor/device.h"
#include "autograd/tensor/pool.h"
#include "autograd/tensor/ref.h"
#include "autograd/tensor/write_log.h"

namespace notape {

/// Must be told before bytes are overwritten (AliasPolicy::CowSave).
class WriteWatcher {
 public:
  virtual void before_write(const Geometry& region, int64_t item_size) = 0;

 protected:
  ~WriteWatcher() = default;
};

struct Batch;

class Storage : public Pooled {
 public:
  using Deleter = std::function<void(void*)>;
  /// Payloads up to this many bytes live in the storage's own block.
  static constexpr std::size_t kInlineBytes = 64;

  /// Uninitialised memory on `device`. Throws OutOfMemory or DeviceError.
  static Ref<Storage> allocate(std::size_t bytes, Device device);
  /// Memory of somebody else, given back through `deleter`, on which writes cannot be seen.
  static Ref<Storage> foreign(void* data, std::size_t bytes, Device device, Deleter deleter);
  /// One sample of `bytes` bytes, standing for all samples of `batch`. Its data() must not be read.
  static Ref<Storage> batched(Batch batch, std::size_t bytes);

  void retain() noexcept { refs_.increment(); }
  void release() noexcept {
    if (refs_.decrement()) destroy();
  }

  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  Device device() const { return device_; }
  /// Where the samples are; null unless the device is batched.
  const Batch* batch() const;
  bool is_foreign() const { return foreign_; }
  /// Code outside the library may write here from now on, unseen.
  void mark_foreign() { foreign_ = true; }
  bool is_read_only() const { return read_only_; }
  void set_read_only() { read_only_ = true; }
  /// Made in inference mode: has no version, and nothing may be saved.
  bool is_inference() const { return inference_; }

  uint64_t version() const { return version_; }

  /// A saved value counts as a reader; everything else that holds a storage is a live tensor.
  void add_reader() noexcept { readers_.fetch_add(1, std::memory_order_relaxed); }
  void remove_reader() noexcept { readers_.fetch_sub(1, std::memory_order_relaxed); }
  uint32_t readers() const noexcept { return readers_.load(std::memory_order_relaxed); }
  /// Live tensors over this storage: the "additional field" of the 2017 paper, 3.1 Aliasing.
  uint32_t tensors() const noexcept { return refs_.get() - readers(); }
  bool is_exclusive() const noexcept { return refs_.get() == 1; }

  /// Records a write that has just happened: the version advances, and if somebody could ask
  /// later, the region is remembered.
  void written(const Geometry& region, int64_t item_size, const char* operator_name,
               const SourceLocation& at, const Writer& writer, bool recorded) {
    if (inference_) [[unlikely]]
      return;
    ++version_;
    if (refs_.get() != 1) [[unlikely]]
      log_write(region, item_size, operator_name, at, writer, recorded);
    else if (log_) [[unlikely]]
      log_.reset();
  }
  void add_watcher(WriteWatcher* watcher);
  void remove_watcher(WriteWatcher* watcher) noexcept;
  void tell_watchers(const Geometry& region, int64_t item_size) {
    if (extra_) [[unlikely]]
      tell_all_watchers(region, item_size);
  }
  const WriteLog* write_log() const { return log_.get(); }
  WriteLog* write_log() { return log_.get(); }

  ~Storage();

 private:
  Storage(std::size_t bytes, Device device);
  void log_write(const Geometry& region, int64_t item_size, const char* operator_name,
                 const SourceLocation& at, const Writer& writer, bool recorded);
  static void allocate_outside(Storage* storage, std::size_t bytes, Device device);
  void destroy() noexcept;

  struct Extra;  // what few storages need
  Extra& make_extra();
  void tell_all_watchers(const Geometry& region, int64_t item_size);

  RefCount refs_;
  std::atomic<uint32_t> readers_{0};
  uint64_t version_ = 0;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  Device device_;
  bool foreign_ = false, read_only_ = false, inline_ = false, owned_ = true;
  bool inference_;
  std::unique_ptr<WriteLog> log_;
  std::unique_ptr<Extra> extra_;
};

}  // namespace notape
