// Derivatives as data: one rule per input, each a captureless lambda written in differentiable
// operators. The lambda's parameter types say what it needs, and only that is saved, and only if a
// gradient that uses it is wanted now (SEMANTICS: saving).
//
//   constexpr auto kMul = derivative("MulBackward0",
//       elementwise([](const Tensor& grad, Input<1> other) { return grad * other; }),
//       elementwise([](const Tensor& grad, Input<0> self) { return grad * self; }));
//
// Names of arguments and results are those of saved values in messages and for inspection; several
// results have a gradient and a tangent each, undefined where there is none:
//
//   constexpr auto kVarMean =
//       derivative("VarMeanBackward0",
//                  rule([](const PerResult<2>& grads, const Input<0>& x) -> Tensor {...},
//                       [](const Tensor& t, const Input<0>& x) -> PerResult<2> {...}))
//           .with_results<"variance", "mean">();
#pragma once
#include <array>
#include <tuple>

#include "autograd/error.h"
#include "autograd/graph/output_meta.h"

namespace notape {

/// The value of the operation's i-th tensor argument.
template <int I>
struct Input : Tensor {
  static constexpr int index = I;
};
/// The value of the operation's i-th result.
template <int I>
struct Result : Tensor {
  static constexpr int index = I;
};
using Output = Result<0>;
/// A gradient or tangent of each result; undefined stands for zero.
template <std::size_t N>
using PerResult = std::array<Tensor, N>;
/// Shape, dtype and device of the i-th tensor argument; keeps no data alive.
template <int I>
struct Meta {
  static constexpr int index = I;
  const OutputMeta& value;
  IntArrayRef sizes() const { return value.sizes(); }
  int64_t dim() const { return static_cast<int64_t>(value.sizes().size()); }
  ScalarType dtype() const { return value.dtype(); }
  Device device() const { return value.device(); }
};

/// No parameters besides tensors.
struct NoParameters {};

/// What becomes of the structural zeros of the output's gradient (see support.h).
enum class Zeros : uint8_t {
  Lost,   ///< every entry may depend on every entry: they become numbers
  Kept,   ///< entry by entry: zero times anything stays zero
  Moved,  ///< entries go elsewhere, are repeated or summed, and their zeros with them
  Made,   ///< as Moved, and inputs that the operation did not select get new ones
};

/// How one input enters: `vjp` maps the output's gradient to the input's, `jvp` the input's tangent
/// to (its part of) the output's.
template <typename Vjp, typename Jvp, Zeros Z = Zeros::Lost>
struct InputRule {
  static constexpr Zeros zeros = Z;
  Vjp vjp;
  Jvp jvp;
};

/// A diagonal Jacobian, which any factors may fill: vjp and jvp are the same formula. Parameters
/// that are factors may say `bool factors_are_finite() const`, for all contents of tensors. Then
/// it is not checked whether a structural zero has met an infinity.
template <typename Formula>
constexpr auto elementwise(Formula formula) {
  return InputRule<Formula, Formula, Zeros::Kept>{formula, formula};
}
/// The same where only dtypes, devices or broadcasting differ between the two.
template <typename Vjp, typename Jvp>
constexpr auto elementwise(Vjp vjp, Jvp jvp) {
  return InputRule<Vjp, Jvp, Zeros::Kept>{vjp, jvp};
}
/// A Jacobian of fixed weights that moves, repeats and sums entries. The weights that lead to one
/// entry have one sign, so what arrives there from ones is zero only where nothing arrives.
template <typename Vjp, typename Jvp>
constexpr auto movement(Vjp vjp, Jvp jvp) {
  return InputRule<Vjp, Jvp, Zeros::Moved>{vjp, jvp};
}
/// A movement that undoes itself: vjp and jvp are the same formula.
template <typename Formula>
constexpr auto movement(Formula formula) {
  return InputRule<Formula, Formula, Zeros::Moved>{formula, formula};
}
/// A movement that leaves inputs out: their gradient is a structural zero.
template <typename Vjp, typename Jvp>
constexpr auto selection(Vjp vjp, Jvp jvp) {
  return InputRule<Vjp, Jvp, Zeros::Made>{vjp, jvp};
}
/// A selection entry by entry: vjp and jvp are the same formula.
template <typename Formula>
constexpr auto selection(Formula formula) {
  return InputRule<Formula, Formula, Zeros::Made>{formula, formula};
}
/// Any other symmetric Jacobian.
template <typename Formula>
constexpr auto symmetric(Formula formula) {
  return InputRule<Formula, Formula>{formula, formula};
}
/// Any other Jacobian.
template <typename Vjp, typename Jvp>
constexpr auto rule(Vjp vjp, Jvp jvp) {
  return InputRule<Vjp, Jvp>{vjp, jvp};
}
/// An input without derivative: an index, a mask, a condition.
struct NotDifferentiable {};
inline constexpr NotDifferentiable not_differentiable{};

/// Names, known by a type alone.
template <FixedString... Text>
struct Names {
  static constexpr std::size_t count = sizeof...(Text);
  static constexpr const char* list[] = {Text.value...};
};

struct UsualArguments : Names<"self", "other", "third", "fourth"> {};
struct OneResult : Names<"result"> {};

template <typename Arguments, typename Results, typename... Rules>
struct Derivative {
  const char* name;
  std::tuple<Rules...> rules;
  static constexpr std::size_t inputs = sizeof...(Rules), results = Results::count;
  static constexpr const auto& argument_names = Arguments::list;
  static constexpr const auto& result_names = Results::list;

  /// The names of the tensor arguments, in order.
  template <FixedString... Text>
  constexpr auto with_arguments() const {
    return Derivative<Names<Text...>, Results, Rules...>{name, rules};
  }
  /// The names of the results. If no formula takes a PerResult of gradients, none but the first is
  /// differentiable.
  template <FixedString... Text>
  constexpr auto with_results() const {
    return Derivative<Arguments, Names<Text...>, Rules...>{name, rules};
  }
};

template <typename... Rules>
constexpr auto derivative(const char* name, Rules... rules) {
  return Derivative<UsualArguments, OneResult, Rules...>{name, {rules...}};
}

namespace detail {

template <typename>
struct Signature;
template <typename Class, typename Result, typename... Parameters>
struct Signature<Result (Class::*)(Parameters...) const> {
  using Types = std::tuple<std::remove_cvref_t<Parameters>...>;
};
template <typename Lambda>
using ParametersOf = typename Signature<decltype(&Lambda::operator())>::Types;

template <typename T>
inline constexpr int input_index = -1;
template <int I>
inline constexpr int input_index<Input<I>> = I;
template <typename T>
inline constexpr int meta_index = -1;
template <int I>
inline constexpr int meta_index<Meta<I>> = I;

template <typename T>
inline constexpr int result_index = -1;
template <int I>
inline constexpr int result_index<Result<I>> = I;
/// Of how many results; 0 for anything but a PerResult.
template <typename T>
inline constexpr std::size_t results_in = 0;
template <std::size_t N>
inline constexpr std::size_t results_in<PerResult<N>> = N;

/// Bit i: the formula reads input i; this bit and those above: it reads result i.
inline constexpr int kFirstResult = 24;
inline constexpr uint32_t kInputs = (1u << kFirstResult) - 1;

template <typename Parameter>
constexpr uint32_t reads_of() {
  if constexpr (input_index<Parameter> >= 0) return 1u << input_index<Parameter>;
  if constexpr (result_index<Parameter> >= 0) return 1u << (kFirstResult + result_index<Parameter>);
  return 0;
}
template <typename... Parameters>
constexpr uint32_t reads_of_all(std::tuple<Parameters...>*) {
  return (0u | ... | reads_of<Parameters>());
}
template <typename... Parameters>
constexpr uint32_t metas_of_all(std::tuple<Parameters...>*) {
  return (0u | ... | (meta_index<Parameters> >= 0 ? 1u << meta_index<Parameters> : 0u));
}

template <typename T, typename... Parameters>
constexpr bool has_type(std::tuple<Parameters...>*) {
  return (std::is_same_v<T, Parameters> || ...);
}

/// Whether the factors of an elementwise formula are finite, whatever the tensors that it reads.
template <typename Formula, typename P>
bool factors_are_finite(const P& parameters) {
  if constexpr (requires { parameters.factors_are_finite(); }) {
    return parameters.factors_are_finite();
  } else {
    constexpr ParametersOf<Formula>* none = nullptr;
    return reads_of_all(none) == 0 && !has_type<P>(none);
  }
}

template <typename Rule>
struct RuleTraits {
  static constexpr bool differentiable = true;
  static constexpr Zeros zeros = Rule::zeros;
  using VjpParameters = ParametersOf<decltype(Rule::vjp)>;
  using JvpParameters = ParametersOf<decltype(Rule::jvp)>;
  static constexpr bool sees_all_gradients = results_in<std::tuple_element_t<0, VjpParameters>> > 0;
  static constexpr uint32_t reads = reads_of_all(static_cast<VjpParameters*>(nullptr));
  static constexpr uint32_t metas = metas_of_all(static_cast<VjpParameters*>(nullptr));
  static constexpr bool keeps_entries_apart = zeros == Zeros::Kept;
};
template <>
struct RuleTraits<NotDifferentiable> {
  static constexpr bool differentiable = false, sees_all_gradients = false;
  static constexpr bool keeps_entries_apart = true;
  static constexpr Zeros zeros = Zeros::Lost;
  static constexpr uint32_t reads = 0, metas = 0;
};

template <typename D>
struct DerivativeTraits;
template <typename Arguments, typename Results, typename... Rules>
struct DerivativeTraits<Derivative<Arguments, Results, Rules...>> {
  static constexpr std::size_t inputs = sizeof...(Rules);
  static_assert(inputs <= Arguments::count, "name its arguments by with_arguments()");
  static_assert(inputs <= kFirstResult && Results::count <= 32 - kFirstResult);
  static constexpr uint32_t reads_by_rule[inputs] = {RuleTraits<Rules>::reads...};
  static constexpr bool differentiable[inputs] = {RuleTraits<Rules>::differentiable...};
  static constexpr Zeros zeros_by_rule[inputs] = {RuleTraits<Rules>::zeros...};
  static constexpr bool keeps_entries_apart = (RuleTraits<Rules>::keeps_entries_apart && ...);
  static constexpr bool sees_all_gradients = (RuleTraits<Rules>::sees_all_gradients || ...);
  static constexpr uint32_t reads = (0u | ... | RuleTraits<Rules>::reads);
  static constexpr uint32_t metas = (0u | ... | RuleTraits<Rules>::metas);

  static constexpr int count(uint32_t mask) { return __builtin_popcount(mask); }
  /// Where input i stands among the inputs of `mask`.
  static constexpr int position(uint32_t mask, int i) {
    return __builtin_popcount(mask & ((1u << i) - 1));
  }
  static constexpr int saved_inputs = count(reads & kInputs);
  static constexpr int saved_metas = count(metas);
  static constexpr int saved_results = count(reads & ~kInputs);
};

/// Calls a formula with the arguments its parameter types ask `source` for. The first parameter is
/// the gradient or tangent, or all of them.
template <typename Formula, typename First, typename Source>
auto call_formula(const Formula& formula, const First& first, Source&& source) {
  using Parameters = ParametersOf<Formula>;
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return formula(first, source.template argument<std::tuple_element_t<I + 1, Parameters>>()...);
  }
  (std::make_index_sequence<std::tuple_size_v<Parameters> - 1>());
}

}  // namespace detail
}  // namespace notape
