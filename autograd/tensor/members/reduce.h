// The members of a Tensor that ops/reduce/ defines: x.f() for f(x), x.f_() for f_(x). The formula,
// shapes, errors and derivative of each stand beside f in ops/reduce.h.
#pragma once
#include <concepts>
#include <optional>
#include <string_view>
#include <tuple>

#include "autograd/source_location.h"
#include "autograd/tensor/array_ref.h"

namespace notape {

class Tensor;

namespace detail {
/// A number, and not a flag.
template <typename T>
concept Correction = std::is_arithmetic_v<T> && !std::same_as<T, bool>;
/// A flag that may be left open, and not a dimension.
template <typename T>
concept OptionalFlag = std::same_as<T, bool> || std::same_as<T, std::optional<bool>> ||
    std::same_as<T, std::nullopt_t>;
}  // namespace detail

class ReduceMembers {
  using At = SourceLocation;

 public:
  Tensor sum(At at = At::current()) const;
  Tensor sum(IntArrayRef dim, bool keepdim = false, At at = At::current()) const;
  Tensor mean(At at = At::current()) const;
  Tensor mean(IntArrayRef dim, bool keepdim = false, At at = At::current()) const;
  Tensor prod(At at = At::current()) const;
  Tensor prod(Integer dim, bool keepdim = false, At at = At::current()) const;
  Tensor max(At at = At::current()) const;
  Tensor min(At at = At::current()) const;
  std::tuple<Tensor, Tensor> max(Integer dim, bool keepdim = false, At at = At::current()) const;
  std::tuple<Tensor, Tensor> min(Integer dim, bool keepdim = false, At at = At::current()) const;
  Tensor logsumexp(IntArrayRef dim, bool keepdim = false, At at = At::current()) const;
  Tensor softmax(Integer dim, At at = At::current()) const;
  Tensor log_softmax(Integer dim, At at = At::current()) const;
  Tensor cumsum(Integer dim, At at = At::current()) const;
  Tensor var(At at = At::current()) const;
  template <std::same_as<bool> Flag>  // an int is a dimension
  Tensor var(Flag unbiased, At at = At::current()) const;
  Tensor var(IntArrayRef dim, bool unbiased = true, bool keepdim = false,
             At at = At::current()) const;
  template <detail::Correction C>
  Tensor var(IntArrayRef dim, C correction, bool keepdim = false, At at = At::current()) const;
  Tensor sum_to_size(IntArrayRef size, At at = At::current()) const;
  Tensor amax(IntArrayRef dim = {}, bool keepdim = false, At at = At::current()) const;
  Tensor amin(IntArrayRef dim = {}, bool keepdim = false, At at = At::current()) const;
  std::tuple<Tensor, Tensor> aminmax(std::optional<Integer> dim = {}, bool keepdim = false,
                                     At at = At::current()) const;
  Tensor max(const Tensor& other, At at = At::current()) const;
  Tensor min(const Tensor& other, At at = At::current()) const;
  Tensor argmax(std::optional<Integer> dim = {}, bool keepdim = false, At at = At::current()) const;
  Tensor argmin(std::optional<Integer> dim = {}, bool keepdim = false, At at = At::current()) const;
  Tensor std(At at = At::current()) const;
  template <std::same_as<bool> Flag>
  Tensor std(Flag unbiased, At at = At::current()) const;
  template <detail::Correction C>
  Tensor std(IntArrayRef dim, C correction, bool keepdim = false, At at = At::current()) const;
  Tensor std(IntArrayRef dim, bool unbiased = true, bool keepdim = false,
             At at = At::current()) const;
  Tensor norm(Scalar p = 2, At at = At::current()) const;
  Tensor norm(std::optional<Scalar> p, ScalarType dtype, At at = At::current()) const;
  Tensor norm(std::optional<Scalar> p, IntArrayRef dim, bool keepdim = false,
              At at = At::current()) const;
  Tensor norm(std::optional<Scalar> p, IntArrayRef dim, bool keepdim, ScalarType dtype,
              At at = At::current()) const;
  Tensor all(IntArrayRef dim = {}, bool keepdim = false, At at = At::current()) const;
  Tensor any(IntArrayRef dim = {}, bool keepdim = false, At at = At::current()) const;
  Tensor count_nonzero(IntArrayRef dim = {}, At at = At::current()) const;
  std::tuple<Tensor, Tensor> sort(Integer dim = -1, bool descending = false,
                                  At at = At::current()) const;
  template <detail::OptionalFlag Flag>
  std::tuple<Tensor, Tensor> sort(Flag stable, Integer dim = -1, bool descending = false,
                                  At at = At::current()) const;
  Tensor argsort(Integer dim = -1, bool descending = false, At at = At::current()) const;
  template <std::same_as<bool> Flag>
  Tensor argsort(Flag stable, Integer dim = -1, bool descending = false,
                 At at = At::current()) const;
  std::tuple<Tensor, Tensor> topk(Integer k, Integer dim = -1, bool largest = true,
                                  bool sorted = true, At at = At::current()) const;
  Tensor quantile(const Tensor& q, std::optional<Integer> dim = {}, bool keepdim = false,
                  std::string_view interpolation = "linear", At at = At::current()) const;
  Tensor quantile(double q, std::optional<Integer> dim = {}, bool keepdim = false,
                  std::string_view interpolation = "linear", At at = At::current()) const;
  Tensor median(At at = At::current()) const;
  std::tuple<Tensor, Tensor> median(Integer dim, bool keepdim = false, At at = At::current()) const;
  Tensor cumprod(Integer dim, At at = At::current()) const;
  Tensor cumprod(Integer dim, ScalarType dtype, At at = At::current()) const;
  Tensor logcumsumexp(Integer dim, At at = At::current()) const;
  std::tuple<Tensor, Tensor> cummax(Integer dim, At at = At::current()) const;
  std::tuple<Tensor, Tensor> cummin(Integer dim, At at = At::current()) const;
  Tensor sum(ScalarType dtype, At at = At::current()) const;
  Tensor sum(IntArrayRef dim, bool keepdim, ScalarType dtype, At at = At::current()) const;
  Tensor mean(ScalarType dtype, At at = At::current()) const;
  Tensor mean(IntArrayRef dim, bool keepdim, ScalarType dtype, At at = At::current()) const;
  Tensor prod(ScalarType dtype, At at = At::current()) const;
  Tensor prod(Integer dim, bool keepdim, ScalarType dtype, At at = At::current()) const;
  Tensor softmax(Integer dim, ScalarType dtype, At at = At::current()) const;
  Tensor log_softmax(Integer dim, ScalarType dtype, At at = At::current()) const;
  Tensor cumsum(Integer dim, ScalarType dtype, At at = At::current()) const;
  Tensor& cumsum_(Integer dim, At at = At::current()) const;
  Tensor& cumprod_(Integer dim, At at = At::current()) const;

 private:
  Tensor& self() const;
};

}  // namespace notape
