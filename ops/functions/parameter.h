// Parameters: what a function takes, and how a value becomes its argument.
#pragma once
#include <optional>
#include <string_view>
#include <type_traits>

#include "ops/functions/value.h"
#include "ops/ops.h"

namespace notape::functions {

enum class Kind {
  Tensor,
  Written,  ///< a tensor that the function writes to
  Integer,
  Flag,
  Type,
  Text,
  Real,
  Number,    ///< a Scalar
  Integers,  ///< as many as there are, or one
  Pair,      ///< two whole numbers, or one for both
  Triple,
  Reduction,
  Tensors,
  Reals,
  Index,  ///< what stands between the brackets of x[...]
  Indices,
};

struct Parameter {
  Kind kind;
  bool is_optional = false;

  bool takes(const Value& value) const;
};

/// The kind of parameters of type P, and as<P>::get(): the argument that a value becomes, of what
/// takes() says yes to.
template <typename P>
struct Passed;

template <Kind K>
struct Of {
  static constexpr Parameter kParameter{K};
};
/// What is held as it is passed.
template <Kind K, typename Held>
struct AsHeld : Of<K> {
  static Held get(Value& value) { return std::get<Held>(value.held); }
};

template <>
struct Passed<const Tensor&> : Of<Kind::Tensor> {
  static Tensor get(Value& value) {
    const Tensor* tensor = value.as<Tensor>();
    return tensor ? *tensor : Tensor();
  }
};
template <>
struct Passed<Tensor&> : Of<Kind::Written> {
  static Tensor& get(Value& value) { return std::get<Tensor>(value.held); }
};
template <>
struct Passed<Integer> : AsHeld<Kind::Integer, int64_t> {};
template <>
struct Passed<bool> : AsHeld<Kind::Flag, bool> {};
template <>
struct Passed<ScalarType> : AsHeld<Kind::Type, ScalarType> {};
template <>
struct Passed<std::string_view> : AsHeld<Kind::Text, std::string> {
  static std::string_view get(Value& value) { return std::get<std::string>(value.held); }
};
template <>
struct Passed<PaddingName> : AsHeld<Kind::Text, std::string> {};
template <>
struct Passed<double> : Of<Kind::Real> {
  static double get(Value& value);
};
template <>
struct Passed<Scalar> : Of<Kind::Number> {
  static Scalar get(Value& value);
};
template <>
struct Passed<std::vector<int64_t>> : Of<Kind::Integers> {
  static std::vector<int64_t> get(Value& value);
};
template <>
struct Passed<IntArrayRef> : Passed<std::vector<int64_t>> {};
template <>
struct Passed<Pair> : Of<Kind::Pair> {
  static Pair get(Value& value);
};
template <>
struct Passed<Triple> : Of<Kind::Triple> {
  static Triple get(Value& value);
};
template <>
struct Passed<Reduction> : Of<Kind::Reduction> {
  static Reduction get(Value& value) {
    return static_cast<Reduction>(std::get<int64_t>(value.held));
  }
};
template <>
struct Passed<const TensorList&> : Of<Kind::Tensors> {
  static TensorList get(Value& value);
};
template <>
struct Passed<std::vector<double>> : Of<Kind::Reals> {
  static std::vector<double> get(Value& value);
};
template <>
struct Passed<const std::vector<indexing::TensorIndex>&> : Of<Kind::Indices> {
  static std::vector<indexing::TensorIndex> get(Value& value);
};
template <typename P>
struct Passed<std::optional<P>> {
  static constexpr Parameter kParameter{Passed<P>::kParameter.kind, true};
  using Held = decltype(Passed<P>::get(std::declval<Value&>()));
  static std::optional<Held> get(Value& value) {
    return value.is_none() ? std::optional<Held>() : Passed<P>::get(value);
  }
};
template <typename P>
struct Passed<Optional<P>> : Passed<std::optional<P>> {};

}  // namespace notape::functions
