// TensorExtra: what few tensors need, made on first use.
#pragma once
#include "autograd/tensor/tensor.h"

namespace notape {

class Support;

/// A one-byte mutex, which looks for sleepers only if there may be some.
class TinyLock {
 public:
  void lock() noexcept {
    State seen = State::Free;
    if (!state_.compare_exchange_strong(seen, State::Held, std::memory_order_acquire)) [[unlikely]]
      sleep();
  }
  void unlock() noexcept {
    if (state_.exchange(State::Free, std::memory_order_release) == State::Awaited) [[unlikely]]
      state_.notify_one();
  }

 private:
  enum class State : uint8_t { Free, Held, Awaited };

  [[gnu::noinline]] void sleep() noexcept {
    while (state_.exchange(State::Awaited, std::memory_order_acquire) != State::Free)
      state_.wait(State::Awaited);
  }

  std::atomic<State> state_{State::Free};
};

/// A forward-mode tangent of one level; the cell is emptied when the level is left.
struct Tangent {
  uint64_t level;
  std::shared_ptr<Tensor> value;
};

struct Tangents {
  std::vector<Tangent> own;
  Ref<TensorImpl> base;    // an alias made while levels are open shows the tangents of this tensor
  uint32_t family_nr = 0;  // how many families the base had left then, see leave_family()
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
  bool lost_cells = false;     // of a base: an in-place view operation took memory from it
  TinyLock lock;
  uint32_t family_nr = 0;  // how many families the base had left when the view was made

  std::unique_ptr<Tangents> tangents;

  /// Gradients on their way: what is known of their structural zeros, and for which version.
  Ref<Support> support;
  uint64_t support_version = 0;
};

/// The base of the tensor's family: itself unless it is a view.
inline TensorImpl& family_base(TensorImpl& tensor) {
  if (!tensor.has(TensorImpl::kView)) return tensor;
  const TensorExtra& extra = *tensor.extra();
  TensorImpl* base = extra.base.get();
  while (base->extra() && base->extra()->family_nr != extra.family_nr)
    [[unlikely]] base = base->extra()->base.get();
  return *base;
}

}  // namespace notape
