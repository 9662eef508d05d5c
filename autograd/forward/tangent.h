// Tangents: forward-mode derivatives carried by tensors, one per active level (dual numbers).
// A view has no tangent of its own: it shows that of the tensor it views, so that a write through
// any alias changes values and tangents alike.
#pragma once
#include <initializer_list>
#include <limits>
#include <memory>
#include <vector>

#include "autograd/modes/thread_state.h"
#include "autograd/tensor/tensor.h"

namespace notape {

struct Tangent;

/// Some tensors that are arguments of one operation, wherever each of them is; none is copied.
class Operands {
 public:
  Operands(std::initializer_list<const Tensor*> pointers)
      : pointers_(pointers), count_(pointers.size()) {}
  Operands(const TensorList& list) : list_(list.data()), count_(list.size()) {}

  std::size_t size() const { return count_; }
  const Tensor& operator[](std::size_t i) const { return list_ ? list_[i] : *pointers_.begin()[i]; }

  template <typename Predicate>
  bool any(Predicate is) const {
    for (std::size_t i = 0; i < count_; ++i)
      if (is((*this)[i])) return true;
    return false;
  }

 private:
  std::initializer_list<const Tensor*> pointers_;
  const Tensor* list_ = nullptr;
  std::size_t count_;
};

/// The tangent of one level; undefined means zero.
Tensor tangent_of(const Tensor& tensor, uint64_t level);
/// Gives the tensor a tangent of its own (undefined: zero). Throws TangentError unless size, dtype
/// and device agree.
void set_tangent(const Tensor& tensor, uint64_t level, Tensor tangent);
/// After an in-place write through `target`: its new tangent, for every alias to see.
void write_tangent(const Tensor& target, uint64_t level, Tensor tangent);
/// Whether the tangent of this level that the tensor shows is its own, not that of what it views.
bool owns_tangent(const Tensor& tensor, uint64_t level);
/// Whether a level is open below the current limit.
bool sees_a_level();
/// Those of them on which some operand has a tangent, ascending. Operators ask for active_levels()
/// (graph/unrecorded.h), which also counts tangents that were lost.
std::vector<uint64_t> levels_of_tangents(Operands operands);

/// `alias` shows the tangents of `source` through its own window of the storage.
void share_tangents(TensorImpl& alias, const Tensor& source);
/// The tangents that the tensor has now, whatever is written later; null if there are none.
std::shared_ptr<const std::vector<Tangent>> snapshot_of_tangents(const Tensor& tensor);
/// Gives an unpacked value the tangents of a snapshot.
void set_tangents(const Tensor& tensor, const std::vector<Tangent>& snapshot);

/// Whether the tensor may have a tangent: one test while no level is open on this thread.
inline bool may_have_tangent(const Tensor& tensor) {
  return thread_state.forward_levels != 0 && tensor.defined() &&
         (tensor.impl().flags() & (TensorImpl::kTangent | TensorImpl::kView));
}

/// A level and weak references to its tangents, which vanish with it.
struct OpenLevel {
  uint64_t id;
  std::vector<std::weak_ptr<Tensor>> tangents;
};
struct OpenLevels : std::vector<OpenLevel> {};
/// The levels open on this thread, outermost first.
OpenLevels& open_levels();

/// Operators inside see tangents of levels below `level` only: the tangent of a level is computed
/// by a program over the levels below it, so perturbations cannot be confused.
class ForwardLevelLimit {
 public:
  explicit ForwardLevelLimit(uint64_t level)
      : before_(std::exchange(thread_state.forward_level_limit, level)) {}
  ~ForwardLevelLimit() { thread_state.forward_level_limit = before_; }
  ForwardLevelLimit(const ForwardLevelLimit&) = delete;
  ForwardLevelLimit& operator=(const ForwardLevelLimit&) = delete;

 private:
  uint64_t before_;
};

/// Operators inside see tangents only of levels that are opened inside.
class ForwardLevelFloor {
 public:
  ForwardLevelFloor()
      : limit_(std::numeric_limits<uint64_t>::max()),
        before_(std::exchange(thread_state.forward_level_floor, newest_level())) {}
  ~ForwardLevelFloor() { thread_state.forward_level_floor = before_; }
  ForwardLevelFloor(const ForwardLevelFloor&) = delete;
  ForwardLevelFloor& operator=(const ForwardLevelFloor&) = delete;

 private:
  static uint64_t newest_level() {
    return thread_state.forward_levels == 0 ? thread_state.forward_level_floor
                                            : open_levels().back().id;
  }

  ForwardLevelLimit limit_;
  uint64_t before_;
};

/// What detach() returns, with the tangents of `tensor`: of the graph alone it is not a part.
Tensor detach_keeping_tangents(const Tensor& tensor);

}  // namespace notape
