// Part: a regular part of a tensor (select, narrow, slice, diagonal, or several in a row), and the
// view operator on it. The derivative adds the gradient into zeros at the same part of a row-major
// tensor, so it does not depend on how the tensor itself lies in memory.
#pragma once
#include <optional>

#include "ops/at.h"

namespace notape {

class Operation;

/// Starts as the whole tensor; each step restricts it. Dimensions are those left by earlier steps,
/// and arguments must be in range, except where a step says that it takes care of them.
class Part {
 public:
  explicit Part(const Tensor& whole);

  void select(int64_t dim, int64_t index);
  void narrow(int64_t dim, int64_t start, int64_t length, int64_t step = 1);
  /// Python's start:end:step, counted from the end if negative and clamped. step > 0.
  void slice(int64_t dim, std::optional<int64_t> start, std::optional<int64_t> end, int64_t step);
  /// dim1 != dim2; the diagonal becomes the last dimension.
  void diagonal(int64_t offset, int64_t dim1, int64_t dim2);
  void unsqueeze(int64_t dim);
  /// Windows of `size` slices, one every `step`: the dimension counts them, a new one at the end
  /// goes through each. 0 <= size <= the dimension's size, step > 0.
  void unfold(int64_t dim, int64_t size, int64_t step);

  IntArrayRef sizes() const { return here_.sizes(); }
  int64_t dim() const { return here_.dim(); }
  int64_t size(int64_t dim) const { return here_.size(static_cast<int>(dim)); }
  /// Over the tensor's own storage.
  const Geometry& geometry() const { return here_; }
  /// Over a row-major tensor of the whole's sizes that starts at 0.
  Geometry in_row_major() const;

 private:
  template <typename Step>
  void apply(Step step);

  Geometry here_;
  Geometry row_major_;        // kept only if the whole is not row-major itself
  int64_t whole_offset_ = 0;  // otherwise
  bool whole_is_row_major_;
};

/// Index counted from the front. Throws IndexError unless -size <= index < size; `dim` names the
/// dimension in the message.
int64_t wrap_index(const Operation& op, int64_t index, int64_t size, int64_t dim);

/// The part as a view of `self`, recorded as `node_name`.
Tensor view_part(const char* node_name, const Operation& op, const Tensor& self, const Part& part);

}  // namespace notape
