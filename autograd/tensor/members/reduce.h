// The members of a Tensor that ops/reduce/ defines: x.f() for f(x), x.f_() for f_(x). The formula,
// shapes, errors and derivative of each stand beside f in ops/reduce.h.
#pragma once
#include <concepts>
#include <optional>
#include <tuple>

#include "autograd/source_location.h"
#include "autograd/tensor/array_ref.h"

namespace notape {

class Tensor;

class ReduceMembers {
  using At = SourceLocation;

 public:
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
  Tensor sum_to_size(IntArrayRef size, At at = At::current()) const;
  Tensor amax(IntArrayRef dim = {}, bool keepdim = false, At at = At::current()) const;
  Tensor amin(IntArrayRef dim = {}, bool keepdim = false, At at = At::current()) const;
  std::tuple<Tensor, Tensor> aminmax(std::optional<int64_t> dim = {}, bool keepdim = false,
                                     At at = At::current()) const;
  Tensor max(const Tensor& other, At at = At::current()) const;
  Tensor min(const Tensor& other, At at = At::current()) const;
  Tensor argmax(At at = At::current()) const;
  Tensor argmax(std::optional<int64_t> dim, bool keepdim = false, At at = At::current()) const;
  Tensor argmin(At at = At::current()) const;
  Tensor argmin(std::optional<int64_t> dim, bool keepdim = false, At at = At::current()) const;
  Tensor std(At at = At::current()) const;
  Tensor std(IntArrayRef dim, bool unbiased = true, bool keepdim = false,
             At at = At::current()) const;
  Tensor norm(Scalar p = 2, At at = At::current()) const;
  Tensor norm(std::optional<Scalar> p, IntArrayRef dim, bool keepdim = false,
              At at = At::current()) const;
  Tensor all(IntArrayRef dim = {}, bool keepdim = false, At at = At::current()) const;
  Tensor any(IntArrayRef dim = {}, bool keepdim = false, At at = At::current()) const;
  Tensor count_nonzero(IntArrayRef dim = {}, At at = At::current()) const;
  std::tuple<Tensor, Tensor> sort(int64_t dim = -1, bool descending = false,
                                  At at = At::current()) const;
  std::tuple<Tensor, Tensor> sort(std::optional<bool> stable, int64_t dim = -1,
                                  bool descending = false, At at = At::current()) const;
  Tensor argsort(int64_t dim = -1, bool descending = false, At at = At::current()) const;
  std::tuple<Tensor, Tensor> topk(int64_t k, int64_t dim = -1, bool largest = true,
                                  bool sorted = true, At at = At::current()) const;
  Tensor median(At at = At::current()) const;
  std::tuple<Tensor, Tensor> median(int64_t dim, bool keepdim = false, At at = At::current()) const;
  Tensor cumprod(int64_t dim, At at = At::current()) const;
  Tensor logcumsumexp(int64_t dim, At at = At::current()) const;
  std::tuple<Tensor, Tensor> cummax(int64_t dim, At at = At::current()) const;
  std::tuple<Tensor, Tensor> cummin(int64_t dim, At at = At::current()) const;
  Tensor sum(ScalarType dtype, At at = At::current()) const;
  Tensor sum(IntArrayRef dim, bool keepdim, ScalarType dtype, At at = At::current()) const;
  Tensor mean(ScalarType dtype, At at = At::current()) const;
  Tensor mean(IntArrayRef dim, bool keepdim, ScalarType dtype, At at = At::current()) const;
  Tensor prod(ScalarType dtype, At at = At::current()) const;
  Tensor softmax(int64_t dim, ScalarType dtype, At at = At::current()) const;
  Tensor log_softmax(int64_t dim, ScalarType dtype, At at = At::current()) const;
  Tensor cumsum(int64_t dim, ScalarType dtype, At at = At::current()) const;
  Tensor& cumsum_(int64_t dim, At at = At::current()) const;
  Tensor& cumprod_(int64_t dim, At at = At::current()) const;

 private:
  Tensor& self() const;
};

}  // namespace notape
