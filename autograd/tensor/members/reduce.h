// The members of a Tensor that ops/reduce/ defines: x.f() for f(x), x.f_() for f_(x). The formula,
// shapes, errors and derivative of each stand beside f in ops/reduce.h.
#pragma once
#include <concepts>
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

 private:
  Tensor& self() const;
};

}  // namespace notape
