// Reductions and scans. `dim` may be negative; an empty list of dimensions means all. Reduced
// dimensions are left out of the result, or stay with size 1 with keepdim. All but var_mean are
// members of Tensor, as in LibTorch.
// All throw UndefinedTensor, NoKernel, and IndexError for a dimension that self has not (a 0-d
// tensor has 0 and -1) or that a list names twice. Floating sums are accumulated in double; the
// bits are the same for any number of threads.
#pragma once
#include <concepts>
#include <tuple>

#include "ops/at.h"

namespace notape {

/// The sum over dim, 0 of nothing;  d/dself = 1. Integers and bools sum to int64.
Tensor sum(const Tensor& self, At at = At::current());
Tensor sum(const Tensor& self, IntArrayRef dim, bool keepdim = false, At at = At::current());
/// Sums over the dimensions in which `size` would be broadcast to self's shape, so that the result
/// has shape `size`: the transpose of expand. Throws ShapeError if size does not broadcast to it.
Tensor sum_to_size(const Tensor& self, IntArrayRef size, At at = At::current());
/// The sum over dim divided by the number n of elements in it, NaN of nothing;  d/dself = 1 / n.
/// Floating dtypes only (DtypeError).
Tensor mean(const Tensor& self, At at = At::current());
Tensor mean(const Tensor& self, IntArrayRef dim, bool keepdim = false, At at = At::current());
/// The product over everything or one dimension, 1 of nothing;  d/dself[i] = the product of the
/// others, without division: exact with any number of zeros. Integers and bools give int64.
Tensor prod(const Tensor& self, At at = At::current());
Tensor prod(const Tensor& self, int64_t dim, bool keepdim = false, At at = At::current());
/// The largest (smallest) element, 0-d; NaN wins. Its gradient is shared evenly by all elements
/// that equal it. Throws ShapeError if there are no elements.
Tensor max(const Tensor& self, At at = At::current());
Tensor min(const Tensor& self, At at = At::current());
/// {values, indices} along one dimension, the indices int64 and the first of equal elements or of
/// NaNs, which win. The gradient of values goes to the element at the index, also at a tie.
/// Throws IndexError if the dimension has no elements.
std::tuple<Tensor, Tensor> max(const Tensor& self, int64_t dim, bool keepdim = false,
                               At at = At::current());
std::tuple<Tensor, Tensor> min(const Tensor& self, int64_t dim, bool keepdim = false,
                               At at = At::current());
/// The indices of max and min alone; no derivative. bool: DtypeError.
Tensor argmax(const Tensor& self, int64_t dim, bool keepdim = false, At at = At::current());
Tensor argmin(const Tensor& self, int64_t dim, bool keepdim = false, At at = At::current());
/// log(sum(e^self)) over dim, computed without overflow, -inf of nothing;  d/dself = softmax over
/// dim: 0 where every term is e^-inf (LibTorch: NaN). Integers and bools give float32.
Tensor logsumexp(const Tensor& self, IntArrayRef dim, bool keepdim = false, At at = At::current());
/// y = e^self / sum(e^self) along dim, computed from self - max(self), of self's shape; a gradient
/// g becomes y (g - sum(g y)). Saves y alone. Floating dtypes only (DtypeError).
Tensor softmax(const Tensor& self, int64_t dim, At at = At::current());
/// y = self - log(sum(e^self)) along dim, of self's shape; a gradient g becomes g - e^y sum(g).
/// Saves y alone. Floating dtypes only (DtypeError).
Tensor log_softmax(const Tensor& self, int64_t dim, At at = At::current());
/// y[i] = self[0] + ... + self[i] along dim, of self's shape; the derivative sums from the other
/// end. Integers and bools give int64.
Tensor cumsum(const Tensor& self, int64_t dim, At at = At::current());
/// sum((self - mean)^2) over dim, divided by n - 1 if unbiased, else by n, in two passes;  d/dself
/// = 2 (self - mean) over the same divisor. Too few numbers for the divisor give NaN and a
/// warning. Only a bool is a flag: var(x, 0) is over dimension 0. Floating dtypes only
/// (DtypeError).
Tensor var(const Tensor& self, At at = At::current());
Tensor var(const Tensor& self, IntArrayRef dim, bool unbiased = true, bool keepdim = false,
           At at = At::current());
template <std::same_as<bool> Flag>
Tensor var(const Tensor& self, Flag unbiased, At at = At::current()) {
  return var(self, IntArrayRef(), unbiased, false, at);
}
/// {variance, mean}, as var() and mean() give them, with one node for both. Not a member.
std::tuple<Tensor, Tensor> var_mean(const Tensor& self, At at = At::current());
std::tuple<Tensor, Tensor> var_mean(const Tensor& self, IntArrayRef dim, bool unbiased = true,
                                    bool keepdim = false, At at = At::current());
template <std::same_as<bool> Flag>
std::tuple<Tensor, Tensor> var_mean(const Tensor& self, Flag unbiased, At at = At::current()) {
  return var_mean(self, IntArrayRef(), unbiased, false, at);
}

}  // namespace notape
