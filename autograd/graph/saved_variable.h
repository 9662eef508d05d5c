// SavedVariable: a snapshot of a tensor's value, taken when an operation is recorded and checked
// when it is used. 2017 paper, 3: it stores "not a full-fledged variable, but instead a saved
// variable, which omits a pointer to the Function" that would close a cycle.
#pragma once
#include "autograd/graph/node.h"
#include "autograd/graph/saved_tensor_hooks.h"
#include "autograd/graph/saved_tensor_modified.h"

namespace notape {

/// While it stands, results saved by `saver` are unpacked as computed by `edge`: a write through a
/// view saves its result in a node that is not itself the view's history, and must not own it.
class OutputEdgeScope {
 public:
  OutputEdgeScope(const Node& saver, Edge edge);
  ~OutputEdgeScope();
  OutputEdgeScope(const OutputEdgeScope&) = delete;
  OutputEdgeScope& operator=(const OutputEdgeScope&) = delete;

  /// Where the saver's result comes from now.
  static Edge edge_of(const Node& saver);

 private:
  const Node& saver_;
  Edge edge_;
  OutputEdgeScope* outer_;
};

struct SavedExtra;

class SavedVariable {
 public:
  SavedVariable() = default;
  /// Copies no data. `slot` names the value in messages and must outlive the object.
  SavedVariable(const Tensor& value, const char* slot) { save(value, slot); }
  SavedVariable(SavedVariable&& other) noexcept;
  SavedVariable& operator=(SavedVariable&& other) noexcept;
  ~SavedVariable() {
    if (storage_ || extra_) release();
  }

  /// Snapshot of `value`; an undefined tensor is saved as such. Throws InferenceTensorError for
  /// inference tensors and SavedHookError, or what a pack hook throws.
  void save(const Tensor& value, const char* slot);
  /// Adds the forward-mode tangents that the value has now.
  void save_tangents(const Tensor& value);
  void release() noexcept;
  /// Packs the value by hooks of its own, once, before release. Throws SavedHookError.
  void register_hooks(const SavedTensorHooks::Pack& pack, SavedTensorHooks::Unpack unpack);

  /// Throws GraphFreed after release, SavedTensorModified if the region was overwritten. A value
  /// that was never saved passes. `edge` leads to the value's producer; null: the saver itself.
  void check(const Node& saver, const Edge* edge) const;
  /// Throws GraphFreed after release.
  void check_released(const Node& saver) const {
    if (state_.load(std::memory_order_relaxed) == State::Released) throw_freed(saver);
  }
  /// The value as a tensor whose gradient goes to `edge` (none in no-grad mode). Null: the saver,
  /// which can be said only now, because a node that owned itself would never be freed.
  Tensor unpack(const Node& saver, const Edge* edge) const;

  const char* slot() const { return slot_; }
  /// Whether a saved-tensor hook keeps the value.
  bool is_packed() const { return state_.load(std::memory_order_relaxed) == State::Packed; }
  /// Whether a tensor is held now, and its size.
  bool holds() const;
  int64_t bytes() const { return holds() ? value_bytes() : 0; }
  IntArrayRef sizes() const { return geometry_.sizes(); }
  ScalarType dtype() const { return dtype_; }
  struct Versions {
    uint64_t saved, current;
  };
  /// Of the memory that holds the value; they differ if any of it was written to since. None if a
  /// hook keeps the value, or it has a copy of its own.
  std::optional<Versions> versions() const;

 private:
  enum class State : uint8_t { Empty, Undefined, Held, Packed, Released };
  struct Shared {
    Ref<Storage> storage;
    std::shared_ptr<SavedExtra> extra;
  };
  class Lock;

  int64_t value_bytes() const {
    return geometry_.numel() * static_cast<int64_t>(element_size(dtype_));
  }
  Versions versions_of(const Storage& storage) const;
  [[noreturn]] void throw_freed(const Node& saver) const;
  void check_value(const Node& saver, const Edge* edge, const Storage& storage,
                   const SavedExtra* extra) const;
  void check_newer_writes(const Node& saver, const Edge* edge, const Storage& storage) const;
  [[noreturn]] void throw_modified(const Node& saver, const Edge* edge, const Storage& storage,
                                   const WriteEntry* write, bool raw) const;
  void save_specially(const Tensor& value);
  void pack(const Tensor& value, const SavedTensorHooks::Pack& pack,
            SharedHook<Tensor(const std::any&)> unpack);
  Shared share(const Node& saver) const;
  Tensor unpack_packed(const SavedExtra& extra) const;
  static void attach(TensorImpl& tensor, const Node& saver, const Edge* edge);
  SavedExtra& make_extra();

  Ref<Storage> storage_;
  Geometry geometry_;
  uint64_t version_ = 0;
  const char* slot_ = "";
  std::atomic<State> state_{State::Empty};
  mutable std::atomic<bool> locked_{false};
  ScalarType dtype_ = ScalarType::Float;
  bool whole_storage_ = false;  // saved under Paper2017: any write counts
  bool unrecorded_ = false;     // it was an alias that lacked a derivative, see unrecorded.h
  const void* family_ = nullptr;
  const void* tensor_ = nullptr;  // identity, for messages
  std::shared_ptr<SavedExtra> extra_;
};

}  // namespace notape
