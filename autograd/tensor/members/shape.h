// The members of a Tensor that ops/shape/ defines: x.f() for f(x), x.f_() for f_(x). The formula,
// shapes, errors and derivative of each stand beside f in ops/shape.h.
#pragma once
#include <optional>
#include <vector>

#include "autograd/source_location.h"
#include "autograd/tensor/array_ref.h"
#include "autograd/tensor/device.h"
#include "autograd/tensor/scalar.h"

namespace notape {

class Tensor;

class ShapeMembers {
  using At = SourceLocation;

 public:
  // Views
  Tensor view(IntArrayRef size, At at = At::current()) const;
  Tensor reshape(IntArrayRef shape, At at = At::current()) const;
  Tensor flatten(int64_t start_dim = 0, int64_t end_dim = -1, At at = At::current()) const;
  Tensor expand(IntArrayRef size, At at = At::current()) const;
  Tensor permute(IntArrayRef dims, At at = At::current()) const;
  Tensor transpose(int64_t dim0, int64_t dim1, At at = At::current()) const;
  Tensor t(At at = At::current()) const;
  Tensor squeeze(At at = At::current()) const;
  Tensor squeeze(int64_t dim, At at = At::current()) const;
  Tensor unsqueeze(int64_t dim, At at = At::current()) const;
  // In place: the tensor itself takes the sizes, strides and history of the view; no values are
  // written, and no version counts. Errors of the view, and LeafInPlace for a leaf that requires
  // grad, AmbiguousViewWrite, FunctionViewWrite.
  Tensor& t_(At at = At::current()) const;
  Tensor& transpose_(int64_t dim0, int64_t dim1, At at = At::current()) const;
  /// transpose_ by another name.
  Tensor& swapdims_(int64_t dim0, int64_t dim1, At at = At::current()) const;
  Tensor& squeeze_(At at = At::current()) const;
  Tensor& squeeze_(int64_t dim, At at = At::current()) const;
  Tensor& unsqueeze_(int64_t dim, At at = At::current()) const;
  Tensor& as_strided_(IntArrayRef size, IntArrayRef stride, std::optional<int64_t> offset = {},
                      At at = At::current()) const;
  /// Another size, row-major, keeping the first elements; more than the storage has take a new one,
  /// whose new elements are not set. Counts as a write of everything if the size changes. Throws
  /// ResizeRequiresGrad, TangentError, AliasedInPlace if other tensors share a storage that is too
  /// small (LibTorch takes them along), and what every write does.
  Tensor& resize_(IntArrayRef size, At at = At::current()) const;
  Tensor select(int64_t dim, int64_t index, At at = At::current()) const;
  Tensor narrow(int64_t dim, int64_t start, int64_t length, At at = At::current()) const;
  Tensor slice(int64_t dim = 0, std::optional<int64_t> start = {}, std::optional<int64_t> end = {},
               int64_t step = 1, At at = At::current()) const;
  Tensor diagonal(int64_t offset = 0, int64_t dim1 = 0, int64_t dim2 = 1,
                  At at = At::current()) const;
  Tensor as_strided(IntArrayRef size, IntArrayRef stride, std::optional<int64_t> offset = {},
                    At at = At::current()) const;
  std::vector<Tensor> split(int64_t split_size, int64_t dim = 0, At at = At::current()) const;
  std::vector<Tensor> chunk(int64_t chunks, int64_t dim = 0, At at = At::current()) const;
  std::vector<Tensor> unbind(int64_t dim = 0, At at = At::current()) const;

  // Copies, conversion, writing
  Tensor clone(At at = At::current()) const;
  Tensor contiguous(At at = At::current()) const;
  Tensor to(ScalarType dtype, At at = At::current()) const;
  Tensor to(Device device, At at = At::current()) const;
  /// to(kCPU), to(kCUDA).
  Tensor cpu(At at = At::current()) const;
  Tensor cuda(At at = At::current()) const;
  Tensor& copy_(const Tensor& source, At at = At::current()) const;
  Tensor& fill_(Scalar value, At at = At::current()) const;
  Tensor& zero_(At at = At::current()) const;

 private:
  Tensor& self() const;
};

}  // namespace notape
