// Views and copies. A view shares storage and version counter with what it was taken from, and
// gradients and in-place writes pass between them. Any dtype. The derivative of a view moves the
// gradient back to where the elements came from; what it does not show has gradient exactly 0.
// Dimensions may be negative (IndexError if out of range); impossible sizes raise ShapeError. All
// throw UndefinedTensor. All but cat and stack are members of Tensor.
#pragma once
#include <optional>

#include "ops/at.h"

namespace notape {

namespace detail {
std::vector<Tensor> split_evenly(const Tensor& self, Integer sections, Integer dim, At at);
Tensor repeat_evenly(const Tensor& self, Integer repeats, std::optional<Integer> dim,
                     std::optional<Integer> output_size, At at);
}  // namespace detail

// Views
/// Same elements, in row-major order, in another shape; one entry may be -1 and is inferred. Throws
/// ShapeError for another number of elements, or if strides do not allow it without a copy.
Tensor view(const Tensor& self, IntArrayRef size, At at = At::current());
/// The same: a view if possible, else of a row-major copy.
Tensor reshape(const Tensor& self, IntArrayRef shape, At at = At::current());
/// Dimensions start_dim to end_dim joined into one, as reshape does; 0-d becomes (1), and self is
/// returned if there is only one of them. Throws ShapeError if start_dim comes after end_dim.
Tensor flatten(const Tensor& self, Integer start_dim = 0, Integer end_dim = -1,
               At at = At::current());
/// Dimensions of size 1 repeated without a copy, new ones in front; -1 keeps a size. The derivative
/// sums over what was repeated. Throws ShapeError for another size of a dimension that is not 1.
Tensor expand(const Tensor& self, IntArrayRef size, At at = At::current());
/// Dimension i of the result is dimension dims[i] of self. Throws ShapeError unless dims has each
/// dimension once.
Tensor permute(const Tensor& self, IntArrayRef dims, At at = At::current());
/// Two dimensions swapped; a 0-d tensor stays.
Tensor transpose(const Tensor& self, Integer dim0, Integer dim1, At at = At::current());
/// transpose(0, 1) of a matrix; vectors and numbers stay. Throws ShapeError for more than two
/// dimensions.
Tensor t(const Tensor& self, At at = At::current());
/// Without the dimensions of size 1, or without those of `dim` that have it.
Tensor squeeze(const Tensor& self, At at = At::current());
Tensor squeeze(const Tensor& self, IntArrayRef dim, At at = At::current());
/// A new dimension of size 1 in front of dimension dim; -1: behind the last.
Tensor unsqueeze(const Tensor& self, Integer dim, At at = At::current());
/// self[.., index, ..] at dimension dim, which is left out. A negative index counts from the end.
/// Throws IndexError if it is out of range, or for a 0-d tensor.
Tensor select(const Tensor& self, Integer dim, Integer index, At at = At::current());
/// self[.., start:start + length, ..] at dimension dim; a negative start counts from the end.
/// Throws IndexError for a start out of range, ShapeError if length is negative or reaches too far.
Tensor narrow(const Tensor& self, Integer dim, Integer start, Integer length,
              At at = At::current());
/// self[.., start:end:step, ..] at dimension dim: start and end count from the end if negative and
/// are clamped. Throws ValueError unless step > 0, IndexError for a 0-d tensor.
Tensor slice(const Tensor& self, Integer dim = 0, std::optional<Integer> start = {},
             std::optional<Integer> end = {}, Integer step = 1, At at = At::current());
/// y[.., i] = self[.., i, .., i + offset, ..] over dim1 and dim2, which are left out; the diagonal
/// is the last dimension, of size 0 if offset is too far out. Throws ShapeError if dim1 is dim2.
Tensor diagonal(const Tensor& self, Integer offset = 0, Integer dim1 = 0, Integer dim2 = 1,
                At at = At::current());
/// Any window of the storage, counted in elements; offset is self's own if not given. Elements
/// shown several times add up in the gradient; of a window beyond self it goes to self's base.
/// Throws ShapeError if the window leaves the storage, MemoryOverlap where it cannot be said whose
/// gradient it is.
Tensor as_strided(const Tensor& self, IntArrayRef size, IntArrayRef stride,
                  std::optional<Integer> offset = {}, At at = At::current());
/// Views of split_size slices each, the last one maybe of fewer; at least one. Throws ShapeError
/// for a 0-d tensor, a negative size, or 0 where there are slices. Pieces that nobody uses cost
/// nothing in backward; that holds for chunk and unbind, too.
std::vector<Tensor> split(const Tensor& self, Integer split_size, Integer dim = 0,
                          At at = At::current());
/// At most `chunks` such views of ceil(size / chunks) slices each: 5 slices in 4 chunks make three.
/// Throws ShapeError for a 0-d tensor or chunks <= 0.
std::vector<Tensor> chunk(const Tensor& self, Integer chunks, Integer dim = 0,
                          At at = At::current());
/// select(dim, i) for every i. Throws IndexError for a 0-d tensor.
std::vector<Tensor> unbind(const Tensor& self, Integer dim = 0, At at = At::current());

// Copies. The gradient passes through, converted back to the dtype and device of what was copied.
/// A copy with the same strides if dense, else row-major.
Tensor clone(const Tensor& self, At at = At::current());
/// Itself if row-major, else a row-major copy.
Tensor contiguous(const Tensor& self, At at = At::current());
/// A copy of another dtype or on another device; itself if nothing changes. Between dtypes as C++
/// converts: fractions are cut off. Throws DeviceError for a device that is not there.
Tensor to(const Tensor& self, ScalarType dtype, At at = At::current());
Tensor to(const Tensor& self, Device device, At at = At::current());
/// Overwrites self with source, broadcast to self's shape (ShapeError) and converted, also from
/// another device. What was overwritten gets no gradient, source all of it. Throws what every write
/// does (autograd/SEMANTICS.md, "Error catalogue").
Tensor& copy_(Tensor& self, const Tensor& source, At at = At::current());
/// LibTorch's form. From pinned memory to a device it may still be under way on return.
Tensor& copy_(Tensor& self, const Tensor& source, bool non_blocking, At at = At::current());
/// The same with a number, or 0. Throws ValueError if the dtype cannot hold it.
Tensor& fill_(Tensor& self, Scalar value, At at = At::current());
/// copy_ of a 0-d value (else ShapeError).
Tensor& fill_(Tensor& self, const Tensor& value, At at = At::current());
Tensor& zero_(Tensor& self, At at = At::current());
/// Joined along an existing dimension: (.., n, ..) and (.., m, ..) -> (.., n + m, ..). Promotes
/// dtypes; 1-d empty tensors are skipped. Throws ShapeError for an empty list, 0-d tensors, or
/// other sizes that differ.
Tensor cat(const TensorList& tensors, Integer dim = 0, At at = At::current());
/// Joined along a new dimension dim. Throws ShapeError for an empty list or different shapes.
Tensor stack(const TensorList& tensors, Integer dim = 0, At at = At::current());

// Views
/// A view of everything.
Tensor alias(const Tensor& self, At at = At::current());
/// view(self, other's sizes).
Tensor view_as(const Tensor& self, const Tensor& other, At at = At::current());
/// Views of split_sizes[i] slices each, one behind the other. Throws ShapeError for a 0-d tensor, a
/// negative size, or sizes that do not add up to that of the dimension.
std::vector<Tensor> split_with_sizes(const Tensor& self, IntArrayRef split_sizes, Integer dim = 0,
                                     At at = At::current());
/// Dimension dim as several ones, of which one may be -1 and is inferred. Throws ShapeError for an
/// empty list or sizes whose product is not that of the dimension.
Tensor unflatten(const Tensor& self, Integer dim, IntArrayRef sizes, At at = At::current());
/// Dimension source[i] becomes dimension destination[i]; the others keep their order. Throws
/// ShapeError unless both lists are of one length and name each dimension once at most.
Tensor movedim(const Tensor& self, IntArrayRef source, IntArrayRef destination,
               At at = At::current());
/// Windows of `size` slices along `dimension`, one every `step`: (.., n, ..) -> (.., (n - size) /
/// step + 1, .., size). Windows that share slices add up in the gradient. Throws ShapeError for a
/// size below 0 or beyond n, ValueError unless step > 0.
Tensor unfold(const Tensor& self, Integer dimension, Integer size, Integer step,
              At at = At::current());

// Copies
/// A copy in pinned memory, the CPU's memory that devices (of this type; if none is named, of
/// that which is there) read without its help; self if it is there already. Out of it to(device,
/// non_blocking=true) returns at once; writes by operators wait for such a copy, those through a
/// pointer have to. Throws DeviceError if self is not on the CPU or there is no device.
Tensor pin_memory(const Tensor& self, std::optional<Device> device = {}, At at = At::current());
/// A copy of another dtype, on another device, or of the same ones. Internal name of LibTorch's.
Tensor _to_copy(const Tensor& self, std::optional<ScalarType> dtype = {},
                std::optional<Device> device = {}, At at = At::current());
/// A copy of another dtype and on another device; itself if nothing changes.
Tensor to(const Tensor& self, Device device, ScalarType dtype, At at = At::current());
/// Like `other` in dtype and device.
Tensor to(const Tensor& self, const Tensor& other, At at = At::current());
/// self in other's dtype.
Tensor type_as(const Tensor& self, const Tensor& other, At at = At::current());
/// A copy of self repeated along each dimension: (n, ..) -> (repeats[0] n, ..), new dimensions in
/// front. The derivative sums over the repetitions. Throws ShapeError for fewer repeats than
/// dimensions or negative ones.
Tensor repeat(const Tensor& self, IntArrayRef repeats, At at = At::current());
/// Each slice along dim (each element of self flattened, without dim) `repeats` times in a row; the
/// derivative sums over the repetitions. `repeats` is a number, or int32 or int64 of one number or
/// one per slice. `output_size` is checked against the size of the result. Throws ValueError for
/// negative repeats, ShapeError, DtypeError.
template <WholeNumber Number>
Tensor repeat_interleave(const Tensor& self, Number repeats, std::optional<Integer> dim = {},
                         std::optional<Integer> output_size = {}, At at = At::current()) {
  return detail::repeat_evenly(self, repeats, dim, output_size, at);
}
Tensor repeat_interleave(const Tensor& self, const Tensor& repeats, std::optional<Integer> dim = {},
                         std::optional<Integer> output_size = {}, At at = At::current());
/// i for the i-th of `repeats` (n) that many times: (sum of repeats), of dtype of repeats.
Tensor repeat_interleave(const Tensor& repeats, std::optional<Integer> output_size = {},
                         At at = At::current());
/// A copy with the order of the entries reversed along the dimensions `dims`; so is the gradient.
/// Throws IndexError for a dimension named twice.
Tensor flip(const Tensor& self, IntArrayRef dims, At at = At::current());
/// A copy with the entries moved on by shifts[i] along dims[i], those beyond the end coming in at
/// the start; without dims along self flattened. Throws ShapeError unless there are as many dims as
/// shifts.
Tensor roll(const Tensor& self, IntArrayRef shifts, IntArrayRef dims = {}, At at = At::current());
/// self on and below (above) the diagonal that is `diagonal` places to the right of the main one,
/// else 0: (.., n, m). What is left out has gradient exactly 0. Any dtype. Throws ShapeError for
/// less than two dimensions.
Tensor tril(const Tensor& self, Integer diagonal = 0, At at = At::current());
Tensor& tril_(Tensor& self, Integer diagonal = 0, At at = At::current());
Tensor triu(const Tensor& self, Integer diagonal = 0, At at = At::current());
Tensor& triu_(Tensor& self, Integer diagonal = 0, At at = At::current());
/// The last dimension as the diagonal of matrices whose dimensions are dim1 and dim2 of the result,
/// else 0: (.., n) -> (.., n + |offset|, n + |offset|). diagonal() undoes it. Throws ShapeError if
/// dim1 is dim2.
Tensor diag_embed(const Tensor& self, Integer offset = 0, Integer dim1 = -2, Integer dim2 = -1,
                  At at = At::current());
/// A copy of self in which select(dim, index), slice(dim, start, end, step) is `src`, which has
/// that shape (ShapeError) and is converted. What was replaced has gradient exactly 0.
Tensor select_scatter(const Tensor& self, const Tensor& src, Integer dim, Integer index,
                      At at = At::current());
Tensor slice_scatter(const Tensor& self, const Tensor& src, Integer dim = 0,
                     std::optional<Integer> start = {}, std::optional<Integer> end = {},
                     Integer step = 1, At at = At::current());

/// A view with these sizes and strides at self's offset; internal name of LibTorch's.
Tensor _reshape_alias(const Tensor& self, IntArrayRef size, IntArrayRef stride,
                      At at = At::current());
/// Zeros of input_sizes in which select(dim, index), slice(dim, start, end, step) is grad.
Tensor select_backward(const Tensor& grad_output, IntArrayRef input_sizes, Integer dim,
                       Integer index, At at = At::current());
Tensor slice_backward(const Tensor& grad_output, IntArrayRef input_sizes, Integer dim,
                      Integer start, Integer end, Integer step, At at = At::current());
/// expand and reshape to other's sizes; expand by its usual name in NumPy.
Tensor expand_as(const Tensor& self, const Tensor& other, At at = At::current());
Tensor reshape_as(const Tensor& self, const Tensor& other, At at = At::current());
Tensor broadcast_to(const Tensor& self, IntArrayRef size, At at = At::current());
/// repeat, with ones in front of too few repeats.
Tensor tile(const Tensor& self, IntArrayRef repeats, At at = At::current());
/// reshape({-1})
Tensor ravel(const Tensor& self, At at = At::current());
/// transpose and movedim by their names in NumPy.
Tensor swapaxes(const Tensor& self, Integer axis0, Integer axis1, At at = At::current());
Tensor swapdims(const Tensor& self, Integer dim0, Integer dim1, At at = At::current());
Tensor moveaxis(const Tensor& self, IntArrayRef source, IntArrayRef destination,
                At at = At::current());
/// (n) -> the matrix with it as diagonal; (n, m) -> its diagonal, a copy. Throws ShapeError for
/// other ranks.
Tensor diag(const Tensor& self, Integer diagonal = 0, At at = At::current());
/// Views of nearly equal size along dim, or cut at indices.
template <WholeNumber Number>
std::vector<Tensor> tensor_split(const Tensor& self, Number sections, Integer dim = 0,
                                 At at = At::current()) {
  return detail::split_evenly(self, sections, dim, at);
}
std::vector<Tensor> tensor_split(const Tensor& self, IntArrayRef indices, Integer dim = 0,
                                 At at = At::current());

// Members that are templates.
template <WholeNumber Number>
std::vector<Tensor> ShapeMembers::tensor_split(Number sections, Integer dim, At at) const {
  return notape::tensor_split(self(), sections, dim, at);
}
template <WholeNumber Number>
Tensor ShapeMembers::repeat_interleave(Number repeats, std::optional<Integer> dim,
                                       std::optional<Integer> output_size, At at) const {
  return notape::repeat_interleave(self(), repeats, dim, output_size, at);
}

}  // namespace notape
