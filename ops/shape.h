// Views and copies. A view shares storage and version counter with what it was taken from, and
// gradients and in-place writes pass between them. Any dtype. The derivative of a view moves the
// gradient back to where the elements came from; what it does not show has gradient exactly 0.
// Dimensions may be negative (IndexError if out of range); impossible sizes raise ShapeError. All
// throw UndefinedTensor. All but cat and stack are members of Tensor.
#pragma once
#include "ops/at.h"

namespace notape {

// Views
/// Same elements, in row-major order, in another shape; one entry may be -1 and is inferred. Throws
/// ShapeError for another number of elements, or if strides do not allow it without a copy.
Tensor view(const Tensor& self, IntArrayRef size, At at = At::current());
/// The same: a view if possible, else of a row-major copy.
Tensor reshape(const Tensor& self, IntArrayRef shape, At at = At::current());
/// Dimensions start_dim to end_dim joined into one, as reshape does; 0-d becomes (1), and self is
/// returned if there is only one of them. Throws ShapeError if start_dim comes after end_dim.
Tensor flatten(const Tensor& self, int64_t start_dim = 0, int64_t end_dim = -1,
               At at = At::current());
/// Dimensions of size 1 repeated without a copy, new ones in front; -1 keeps a size. The derivative
/// sums over what was repeated. Throws ShapeError for another size of a dimension that is not 1.
Tensor expand(const Tensor& self, IntArrayRef size, At at = At::current());
/// Dimension i of the result is dimension dims[i] of self. Throws ShapeError unless dims has each
/// dimension once.
Tensor permute(const Tensor& self, IntArrayRef dims, At at = At::current());
/// Two dimensions swapped; a 0-d tensor stays.
Tensor transpose(const Tensor& self, int64_t dim0, int64_t dim1, At at = At::current());
/// transpose(0, 1) of a matrix; vectors and numbers stay. Throws ShapeError for more than two
/// dimensions.
Tensor t(const Tensor& self, At at = At::current());
/// Without the dimensions of size 1, or without that one if its size is 1.
Tensor squeeze(const Tensor& self, At at = At::current());
Tensor squeeze(const Tensor& self, int64_t dim, At at = At::current());
/// A new dimension of size 1 in front of dimension dim; -1: behind the last.
Tensor unsqueeze(const Tensor& self, int64_t dim, At at = At::current());
/// self[.., index, ..] at dimension dim, which is left out. A negative index counts from the end.
/// Throws IndexError if it is out of range, or for a 0-d tensor.
Tensor select(const Tensor& self, int64_t dim, int64_t index, At at = At::current());
/// self[.., start:start + length, ..] at dimension dim; a negative start counts from the end.
/// Throws IndexError for a start out of range, ShapeError if length is negative or reaches too far.
Tensor narrow(const Tensor& self, int64_t dim, int64_t start, int64_t length,
              At at = At::current());
/// self[.., start:end:step, ..] at dimension dim: start and end count from the end if negative and
/// are clamped. Throws ValueError unless step > 0, IndexError for a 0-d tensor.
Tensor slice(const Tensor& self, int64_t dim = 0, std::optional<int64_t> start = {},
             std::optional<int64_t> end = {}, int64_t step = 1, At at = At::current());
/// y[.., i] = self[.., i, .., i + offset, ..] over dim1 and dim2, which are left out; the diagonal
/// is the last dimension, of size 0 if offset is too far out. Throws ShapeError if dim1 is dim2.
Tensor diagonal(const Tensor& self, int64_t offset = 0, int64_t dim1 = 0, int64_t dim2 = 1,
                At at = At::current());
/// Any window of the storage, counted in elements; offset is self's own if not given. Elements
/// shown several times add up in the gradient; of a window beyond self it goes to self's base.
/// Throws ShapeError if the window leaves the storage, MemoryOverlap where it cannot be said whose
/// gradient it is.
Tensor as_strided(const Tensor& self, IntArrayRef size, IntArrayRef stride,
                  std::optional<int64_t> offset = {}, At at = At::current());
/// Views of split_size slices each, the last one maybe of fewer; at least one. Throws ShapeError
/// for a 0-d tensor, a negative size, or 0 where there are slices. Pieces that nobody uses cost
/// nothing in backward; that holds for chunk and unbind, too.
std::vector<Tensor> split(const Tensor& self, int64_t split_size, int64_t dim = 0,
                          At at = At::current());
/// At most `chunks` such views of ceil(size / chunks) slices each: 5 slices in 4 chunks make three.
/// Throws ShapeError for a 0-d tensor or chunks <= 0.
std::vector<Tensor> chunk(const Tensor& self, int64_t chunks, int64_t dim = 0,
                          At at = At::current());
/// select(dim, i) for every i. Throws IndexError for a 0-d tensor.
std::vector<Tensor> unbind(const Tensor& self, int64_t dim = 0, At at = At::current());

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
/// The same with a number, or 0. Throws ValueError if the dtype cannot hold it.
Tensor& fill_(Tensor& self, Scalar value, At at = At::current());
Tensor& zero_(Tensor& self, At at = At::current());
/// Joined along an existing dimension: (.., n, ..) and (.., m, ..) -> (.., n + m, ..). Promotes
/// dtypes; 1-d empty tensors are skipped. Throws ShapeError for an empty list, 0-d tensors, or
/// other sizes that differ.
Tensor cat(const TensorList& tensors, int64_t dim = 0, At at = At::current());
/// Joined along a new dimension dim. Throws ShapeError for an empty list or different shapes.
Tensor stack(const TensorList& tensors, int64_t dim = 0, At at = At::current());

}  // namespace notape
