// What every out form does: its checks, the function itself without a graph, and then the writes,
// which no check can stop any more.
#pragma once
#include <array>
#include <concepts>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "autograd/modes/grad_mode.h"
#include "autograd/observer.h"
#include "ops/index.h"

namespace notape {

/// Which dtype out may have. LibTorch's rules differ from function to function.
enum class Fit {
  Converted,  ///< as for an in-place result: its category is no lower than the result's
  Exact,      ///< the result's
  Flags,      ///< the result's, bool, or uint8
  Anything,   ///< the result, 0 or 1, is the same in every dtype
  Made,       ///< the result was made like out, as factories do. No warning if out is resized
};

namespace detail {

/// What an argument of type A is passed as.
template <typename A>
struct PassedAs {
  using Type = A;
};
template <typename A>
requires(std::same_as<A, Tensor> || std::same_as<A, TensorList> ||
         std::same_as<A, std::vector<indexing::TensorIndex>>) struct PassedAs<A> {
  using Type = const A&;
};

/// Throws UndefinedTensor, OutRequiresGrad or ForwardNotImplemented. Undefined inputs pass.
class ArgumentCheck {
 public:
  explicit ArgumentCheck(const Operation& op) : op_(op) {}
  void out(const Tensor& out);
  void input(const Tensor& one);
  void input(const TensorList& list);
  void input(const std::vector<indexing::TensorIndex>& indices);
  template <typename Number>
  void input(const Number&) {}
  void after_all() const;

 private:
  const Operation& op_;
  bool needs_gradient_ = false;
};

/// Writes each result into its out, or throws before anything has changed.
void write_outs(const Operation& op, std::span<Tensor* const> outs, std::span<Tensor> results,
                Fit fit);

inline std::array<Tensor, 1> in_array(Tensor result) { return {std::move(result)}; }
template <typename... Results>
std::array<Tensor, sizeof...(Results)> in_array(std::tuple<Results...> results) {
  return std::apply([](auto&... one) { return std::array{std::move(one)...}; }, results);
}

}  // namespace detail

/// A call of an out form, form(function, arguments...): what the function returns is written into
/// the outs.
template <typename... Outs>
class OutForm {
 public:
  static constexpr bool kIsOne = sizeof...(Outs) == 1;
  using Result = std::conditional_t<kIsOne, Tensor, std::tuple<Outs...>>;
  using Written = std::conditional_t<kIsOne, Tensor&, std::tuple<Outs&...>>;

  OutForm(Fit fit, std::tuple<Outs&...> outs, const At& at, const char* name)
      : fit_(fit), outs_(outs), at_(at), name_(name) {}

  template <typename... A>
  Written operator()(Result (*function)(typename detail::PassedAs<A>::Type..., At),
                     const A&... arguments) const {
    return write([&] { return function(arguments..., at_); }, arguments...);
  }
  /// compute() of these arguments.
  template <typename Compute, typename... A>
  Written write(const Compute& compute, const A&... arguments) const {
    const Operation op(name_, at_);
    detail::ArgumentCheck check(op);
    std::apply([&](const Outs&... out) { (check.out(out), ...); }, outs_);
    (check.input(arguments), ...);
    check.after_all();
    const NoGradGuard no_grad;
    auto results = detail::in_array(compute());
    const auto targets = std::apply([](Outs&... out) { return std::array{&out...}; }, outs_);
    detail::write_outs(op, targets, results, fit_);
    if constexpr (kIsOne)
      return std::get<0>(outs_);
    else
      return outs_;
  }

 private:
  Fit fit_;
  std::tuple<Outs&...> outs_;
  At at_;
  const char* name_;
};

/// The form that calls this, under its own name.
template <typename... Outs>
OutForm<Outs...> into(Fit fit, std::tuple<Outs&...> outs, const At& at,
                      const char* name = __builtin_FUNCTION()) {
  return {fit, outs, at, name};
}
inline OutForm<Tensor> into(Fit fit, Tensor& out, const At& at,
                            const char* name = __builtin_FUNCTION()) {
  return {fit, std::tie(out), at, name};
}
template <typename Outs>
auto converted(Outs&& outs, const At& at, const char* name = __builtin_FUNCTION()) {
  return into(Fit::Converted, outs, at, name);
}
template <typename Outs>
auto exact(Outs&& outs, const At& at, const char* name = __builtin_FUNCTION()) {
  return into(Fit::Exact, outs, at, name);
}

inline bool is_number(const Tensor& operand) { return operand.defined() && operand.dim() == 0; }
/// LibTorch calls some functions of a 0-d tensor by the form that takes a number, which converts.
inline Fit exact_unless_number(const Tensor& operand) {
  return is_number(operand) ? Fit::Converted : Fit::Exact;
}

// Short names for the definitions. The headers say them in full.
using O = Tensor&;
using X = const Tensor&;
using I = Integer;
using Sizes = IntArrayRef;
using Text = std::string_view;
using Tensors = const TensorList&;
using Indices = const std::vector<indexing::TensorIndex>&;
using TwoOuts = std::tuple<Tensor&, Tensor&>;
using ThreeOuts = std::tuple<Tensor&, Tensor&, Tensor&>;
template <typename P>
using Maybe = std::optional<P>;

}  // namespace notape
