// Reductions and scans. `dim` may be negative; an empty list of dimensions means all. With keepdim
// reduced dimensions stay with size 1. All but var_mean are members of Tensor, as in LibTorch.
#pragma once
#include <concepts>
#include <tuple>

#include "ops/at.h"

namespace notape {

/// Integers and bools sum to int64.
Tensor sum(const Tensor& self, At at = At::current());
Tensor sum(const Tensor& self, IntArrayRef dim, bool keepdim = false, At at = At::current());
/// Sums over broadcast dimensions down to `size`. Throws ShapeError if size does not broadcast.
Tensor sum_to_size(const Tensor& self, IntArrayRef size, At at = At::current());
/// Floating dtypes only (DtypeError).
Tensor mean(const Tensor& self, At at = At::current());
Tensor mean(const Tensor& self, IntArrayRef dim, bool keepdim = false, At at = At::current());
/// The gradient is exact with any number of zeros.
Tensor prod(const Tensor& self, At at = At::current());
Tensor prod(const Tensor& self, int64_t dim, bool keepdim = false, At at = At::current());
/// Over everything: ties share the gradient evenly. Throws ShapeError if there are no elements.
Tensor max(const Tensor& self, At at = At::current());
Tensor min(const Tensor& self, At at = At::current());
/// {values, indices}: the gradient goes to the index returned (the first of equal ones). NaN wins.
/// Throws IndexError if the dimension has no elements.
std::tuple<Tensor, Tensor> max(const Tensor& self, int64_t dim, bool keepdim = false,
                               At at = At::current());
std::tuple<Tensor, Tensor> min(const Tensor& self, int64_t dim, bool keepdim = false,
                               At at = At::current());
Tensor argmax(const Tensor& self, int64_t dim, bool keepdim = false, At at = At::current());
Tensor argmin(const Tensor& self, int64_t dim, bool keepdim = false, At at = At::current());
/// log of the sum of exponentials, without overflow.
Tensor logsumexp(const Tensor& self, IntArrayRef dim, bool keepdim = false, At at = At::current());
Tensor softmax(const Tensor& self, int64_t dim, At at = At::current());
Tensor log_softmax(const Tensor& self, int64_t dim, At at = At::current());
Tensor cumsum(const Tensor& self, int64_t dim, At at = At::current());
/// Divided by n - 1 if unbiased, else by n. Only a bool is a flag: var(x, 0) is over dimension 0.
Tensor var(const Tensor& self, At at = At::current());
Tensor var(const Tensor& self, IntArrayRef dim, bool unbiased = true, bool keepdim = false,
           At at = At::current());
template <std::same_as<bool> Flag>
Tensor var(const Tensor& self, Flag unbiased, At at = At::current()) {
  return var(self, IntArrayRef(), unbiased, false, at);
}
/// {variance, mean}, as var() and mean() give them.
std::tuple<Tensor, Tensor> var_mean(const Tensor& self, At at = At::current());
std::tuple<Tensor, Tensor> var_mean(const Tensor& self, IntArrayRef dim, bool unbiased = true,
                                    bool keepdim = false, At at = At::current());
template <std::same_as<bool> Flag>
std::tuple<Tensor, Tensor> var_mean(const Tensor& self, Flag unbiased, At at = At::current()) {
  return var_mean(self, IntArrayRef(), unbiased, false, at);
}

}  // namespace notape
