// TensorExtra: what few tensors need, made on first use.
#pragma once
#include "autograd/tensor/tensor.h"

namespace notape {

/// A one-byte mutex.
class TinyLock {
 public:
  void lock() noexcept {
    while (locked_.exchange(true, std::memory_order_acquire)) locked_.wait(true);
  }
  void unlock() noexcept {
    locked_.store(false, std::memory_order_release);
    locked_.notify_one();
  }

 private:
  std::atomic<bool> locked_{false};
};

/// A forward-mode tangent of one level; the cell is emptied when the level is left.
struct Tangent {
  uint64_t level;
  std::shared_ptr<Tensor> value;
};

struct Tangents {
  std::vector<Tangent> own;
  Ref<TensorImpl> base;  // an alias made while levels are open shows the tangents of this tensor
};

struct TensorExtra : Pooled {
  Tensor grad;
  /// The node that adds to `grad`; set once by compare-and-swap, owned.
  std::atomic<Node*> accumulator{nullptr};

  /// Views: the family's base, how the view may be written, and the storage version up to which
  /// the tensor's history is known to be current. Other tensors: who is the base of the family they
  /// have left, see leave_family().
  Ref<TensorImpl> base;
  std::atomic<uint64_t> history_version{0};
  ViewTag tag = ViewTag::Plain;
  bool tag_inherited = false;  // from the view that it is a view of
  TinyLock lock;
  uint32_t family_nr = 0;  // how many families the base had left when the view was made

  std::unique_ptr<Tangents> tangents;
};

}  // namespace notape
