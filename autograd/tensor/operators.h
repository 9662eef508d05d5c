// TensorOperators: the member spelling of operators, x.tanh() for tanh(x). Declared only; each is
// defined beside its operator in ops/, so the core still knows nothing about arithmetic.
#pragma once
#include <concepts>
#include <optional>
#include <tuple>
#include <vector>

#include "autograd/error.h"
#include "autograd/tensor/array_ref.h"
#include "autograd/tensor/device.h"
#include "autograd/tensor/scalar.h"

namespace notape {

class Tensor;
namespace indexing {
class TensorIndex;
}

// Operands of C++ operators, which take no defaulted argument, with the line they were written on.

class Operand {
 public:
  Operand(const Tensor& value, SourceLocation where = SourceLocation::current())
      : tensor(value), at(where) {}
  const Tensor& tensor;
  SourceLocation at;
};

class NumberOperand {
 public:
  template <std::convertible_to<Scalar> T>
  NumberOperand(T value, SourceLocation where = SourceLocation::current())
      : number(value), at(where) {}
  Scalar number;
  SourceLocation at;
};

struct IndexAt {
  template <std::integral I>
  IndexAt(I index, SourceLocation where = SourceLocation::current())
      : value(static_cast<int64_t>(index)), at(where) {}
  int64_t value;
  SourceLocation at;
};

/// In-place forms are const, as in LibTorch: they write values and leave the handle as it is.
class TensorOperators {
  using At = SourceLocation;

 public:
  // Elementwise, one operand
  Tensor neg(At at = At::current()) const;
  Tensor& neg_(At at = At::current()) const;
  Tensor abs(At at = At::current()) const;
  Tensor& abs_(At at = At::current()) const;
  Tensor sqrt(At at = At::current()) const;
  Tensor& sqrt_(At at = At::current()) const;
  Tensor rsqrt(At at = At::current()) const;
  Tensor& rsqrt_(At at = At::current()) const;
  Tensor exp(At at = At::current()) const;
  Tensor& exp_(At at = At::current()) const;
  Tensor log(At at = At::current()) const;
  Tensor& log_(At at = At::current()) const;
  Tensor log1p(At at = At::current()) const;
  Tensor& log1p_(At at = At::current()) const;
  Tensor sin(At at = At::current()) const;
  Tensor& sin_(At at = At::current()) const;
  Tensor cos(At at = At::current()) const;
  Tensor& cos_(At at = At::current()) const;
  Tensor tanh(At at = At::current()) const;
  Tensor& tanh_(At at = At::current()) const;
  Tensor sigmoid(At at = At::current()) const;
  Tensor& sigmoid_(At at = At::current()) const;
  Tensor relu(At at = At::current()) const;
  Tensor& relu_(At at = At::current()) const;
  Tensor erf(At at = At::current()) const;
  Tensor& erf_(At at = At::current()) const;
  Tensor square(At at = At::current()) const;
  Tensor& square_(At at = At::current()) const;
  Tensor sign(At at = At::current()) const;
  Tensor reciprocal(At at = At::current()) const;
  Tensor& reciprocal_(At at = At::current()) const;
  Tensor clamp(std::optional<Scalar> min = {}, std::optional<Scalar> max = {},
               At at = At::current()) const;
  Tensor& clamp_(std::optional<Scalar> min = {}, std::optional<Scalar> max = {},
                 At at = At::current()) const;
  Tensor clamp_min(Scalar min, At at = At::current()) const;
  Tensor clamp_max(Scalar max, At at = At::current()) const;

  // Elementwise, several operands
  Tensor add(const Tensor& other, Scalar alpha = 1, At at = At::current()) const;
  Tensor add(Scalar other, Scalar alpha = 1, At at = At::current()) const;
  Tensor& add_(const Tensor& other, Scalar alpha = 1, At at = At::current()) const;
  Tensor& add_(Scalar other, Scalar alpha = 1, At at = At::current()) const;
  Tensor sub(const Tensor& other, Scalar alpha = 1, At at = At::current()) const;
  Tensor sub(Scalar other, Scalar alpha = 1, At at = At::current()) const;
  Tensor& sub_(const Tensor& other, Scalar alpha = 1, At at = At::current()) const;
  Tensor& sub_(Scalar other, Scalar alpha = 1, At at = At::current()) const;
  Tensor mul(const Tensor& other, At at = At::current()) const;
  Tensor mul(Scalar other, At at = At::current()) const;
  Tensor& mul_(const Tensor& other, At at = At::current()) const;
  Tensor& mul_(Scalar other, At at = At::current()) const;
  Tensor div(const Tensor& other, At at = At::current()) const;
  Tensor div(Scalar other, At at = At::current()) const;
  Tensor& div_(const Tensor& other, At at = At::current()) const;
  Tensor& div_(Scalar other, At at = At::current()) const;
  Tensor pow(const Tensor& exponent, At at = At::current()) const;
  Tensor pow(Scalar exponent, At at = At::current()) const;
  Tensor& pow_(const Tensor& exponent, At at = At::current()) const;
  Tensor& pow_(Scalar exponent, At at = At::current()) const;
  Tensor maximum(const Tensor& other, At at = At::current()) const;
  Tensor minimum(const Tensor& other, At at = At::current()) const;
  Tensor where(const Tensor& condition, const Tensor& other, At at = At::current()) const;
  Tensor lerp(const Tensor& end, const Tensor& weight, At at = At::current()) const;
  Tensor lerp(const Tensor& end, Scalar weight, At at = At::current()) const;
  Tensor& lerp_(const Tensor& end, const Tensor& weight, At at = At::current()) const;
  Tensor& lerp_(const Tensor& end, Scalar weight, At at = At::current()) const;
  Tensor addcmul(const Tensor& tensor1, const Tensor& tensor2, Scalar value = 1,
                 At at = At::current()) const;
  Tensor& addcmul_(const Tensor& tensor1, const Tensor& tensor2, Scalar value = 1,
                   At at = At::current()) const;
  Tensor masked_fill(const Tensor& mask, Scalar value, At at = At::current()) const;
  Tensor& masked_fill_(const Tensor& mask, Scalar value, At at = At::current()) const;
  Tensor eq(const Tensor& other, At at = At::current()) const;
  Tensor ne(const Tensor& other, At at = At::current()) const;
  Tensor lt(const Tensor& other, At at = At::current()) const;
  Tensor le(const Tensor& other, At at = At::current()) const;
  Tensor gt(const Tensor& other, At at = At::current()) const;
  Tensor ge(const Tensor& other, At at = At::current()) const;
  Tensor eq(Scalar other, At at = At::current()) const;
  Tensor ne(Scalar other, At at = At::current()) const;
  Tensor lt(Scalar other, At at = At::current()) const;
  Tensor le(Scalar other, At at = At::current()) const;
  Tensor gt(Scalar other, At at = At::current()) const;
  Tensor ge(Scalar other, At at = At::current()) const;
  /// Same shape and equal values, as one bool.
  bool equal(const Tensor& other, At at = At::current()) const;
  /// |self - other| <= atol + rtol * |other| everywhere, as one bool.
  bool allclose(const Tensor& other, double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false,
                At at = At::current()) const;

  // Reductions
  Tensor sum(At at = At::current()) const;
  Tensor sum(IntArrayRef dim, bool keepdim = false, At at = At::current()) const;
  Tensor mean(At at = At::current()) const;
  Tensor mean(IntArrayRef dim, bool keepdim = false, At at = At::current()) const;
  Tensor prod(At at = At::current()) const;
  Tensor prod(int64_t dim, bool keepdim = false, At at = At::current()) const;
  Tensor max(At at = At::current()) const;
  Tensor min(At at = At::current()) const;
  std::tuple<Tensor, Tensor> max(int64_t dim, bool keepdim = false, At at = At::current()) const;
  std::tuple<Tensor, Tensor> min(int64_t dim, bool keepdim = false, At at = At::current()) const;
  Tensor argmax(int64_t dim, bool keepdim = false, At at = At::current()) const;
  Tensor argmin(int64_t dim, bool keepdim = false, At at = At::current()) const;
  Tensor logsumexp(IntArrayRef dim, bool keepdim = false, At at = At::current()) const;
  Tensor softmax(int64_t dim, At at = At::current()) const;
  Tensor log_softmax(int64_t dim, At at = At::current()) const;
  Tensor cumsum(int64_t dim, At at = At::current()) const;
  Tensor var(At at = At::current()) const;
  template <std::same_as<bool> Flag>  // an int is a dimension
  Tensor var(Flag unbiased, At at = At::current()) const;
  Tensor var(IntArrayRef dim, bool unbiased = true, bool keepdim = false,
             At at = At::current()) const;

  // Linear algebra
  Tensor matmul(const Tensor& other, At at = At::current()) const;
  Tensor mm(const Tensor& mat2, At at = At::current()) const;
  Tensor bmm(const Tensor& mat2, At at = At::current()) const;
  Tensor addmm(const Tensor& mat1, const Tensor& mat2, Scalar beta = 1, Scalar alpha = 1,
               At at = At::current()) const;
  Tensor& addmm_(const Tensor& mat1, const Tensor& mat2, Scalar beta = 1, Scalar alpha = 1,
                 At at = At::current()) const;
  Tensor dot(const Tensor& other, At at = At::current()) const;
  Tensor outer(const Tensor& vec2, At at = At::current()) const;

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
  // In place: the tensor itself takes the view's sizes and strides; no values are written.
  Tensor& t_(At at = At::current()) const;
  Tensor& transpose_(int64_t dim0, int64_t dim1, At at = At::current()) const;
  Tensor& swapdims_(int64_t dim0, int64_t dim1, At at = At::current()) const;
  Tensor& squeeze_(At at = At::current()) const;
  Tensor& squeeze_(int64_t dim, At at = At::current()) const;
  Tensor& unsqueeze_(int64_t dim, At at = At::current()) const;
  Tensor& as_strided_(IntArrayRef size, IntArrayRef stride, std::optional<int64_t> offset = {},
                      At at = At::current()) const;
  /// Another size, keeping the first elements; more than the storage has take a new one. Throws
  /// ResizeRequiresGrad, and AliasedInPlace if other tensors share a storage that is too small.
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
  Tensor cpu(At at = At::current()) const;
  Tensor cuda(At at = At::current()) const;
  Tensor sum_to_size(IntArrayRef size, At at = At::current()) const;
  Tensor& copy_(const Tensor& source, At at = At::current()) const;
  Tensor& fill_(Scalar value, At at = At::current()) const;
  Tensor& zero_(At at = At::current()) const;

  // Indexing
  Tensor index(std::initializer_list<indexing::TensorIndex> indices, At at = At::current()) const;
  Tensor index(const std::vector<indexing::TensorIndex>& indices, At at = At::current()) const;
  Tensor& index_put_(std::initializer_list<indexing::TensorIndex> indices, const Tensor& values,
                     At at = At::current()) const;
  Tensor& index_put_(std::initializer_list<indexing::TensorIndex> indices, Scalar value,
                     At at = At::current()) const;
  Tensor index_select(int64_t dim, const Tensor& index, At at = At::current()) const;
  Tensor gather(int64_t dim, const Tensor& index, At at = At::current()) const;
  /// x[i]: select(0, i).
  Tensor operator[](IndexAt index) const;

 private:
  Tensor& self() const;
};

}  // namespace notape
