// searchsorted(s, x): how many elements of the sorted s stand before each x; with right, up to and
// including equal ones. bucketize(x, boundaries) = searchsorted(boundaries, x) for one sequence of
// boundaries.
#include "ops/index/searchsorted.h"

#include "autograd/tensor/factories.h"
#include "ops/core/batching.h"
#include "ops/core/promotion.h"
#include "ops/index.h"
#include "ops/index/indirect.h"
#include "ops/shape.h"

namespace notape {
namespace {

/// (rows, last size)
Tensor as_matrix(const Tensor& tensor, int64_t last) {
  const Tensor dense = raw_contiguous(tensor);
  const int64_t rows =
      last == 0 ? Geometry(IntArrayRef(tensor.sizes().data(), tensor.sizes().size() - 1)).numel()
                : tensor.numel() / last;
  return raw_alias(dense, Geometry({rows, last}, {last, 1}, dense.storage_offset()));
}

void check_shapes(const Operation& op, const Tensor& sequence, const Tensor& values) {
  const IntArrayRef of_sequence = sequence.sizes(), of_values = values.sizes();
  if (of_values.empty() && of_sequence.size() != 1)
    op.fail<ShapeError>(
        "input value can be a scalar only when boundaries tensor dimension is 1, but we got "
        "boundaries tensor of shape {}",
        to_string(of_sequence));
  bool fits = of_sequence.size() == 1 || of_sequence.size() == of_values.size();
  for (std::size_t d = 0; fits && of_sequence.size() > 1 && d + 1 < of_values.size(); ++d)
    fits = of_sequence[d] == of_values[d];
  if (!fits || of_sequence.empty())
    op.fail<ShapeError>(
        "boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor "
        "and input value tensor must match, but we got boundaries tensor {} and input value tensor "
        "{}",
        to_string(of_sequence), to_string(of_values));
}

Tensor checked_sorter(const Operation& op, const Tensor& sequence, const Tensor& sorter) {
  if (!sorter.defined()) return sorter;
  check_operands(op, {&sequence, &sorter});
  if (sorter.sizes() != sequence.sizes())
    op.fail<ShapeError>(
        "boundary and sorter must have the same size, but got boundary tensor {} and got sorter "
        "tensor {}",
        to_string(sequence.sizes()), to_string(sorter.sizes()));
  if (sorter.dtype() != kInt64)
    op.fail<DtypeError>("sorter must be a tensor of long dtype but got dtype {}",
                        type_name_of(sorter.dtype()));
  return checked_range(op, sorter, sequence.size(-1), sequence.dim() - 1);
}

bool goes_right(const Operation& op, bool right, std::optional<std::string_view> side) {
  if (!side) return right;
  if (*side != "left" && *side != "right")
    op.fail<ValueError>("side can only be 'left' or 'right' but got {}", *side);
  if (*side == "left" && right)
    op.fail<ValueError>(
        "side and right can't be set to opposites, got side of left while right was True");
  return *side == "right";
}

void check_boundaries(const Operation& op, const Tensor& boundaries) {
  check_operand(op, boundaries);
  if (boundaries.dim() != 1)
    op.fail<ShapeError>("boundaries tensor must be 1 dimension, but got shape {}",
                        to_string(boundaries.sizes()));
}

}  // namespace

Tensor raw_search(const Operation& op, const Tensor& sequence, const Tensor& sorter,
                  const Tensor& values, bool right) {
  if (any_batched(sequence, sorter, values))
    return over_batch(
        [&](int64_t size, const Tensor& rows, const Tensor& order, const Tensor& all) {
          if (sequence.dim() > 1) return raw_search(op, rows, order, all, right);
          const Tensor found =
              raw_search(op, rows, order, reshape(all, {size, values.numel()}), right);
          return reshape(found, all.sizes());
        },
        sequence, sorter, values);
  if (sequence.dtype() != values.dtype()) {
    const ScalarType common = result_type(sequence, values);
    return raw_search(op, raw_convert(sequence, common), sorter, raw_convert(values, common),
                      right);
  }
  if (is_reduced_floating_point(values.dtype()))
    return raw_search(op, raw_convert(sequence, kFloat32), sorter, raw_convert(values, kFloat32),
                      right);
  const Tensor result = allocate(values.sizes(), kInt64, values.device());
  if (values.numel() == 0) return result;
  const int64_t length = sequence.size(-1);
  // Values of any shape are one row to a sequence that has one.
  const int64_t in_row = sequence.dim() == 1 ? values.numel() : values.size(-1);
  search_kernel(op, values.dtype(), values.device(), as_matrix(result, in_row),
                as_matrix(sequence, length), sorter.defined() ? as_matrix(sorter, length) : sorter,
                as_matrix(values, in_row), right);
  return result;
}

Tensor searchsorted(const Tensor& sorted_sequence, const Tensor& self, bool out_int32, bool right,
                    std::optional<std::string_view> side, const Tensor& given, At at) {
  const Operation op("searchsorted", at);
  check_operands(op, {&sorted_sequence, &self});
  check_shapes(op, sorted_sequence, self);
  const Tensor sorter = checked_sorter(op, sorted_sequence, given);
  const Tensor found = raw_search(op, sorted_sequence, sorter, self, goes_right(op, right, side));
  return out_int32 ? raw_convert(found, kInt32) : found;
}

Tensor searchsorted(const Tensor& sorted_sequence, Scalar self, bool out_int32, bool right,
                    std::optional<std::string_view> side, const Tensor& sorter, At at) {
  check_operands({"searchsorted", at}, {&sorted_sequence});
  // Compared in the common type, so that no fraction is lost.
  const ScalarType type = result_type(sorted_sequence, self);
  const Tensor value = full({}, self, TensorOptions(type).device(sorted_sequence.device()));
  return searchsorted(raw_convert(sorted_sequence, type), value, out_int32, right, side, sorter,
                      at);
}

Tensor bucketize(const Tensor& self, const Tensor& boundaries, bool out_int32, bool right, At at) {
  const Operation op("bucketize", at);
  check_boundaries(op, boundaries);
  return searchsorted(boundaries, self, out_int32, right, {}, {}, at);
}

Tensor bucketize(Scalar self, const Tensor& boundaries, bool out_int32, bool right, At at) {
  const Operation op("bucketize", at);
  check_boundaries(op, boundaries);
  return searchsorted(boundaries, self, out_int32, right, {}, {}, at);
}

}  // namespace notape
