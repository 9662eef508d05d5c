// Tangents: forward-mode derivatives carried by tensors, one per active level (dual numbers).
#pragma once
#include <initializer_list>
#include <vector>

#include "autograd/modes/thread_state.h"
#include "autograd/tensor/tensor.h"

namespace notape {

/// The tangent of one level; undefined means zero.
Tensor tangent_of(const Tensor& tensor, uint64_t level);
/// Sets or (undefined) removes it. Throws TangentError unless size, dtype and device agree.
void set_tangent(const Tensor& tensor, uint64_t level, Tensor tangent);
/// After an in-place write through `target`: its new tangent, carried on to its family's base.
void write_tangent(const Tensor& target, uint64_t level, Tensor tangent);
/// The levels below the current limit on which some operand has a tangent, ascending.
std::vector<uint64_t> active_levels(std::initializer_list<const Tensor*> operands);

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

}  // namespace notape
