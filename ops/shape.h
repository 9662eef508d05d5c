// Views and copies. A view shares storage and version counter with what it was taken from, and
// gradients and in-place writes pass between them. Dimensions may be negative (IndexError if out of
// range); impossible sizes raise ShapeError. All but cat, stack and the *_like forms are members.
#pragma once
#include "ops/at.h"

namespace notape {

// Views
/// Same elements in another shape; one entry may be -1. Throws ShapeError if strides do not allow
/// it without a copy.
Tensor view(const Tensor& self, IntArrayRef size, At at = At::current());
/// A view if possible, else a copy.
Tensor reshape(const Tensor& self, IntArrayRef shape, At at = At::current());
Tensor flatten(const Tensor& self, int64_t start_dim = 0, int64_t end_dim = -1,
               At at = At::current());
/// Dimensions of size 1 repeated without a copy; -1 keeps a size.
Tensor expand(const Tensor& self, IntArrayRef size, At at = At::current());
Tensor permute(const Tensor& self, IntArrayRef dims, At at = At::current());
Tensor transpose(const Tensor& self, int64_t dim0, int64_t dim1, At at = At::current());
/// transpose(0, 1) for at most two dimensions.
Tensor t(const Tensor& self, At at = At::current());
Tensor squeeze(const Tensor& self, At at = At::current());
Tensor squeeze(const Tensor& self, int64_t dim, At at = At::current());
Tensor unsqueeze(const Tensor& self, int64_t dim, At at = At::current());
Tensor select(const Tensor& self, int64_t dim, int64_t index, At at = At::current());
Tensor narrow(const Tensor& self, int64_t dim, int64_t start, int64_t length,
              At at = At::current());
/// start and end count from the end if negative and are clamped; step > 0.
Tensor slice(const Tensor& self, int64_t dim = 0, std::optional<int64_t> start = {},
             std::optional<int64_t> end = {}, int64_t step = 1, At at = At::current());
Tensor diagonal(const Tensor& self, int64_t offset = 0, int64_t dim1 = 0, int64_t dim2 = 1,
                At at = At::current());
/// Any window of the storage, in elements. Throws ShapeError if it leaves the storage.
Tensor as_strided(const Tensor& self, IntArrayRef size, IntArrayRef stride,
                  std::optional<int64_t> offset = {}, At at = At::current());
std::vector<Tensor> split(const Tensor& self, int64_t split_size, int64_t dim = 0,
                          At at = At::current());
std::vector<Tensor> chunk(const Tensor& self, int64_t chunks, int64_t dim = 0,
                          At at = At::current());
std::vector<Tensor> unbind(const Tensor& self, int64_t dim = 0, At at = At::current());

// Copies
/// A copy with the same strides if dense, else row-major.
Tensor clone(const Tensor& self, At at = At::current());
/// Itself if row-major, else a row-major copy.
Tensor contiguous(const Tensor& self, At at = At::current());
/// Itself if nothing changes.
Tensor to(const Tensor& self, ScalarType dtype, At at = At::current());
Tensor to(const Tensor& self, Device device, At at = At::current());
/// Overwrites self with source, broadcast and converted.
Tensor& copy_(Tensor& self, const Tensor& source, At at = At::current());
Tensor& fill_(Tensor& self, Scalar value, At at = At::current());
Tensor& zero_(Tensor& self, At at = At::current());
/// Joined along an existing dimension; 1-d empty tensors are skipped. Promotes dtypes.
Tensor cat(const TensorList& tensors, int64_t dim = 0, At at = At::current());
/// Joined along a new dimension; all of one shape.
Tensor stack(const TensorList& tensors, int64_t dim = 0, At at = At::current());

}  // namespace notape
