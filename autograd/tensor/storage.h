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

/// Must be called before bytes are overwritten (AliasPolicy::CowSave).
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

  /// Uninitialised memory on `device`. Throws OutOfMemory or DeviceError.
  static Ref<Storage> allocate(std::size_t bytes, Device device);
  /// Memory of somebody else, given back through `deleter`, on which writes cannot be seen.
  static Ref<Storage> foreign(void* data, std::size_t bytes, Device device, Deleter deleter);
  /// Memory of the CPU that devices of the type read without its help. Throws OutOfMemory or
  /// DeviceError.
  static Ref<Storage> pinned(std::size_t bytes, DeviceType device);
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
  bool is_foreign() const { return traits_.load(std::memory_order_relaxed) & kForeign; }
  /// Code outside the library may write here from now on, unseen. What values saved so far need to
  /// be checked by is kept.
  void mark_foreign() {
    if (!is_foreign()) [[unlikely]]
      hand_out();
  }
  bool is_read_only() const { return write_care_ & kReadOnly; }
  void set_read_only() { write_care_ |= kReadOnly; }
  bool is_pinned() const { return write_care_ & kPinned; }
  /// By the devices of this type, not by others.
  bool is_pinned_for(DeviceType device) const;
  /// Read-only or pinned, in one test.
  bool needs_care_when_written() const { return write_care_ != 0; }
  /// Waits for copies to a device that still read this memory, which is pinned.
  void finish_copies() const;
  /// Made in inference mode: has no version, and nothing may be saved.
  bool is_inference() const { return traits_.load(std::memory_order_relaxed) & kInference; }
  /// Foreign or made in inference mode, in one test.
  bool needs_care_when_saved() const { return traits_.load(std::memory_order_relaxed) != 0; }

  /// Grows with every write, and when a pointer is handed out while values are saved.
  uint64_t version() const { return version_.load(std::memory_order_relaxed); }
  /// How many writes there were.
  uint64_t writes() const { return version() & ~kHandedOut; }
  /// Whether a writable pointer has first gone to code outside between `version` and now.
  bool was_handed_out_since(uint64_t version) const {
    return (this->version() ^ version) & kHandedOut;
  }
  /// Whether the region is as it was then, as far as is known: large storages are sampled.
  bool is_as_handed_out(const Geometry& region, int64_t item_size) const;

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
    if (is_inference()) [[unlikely]]
      return;
    version_.store(version() + 1, std::memory_order_relaxed);
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

  /// User functions: `call` is the number of a forward that has computed the values in a region
  /// unrecorded from what needs a gradient, see graph/unrecorded.h.
  bool is_unrecorded(uint32_t call, const Geometry& region, int64_t item_size) const {
    if (unrecorded_by_ == call) return true;
    return extra_ && has_unrecorded_region(call, region, item_size);
  }
  /// All of it, which nobody else has seen yet.
  void mark_unrecorded(uint32_t call) { unrecorded_by_ = call; }
  /// A region was written; `keeps_old`: its new values depend on the old ones, too.
  void mark_unrecorded(uint32_t call, const Geometry& region, int64_t item_size, bool keeps_old);
  /// A region was overwritten by values that have lost nothing.
  void clear_unrecorded(const Geometry& region, int64_t item_size);

  /// The first run of a checkpointed function that has seen a recorded write here; 0: none has. See
  /// graph/first_writes.h.
  uint64_t first_recorded_in() const;
  void set_first_recorded_in(uint64_t run);

  const WriteLog* write_log() const { return log_.get(); }
  WriteLog* write_log() { return log_.get(); }

  ~Storage();

 private:
  static constexpr uint8_t kForeign = 1, kInference = 2;  // traits_
  static constexpr uint8_t kReadOnly = 1, kPinned = 2;    // write_care_
  static constexpr uint64_t kHandedOut = uint64_t{1} << 63;

  Storage(std::size_t bytes, Device device);
  void hand_out();
  bool has_unrecorded_region(uint32_t call, const Geometry& region, int64_t item_size) const;
  void log_write(const Geometry& region, int64_t item_size, const char* operator_name,
                 const SourceLocation& at, const Writer& writer, bool recorded);
  template <typename Take>
  static void allocate_outside(Storage* storage, const Take& take);
  void destroy() noexcept;
  void destroy_special() noexcept;
  void tell_allocated() noexcept;

  struct Extra;  // what few storages need
  Extra& make_extra();
  void tell_all_watchers(const Geometry& region, int64_t item_size);

  RefCount refs_;
  std::atomic<uint32_t> readers_{0};
  // Atomic only because a pointer may be handed out, for reading, while others read the version.
  std::atomic<uint64_t> version_{0};
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  Device device_;
  std::atomic<uint8_t> traits_;
  uint8_t write_care_ = 0;
  bool inline_ = false;         // its data are in its own block, without a notification
  bool special_ = false;        // foreign, batched, pinned, or a MemoryObserver knows of it:
  uint8_t memory_session_ = 0;  // in this session
  uint32_t unrecorded_by_ = 0;
  std::unique_ptr<WriteLog> log_;
  std::unique_ptr<Extra> extra_;
};

}  // namespace notape
