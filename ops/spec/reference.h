// Reference: what an operator computes, written plainly for any kind of number. A row gives it as a
// generic lambda,
//   one.reference = elementwise_reference(F{});
// and verify/ runs it in 113 bits, and on dual numbers for its exact slope and its branches.
#pragma once
#include <concepts>
#include <functional>
#include <vector>

#include "ops/spec/wide_dual.h"

namespace notape {

using math::Wide;
using math::WideDual;

/// Row-major values; indices and bools are whole numbers.
template <typename T>
struct PlainTensor {
  std::vector<int64_t> sizes;
  std::vector<T> values;

  PlainTensor() = default;
  explicit PlainTensor(std::vector<int64_t> shape) : sizes(std::move(shape)) {
    int64_t count = 1;
    for (int64_t size : sizes) count *= size;
    values.assign(static_cast<std::size_t>(count), T(0));
  }
  int64_t numel() const { return static_cast<int64_t>(values.size()); }
  int64_t dim() const { return static_cast<int64_t>(sizes.size()); }
};
template <typename T>
using PlainList = std::vector<PlainTensor<T>>;

using WideTensor = PlainTensor<Wide>;  ///< in 113-bit arithmetic
using WideList = PlainList<Wide>;
using DualTensor = PlainTensor<WideDual>;
using DualList = PlainList<WideDual>;

/// A callable for several kinds of numbers: made from a generic one or, with less to check, from
/// one for Wide alone. Signature<T> is its type on numbers T.
template <template <typename> typename Signature>
class PlainFunction {
 public:
  PlainFunction() = default;
  template <typename F>
  requires(!std::same_as<F, PlainFunction> &&
           std::constructible_from<std::function<Signature<Wide>>, F>) PlainFunction(F f)
      : wide_(f) {
    if constexpr (std::constructible_from<std::function<Signature<WideDual>>, F>)
      dual_ = std::move(f);
  }

  explicit operator bool() const { return static_cast<bool>(wide_); }
  /// Whether it takes dual numbers, too.
  bool has_dual() const { return static_cast<bool>(dual_); }

  template <typename X>
  auto operator()(const X& x) const {
    if constexpr (std::invocable<const std::function<Signature<Wide>>&, const X&>)
      return wide_(x);
    else
      return dual_(x);
  }

 private:
  std::function<Signature<Wide>> wide_;
  std::function<Signature<WideDual>> dual_;
};

template <typename T>
using ReferenceSignature = PlainTensor<T>(const PlainList<T>& arguments);

/// What an operator computes. `is_elementwise` if every result depends on one entry of each
/// argument alone, and so is judged for itself.
class Reference : public PlainFunction<ReferenceSignature> {
 public:
  using PlainFunction::PlainFunction;
  bool is_elementwise = false;
};

}  // namespace notape
