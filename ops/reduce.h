// Reductions and scans. `dim` may be negative; an empty list of dimensions means all. Reduced
// dimensions are left out of the result, or stay with size 1 with keepdim. All but var_mean are
// members of Tensor, as in LibTorch.
// All throw UndefinedTensor, NoKernel, and IndexError for a dimension that self has not (a 0-d
// tensor has 0 and -1) or that a list names twice. Floating sums are accumulated in double; the
// bits are the same for any number of threads.
#pragma once
#include <concepts>
#include <optional>
#include <string_view>
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
Tensor prod(const Tensor& self, Integer dim, bool keepdim = false, At at = At::current());
/// The largest (smallest) element, 0-d; NaN wins. Its gradient is shared evenly by all elements
/// that equal it. Throws ShapeError if there are no elements.
Tensor max(const Tensor& self, At at = At::current());
Tensor min(const Tensor& self, At at = At::current());
/// {values, indices} along one dimension, the indices int64 and the first of equal elements or of
/// NaNs, which win. The gradient of values goes to the element at the index, also at a tie.
/// Throws IndexError if the dimension has no elements.
std::tuple<Tensor, Tensor> max(const Tensor& self, Integer dim, bool keepdim = false,
                               At at = At::current());
std::tuple<Tensor, Tensor> min(const Tensor& self, Integer dim, bool keepdim = false,
                               At at = At::current());
/// log(sum(e^self)) over dim, computed without overflow, -inf of nothing;  d/dself = softmax over
/// dim: 0 where every term is e^-inf (LibTorch: NaN). Integers and bools give float32.
Tensor logsumexp(const Tensor& self, IntArrayRef dim, bool keepdim = false, At at = At::current());
/// y = e^self / sum(e^self) along dim, computed from self - max(self), of self's shape; a gradient
/// g becomes y (g - sum(g y)). Saves y alone. Floating dtypes only (DtypeError).
Tensor softmax(const Tensor& self, Integer dim, At at = At::current());
/// y = self - log(sum(e^self)) along dim, of self's shape; a gradient g becomes g - e^y sum(g).
/// Saves y alone. Floating dtypes only (DtypeError).
Tensor log_softmax(const Tensor& self, Integer dim, At at = At::current());
/// y[i] = self[0] + ... + self[i] along dim, of self's shape; the derivative sums from the other
/// end. Integers and bools give int64.
Tensor cumsum(const Tensor& self, Integer dim, At at = At::current());
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

/// The largest (smallest) element over dim, NaN wins; the gradient is shared evenly by all elements
/// that equal it. Throws ShapeError if there are no elements and no dim is named, IndexError if a
/// named one has size 0.
Tensor amax(const Tensor& self, IntArrayRef dim = {}, bool keepdim = false, At at = At::current());
Tensor amin(const Tensor& self, IntArrayRef dim = {}, bool keepdim = false, At at = At::current());
/// {amin, amax} of everything or along one dimension. Not a member.
std::tuple<Tensor, Tensor> aminmax(const Tensor& self, std::optional<Integer> dim = {},
                                   bool keepdim = false, At at = At::current());
/// maximum(self, other) and minimum(self, other).
Tensor max(const Tensor& self, const Tensor& other, At at = At::current());
Tensor min(const Tensor& self, const Tensor& other, At at = At::current());
/// The indices of max and min alone, without dim that in self flattened, then with keepdim of
/// self's rank; no derivative. bool: DtypeError. Throws IndexError if there are no elements.
Tensor argmax(const Tensor& self, std::optional<Integer> dim = {}, bool keepdim = false,
              At at = At::current());
Tensor argmin(const Tensor& self, std::optional<Integer> dim = {}, bool keepdim = false,
              At at = At::current());

namespace detail {
Tensor var_corrected(const Tensor& self, IntArrayRef dim, double correction, bool keepdim, At at);
std::tuple<Tensor, Tensor> var_mean_corrected(const Tensor& self, IntArrayRef dim,
                                              double correction, bool keepdim, At at);
Tensor std_corrected(const Tensor& self, IntArrayRef dim, double correction, bool keepdim, At at);
std::tuple<Tensor, Tensor> std_mean_corrected(const Tensor& self, IntArrayRef dim,
                                              double correction, bool keepdim, At at);
}  // namespace detail

/// var() and var_mean() with divisor max(n - correction, 0); a number in the flag's place is the
/// correction. (LibTorch takes an int there for the flag.)
template <detail::Correction C>
Tensor var(const Tensor& self, IntArrayRef dim, C correction, bool keepdim = false,
           At at = At::current()) {
  return detail::var_corrected(self, dim, static_cast<double>(correction), keepdim, at);
}
template <detail::Correction C>
std::tuple<Tensor, Tensor> var_mean(const Tensor& self, IntArrayRef dim, C correction,
                                    bool keepdim = false, At at = At::current()) {
  return detail::var_mean_corrected(self, dim, static_cast<double>(correction), keepdim, at);
}
/// The square root of var(), with its forms;  d/dself = (self - mean) / (divisor std), and 0 where
/// the deviation is 0.
Tensor std(const Tensor& self, At at = At::current());
Tensor std(const Tensor& self, IntArrayRef dim, bool unbiased = true, bool keepdim = false,
           At at = At::current());
template <std::same_as<bool> Flag>
Tensor std(const Tensor& self, Flag unbiased, At at = At::current()) {
  return notape::std(self, IntArrayRef(), unbiased, false, at);
}
template <detail::Correction C>
Tensor std(const Tensor& self, IntArrayRef dim, C correction, bool keepdim = false,
           At at = At::current()) {
  return detail::std_corrected(self, dim, static_cast<double>(correction), keepdim, at);
}
/// {std, mean}, with one node for both. Not a member.
std::tuple<Tensor, Tensor> std_mean(const Tensor& self, At at = At::current());
std::tuple<Tensor, Tensor> std_mean(const Tensor& self, IntArrayRef dim, bool unbiased = true,
                                    bool keepdim = false, At at = At::current());
template <std::same_as<bool> Flag>
std::tuple<Tensor, Tensor> std_mean(const Tensor& self, Flag unbiased, At at = At::current()) {
  return std_mean(self, IntArrayRef(), unbiased, false, at);
}
template <detail::Correction C>
std::tuple<Tensor, Tensor> std_mean(const Tensor& self, IntArrayRef dim, C correction,
                                    bool keepdim = false, At at = At::current()) {
  return detail::std_mean_corrected(self, dim, static_cast<double>(correction), keepdim, at);
}

/// sum(|self|^ord)^(1 / ord) over dim, for any ord: inf and -inf give the largest and smallest
/// magnitude, 0 counts what is not 0. Computed in double, and scaled where powers leave its range.
/// d/dself = sign(self) (|self| / norm)^(ord - 1), shared evenly by ties for +-inf; 0 for ord = 0,
/// where the norm is 0, and for ord < 1 at 0. dtype converts self first. Throws DtypeError for
/// integers and for a dtype that is not floating or narrower than self's, ShapeError if ord is
/// negative or inf and there are no elements. Not a member.
Tensor linalg_vector_norm(const Tensor& self, Scalar ord = 2, IntArrayRef dim = {},
                          bool keepdim = false, std::optional<ScalarType> dtype = {},
                          At at = At::current());
/// The same under its older name; p is 2 if not given.
Tensor norm(const Tensor& self, Scalar p = 2, At at = At::current());
Tensor norm(const Tensor& self, std::optional<Scalar> p, ScalarType dtype, At at = At::current());
Tensor norm(const Tensor& self, std::optional<Scalar> p, IntArrayRef dim, bool keepdim = false,
            At at = At::current());
Tensor norm(const Tensor& self, std::optional<Scalar> p, IntArrayRef dim, bool keepdim,
            ScalarType dtype, At at = At::current());

/// Whether every (some) element is not 0, over dim; true (false) of nothing. bool, but uint8 of
/// uint8; no derivative. An empty list of dimensions means all (LibTorch: none).
Tensor all(const Tensor& self, IntArrayRef dim = {}, bool keepdim = false, At at = At::current());
Tensor any(const Tensor& self, IntArrayRef dim = {}, bool keepdim = false, At at = At::current());
/// How many elements are not 0, over dim: int64, no derivative.
Tensor count_nonzero(const Tensor& self, IntArrayRef dim = {}, At at = At::current());

/// {values, indices} along dim in ascending or descending order: NaN counts as the largest, equal
/// elements keep their order, stable or not. The gradient goes back to where the values came from.
/// Any dtype; the indices are int64.
std::tuple<Tensor, Tensor> sort(const Tensor& self, Integer dim = -1, bool descending = false,
                                At at = At::current());
template <detail::OptionalFlag Flag>
std::tuple<Tensor, Tensor> sort(const Tensor& self, [[maybe_unused]] Flag stable, Integer dim = -1,
                                bool descending = false, At at = At::current()) {
  return notape::sort(self, dim, descending, at);  // which always is
}
/// The indices of sort alone; no derivative.
Tensor argsort(const Tensor& self, Integer dim = -1, bool descending = false,
               At at = At::current());
template <std::same_as<bool> Flag>
Tensor argsort(const Tensor& self, [[maybe_unused]] Flag stable, Integer dim = -1,
               bool descending = false, At at = At::current()) {
  return notape::argsort(self, dim, descending, at);  // which always is
}
/// {values, indices} of the k largest (smallest) along dim, as sort orders them, also if not asked
/// to be sorted. Throws IndexError unless 0 <= k <= the size of dim; bool: DtypeError.
std::tuple<Tensor, Tensor> topk(const Tensor& self, Integer k, Integer dim = -1,
                                bool largest = true, bool sorted = true, At at = At::current());
/// The middle element, of an even number the smaller one of both; NaN if there is one. Of all: 0-d,
/// NaN of nothing, the gradient shared evenly by all that equal it. Along dim: {values, indices},
/// the gradient at the index, IndexError if dim has size 0. bool: DtypeError.
Tensor median(const Tensor& self, At at = At::current());
std::tuple<Tensor, Tensor> median(const Tensor& self, Integer dim, bool keepdim = false,
                                  At at = At::current());
/// The entry at place q (n - 1) of the n along dim (or of all) in order, interpolated between two:
/// "linear", "lower", "higher", "midpoint" or "nearest". q, from 0 to 1 (ValueError), is a number
/// or a list of them, along a new first dimension. A slice with NaN gives NaN. Differentiable by q,
/// too.
Tensor quantile(const Tensor& self, const Tensor& q, std::optional<Integer> dim = {},
                bool keepdim = false, std::string_view interpolation = "linear",
                At at = At::current());
Tensor quantile(const Tensor& self, double q, std::optional<Integer> dim = {}, bool keepdim = false,
                std::string_view interpolation = "linear", At at = At::current());

/// y[i] = self[0] ... self[i] along dim; the derivative divides by nothing: exact with any number
/// of zeros. Integers and bools give int64.
Tensor cumprod(const Tensor& self, Integer dim, At at = At::current());
Tensor cumprod(const Tensor& self, Integer dim, ScalarType dtype, At at = At::current());
/// y[i] = log(e^self[0] + ... + e^self[i]) along dim without overflow;  dy[i]/dself[j] =
/// e^(self[j] - y[i]) for j <= i: 0 where y[i] is -inf. Floating dtypes only (DtypeError).
Tensor logcumsumexp(const Tensor& self, Integer dim, At at = At::current());
/// {values, indices} of the largest (smallest) so far along dim, of equal ones the last; NaN wins.
/// The gradients add up where the values came from.
std::tuple<Tensor, Tensor> cummax(const Tensor& self, Integer dim, At at = At::current());
std::tuple<Tensor, Tensor> cummin(const Tensor& self, Integer dim, At at = At::current());

/// The operators of these names of self converted to dtype.
Tensor sum(const Tensor& self, ScalarType dtype, At at = At::current());
Tensor sum(const Tensor& self, IntArrayRef dim, bool keepdim, ScalarType dtype,
           At at = At::current());
Tensor mean(const Tensor& self, ScalarType dtype, At at = At::current());
Tensor mean(const Tensor& self, IntArrayRef dim, bool keepdim, ScalarType dtype,
            At at = At::current());
Tensor prod(const Tensor& self, ScalarType dtype, At at = At::current());
Tensor prod(const Tensor& self, Integer dim, bool keepdim, ScalarType dtype, At at = At::current());
Tensor softmax(const Tensor& self, Integer dim, ScalarType dtype, At at = At::current());
Tensor log_softmax(const Tensor& self, Integer dim, ScalarType dtype, At at = At::current());
Tensor cumsum(const Tensor& self, Integer dim, ScalarType dtype, At at = At::current());

// Members that are templates.
template <std::same_as<bool> Flag>
Tensor ReduceMembers::var(Flag unbiased, At at) const {
  return notape::var(self(), unbiased, at);
}
template <detail::Correction C>
Tensor ReduceMembers::var(IntArrayRef dim, C correction, bool keepdim, At at) const {
  return notape::var(self(), dim, correction, keepdim, at);
}
template <std::same_as<bool> Flag>
Tensor ReduceMembers::std(Flag unbiased, At at) const {
  return notape::std(self(), unbiased, at);
}
template <detail::Correction C>
Tensor ReduceMembers::std(IntArrayRef dim, C correction, bool keepdim, At at) const {
  return notape::std(self(), dim, correction, keepdim, at);
}
template <detail::OptionalFlag Flag>
std::tuple<Tensor, Tensor> ReduceMembers::sort(Flag stable, Integer dim, bool descending,
                                               At at) const {
  return notape::sort(self(), stable, dim, descending, at);
}
template <std::same_as<bool> Flag>
Tensor ReduceMembers::argsort(Flag stable, Integer dim, bool descending, At at) const {
  return notape::argsort(self(), stable, dim, descending, at);
}

}  // namespace notape
