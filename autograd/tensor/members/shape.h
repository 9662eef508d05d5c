// The members of a Tensor that ops/shape/ defines: x.f() for f(x), x.f_() for f_(x). The formula,
// shapes, errors and derivative of each stand beside f in ops/shape.h.
#pragma once
#include <concepts>
#include <optional>
#include <vector>

#include "autograd/source_location.h"
#include "autograd/tensor/array_ref.h"
#include "autograd/tensor/device.h"
#include "autograd/tensor/options.h"
#include "autograd/tensor/scalar.h"

namespace notape {

class Tensor;

class ShapeMembers {
  using At = SourceLocation;

 public:
  // Views
  Tensor view(IntArrayRef size, At at = At::current()) const;
  Tensor reshape(IntArrayRef shape, At at = At::current()) const;
  Tensor flatten(Integer start_dim = 0, Integer end_dim = -1, At at = At::current()) const;
  Tensor expand(IntArrayRef size, At at = At::current()) const;
  Tensor permute(IntArrayRef dims, At at = At::current()) const;
  Tensor transpose(Integer dim0, Integer dim1, At at = At::current()) const;
  Tensor t(At at = At::current()) const;
  Tensor squeeze(At at = At::current()) const;
  Tensor squeeze(IntArrayRef dim, At at = At::current()) const;
  Tensor unsqueeze(Integer dim, At at = At::current()) const;
  // In place: the tensor itself takes the sizes, strides and history of the view; no values are
  // written, and no version counts. Errors of the view, and LeafInPlace for a leaf that requires
  // grad, AmbiguousViewWrite, FunctionViewWrite.
  Tensor& t_(At at = At::current()) const;
  Tensor& transpose_(Integer dim0, Integer dim1, At at = At::current()) const;
  /// transpose_ by another name.
  Tensor& swapdims_(Integer dim0, Integer dim1, At at = At::current()) const;
  Tensor& squeeze_(At at = At::current()) const;
  Tensor& squeeze_(IntArrayRef dim, At at = At::current()) const;
  Tensor& unsqueeze_(Integer dim, At at = At::current()) const;
  Tensor& as_strided_(IntArrayRef size, IntArrayRef stride, std::optional<Integer> offset = {},
                      At at = At::current()) const;
  /// Another size, row-major, keeping the first elements; more than the storage has take a new one,
  /// whose new elements are not set. Counts as a write of everything if the size changes. Throws
  /// ResizeRequiresGrad, TangentError, AliasedInPlace if other tensors share a storage that is too
  /// small (LibTorch takes them along), and what every write does.
  Tensor& resize_(IntArrayRef size, At at = At::current()) const;
  Tensor select(Integer dim, Integer index, At at = At::current()) const;
  Tensor narrow(Integer dim, Integer start, Integer length, At at = At::current()) const;
  Tensor slice(Integer dim = 0, std::optional<Integer> start = {}, std::optional<Integer> end = {},
               Integer step = 1, At at = At::current()) const;
  Tensor diagonal(Integer offset = 0, Integer dim1 = 0, Integer dim2 = 1,
                  At at = At::current()) const;
  Tensor as_strided(IntArrayRef size, IntArrayRef stride, std::optional<Integer> offset = {},
                    At at = At::current()) const;
  std::vector<Tensor> split(Integer split_size, Integer dim = 0, At at = At::current()) const;
  std::vector<Tensor> chunk(Integer chunks, Integer dim = 0, At at = At::current()) const;
  std::vector<Tensor> unbind(Integer dim = 0, At at = At::current()) const;

  // Copies, conversion, writing
  Tensor clone(At at = At::current()) const;
  Tensor contiguous(At at = At::current()) const;
  Tensor to(ScalarType dtype, At at = At::current()) const;
  Tensor to(Device device, At at = At::current()) const;
  /// to(kCPU), to(kCUDA).
  Tensor cpu(At at = At::current()) const;
  Tensor cuda(At at = At::current()) const;
  Tensor& copy_(const Tensor& source, At at = At::current()) const;
  Tensor& copy_(const Tensor& source, bool non_blocking, At at = At::current()) const;
  Tensor& fill_(Scalar value, At at = At::current()) const;
  Tensor& fill_(const Tensor& value, At at = At::current()) const;
  Tensor& zero_(At at = At::current()) const;
  Tensor alias(At at = At::current()) const;
  Tensor view_as(const Tensor& other, At at = At::current()) const;
  std::vector<Tensor> split_with_sizes(IntArrayRef split_sizes, Integer dim = 0,
                                       At at = At::current()) const;
  Tensor unflatten(Integer dim, IntArrayRef sizes, At at = At::current()) const;
  Tensor movedim(IntArrayRef source, IntArrayRef destination, At at = At::current()) const;
  Tensor unfold(Integer dimension, Integer size, Integer step, At at = At::current()) const;
  Tensor _to_copy(std::optional<ScalarType> dtype = {}, std::optional<Device> device = {},
                  At at = At::current()) const;
  Tensor to(Device device, ScalarType dtype, At at = At::current()) const;
  Tensor to(const Tensor& other, At at = At::current()) const;
  Tensor type_as(const Tensor& other, At at = At::current()) const;
  Tensor repeat(IntArrayRef repeats, At at = At::current()) const;
  template <WholeNumber Number>
  Tensor repeat_interleave(Number repeats, std::optional<Integer> dim = {},
                           std::optional<Integer> output_size = {}, At at = At::current()) const;
  Tensor repeat_interleave(const Tensor& repeats, std::optional<Integer> dim = {},
                           std::optional<Integer> output_size = {}, At at = At::current()) const;
  Tensor flip(IntArrayRef dims, At at = At::current()) const;
  Tensor roll(IntArrayRef shifts, IntArrayRef dims = {}, At at = At::current()) const;
  Tensor tril(Integer diagonal = 0, At at = At::current()) const;
  Tensor& tril_(Integer diagonal = 0, At at = At::current()) const;
  Tensor triu(Integer diagonal = 0, At at = At::current()) const;
  Tensor& triu_(Integer diagonal = 0, At at = At::current()) const;
  Tensor diag_embed(Integer offset = 0, Integer dim1 = -2, Integer dim2 = -1,
                    At at = At::current()) const;
  Tensor select_scatter(const Tensor& src, Integer dim, Integer index, At at = At::current()) const;
  Tensor slice_scatter(const Tensor& src, Integer dim = 0, std::optional<Integer> start = {},
                       std::optional<Integer> end = {}, Integer step = 1,
                       At at = At::current()) const;
  Tensor expand_as(const Tensor& other, At at = At::current()) const;
  Tensor reshape_as(const Tensor& other, At at = At::current()) const;
  Tensor broadcast_to(IntArrayRef size, At at = At::current()) const;
  Tensor tile(IntArrayRef repeats, At at = At::current()) const;
  Tensor ravel(At at = At::current()) const;
  Tensor swapaxes(Integer axis0, Integer axis1, At at = At::current()) const;
  Tensor& swapaxes_(Integer axis0, Integer axis1, At at = At::current()) const;
  Tensor swapdims(Integer dim0, Integer dim1, At at = At::current()) const;
  Tensor moveaxis(IntArrayRef source, IntArrayRef destination, At at = At::current()) const;
  Tensor diag(Integer diagonal = 0, At at = At::current()) const;
  template <WholeNumber Number>
  std::vector<Tensor> tensor_split(Number sections, Integer dim = 0, At at = At::current()) const;
  std::vector<Tensor> tensor_split(IntArrayRef indices, Integer dim = 0,
                                   At at = At::current()) const;
  /// self with another dtype and device, where the options name them.
  /// (A template: a dtype or a device alone is no options.)
  template <std::same_as<TensorOptions> Options>
  Tensor to(const Options& options, At at = At::current()) const;
  /// The same in LibTorch's longer forms. With non_blocking a copy from pinned memory to a device,
  /// without conversion, may still be under way on return; every other has finished. With `copy`
  /// the result shares no memory with self, whatever its dtype and device.
  Tensor to(ScalarType dtype, bool non_blocking, bool copy = false, At at = At::current()) const;
  Tensor to(Device device, bool non_blocking, bool copy = false, At at = At::current()) const;
  Tensor to(Device device, ScalarType dtype, bool non_blocking, bool copy = false,
            At at = At::current()) const;
  Tensor to(const Tensor& other, bool non_blocking, bool copy = false, At at = At::current()) const;
  template <std::same_as<TensorOptions> Options>
  Tensor to(const Options& options, bool non_blocking, bool copy = false,
            At at = At::current()) const;
  Tensor toType(ScalarType dtype, At at = At::current()) const;
  /// A copy that devices read without the CPU's help; see ops/shape.h.
  Tensor pin_memory(std::optional<Device> device = {}, At at = At::current()) const;
  /// Tensors of this dtype and device, where the options name no other.
  Tensor new_empty(IntArrayRef size, const TensorOptions& options, At at = At::current()) const;
  Tensor new_zeros(IntArrayRef size, const TensorOptions& options, At at = At::current()) const;
  Tensor new_ones(IntArrayRef size, const TensorOptions& options, At at = At::current()) const;
  Tensor new_empty(IntArrayRef size, At at = At::current()) const;
  Tensor new_zeros(IntArrayRef size, At at = At::current()) const;
  Tensor new_ones(IntArrayRef size, At at = At::current()) const;
  Tensor new_full(IntArrayRef size, Scalar value, const TensorOptions& options,
                  At at = At::current()) const;
  Tensor new_full(IntArrayRef size, Scalar value, At at = At::current()) const;

 private:
  Tensor& self() const;
};

}  // namespace notape
