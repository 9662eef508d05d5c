// Calls: every operator under its name, called with values. An overload takes a request if each
// value is of a kind that its parameter takes; the first that does is called.
//   calls.of<const Tensor&, Integer>("cumsum", cumsum);
#pragma once
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "bench/against_torch/value.h"

namespace notape::against_torch {

using T = const Tensor&;

/// How a parameter of type P is made from a value. get() only of what takes() says yes to.
template <typename P>
struct Parameter;

template <>
struct Parameter<const Tensor&> {
  static bool takes(const Value& value) { return value.as<Tensor>() || value.is_none(); }
  static Tensor get(Value& value) {
    const Tensor* tensor = value.as<Tensor>();
    return tensor ? *tensor : Tensor();
  }
};
/// Of what is written into.
template <>
struct Parameter<Tensor&> {
  static bool takes(const Value& value) { return value.as<Tensor>(); }
  static Tensor& get(Value& value) { return std::get<Tensor>(value.held); }
};
/// What is held as it is passed.
template <typename P, typename Held = P>
struct PlainParameter {
  static bool takes(const Value& value) { return value.as<Held>(); }
  static Held get(Value& value) { return *value.as<Held>(); }
};
template <>
struct Parameter<Integer> : PlainParameter<Integer, int64_t> {};
template <>
struct Parameter<bool> : PlainParameter<bool> {};
template <>
struct Parameter<ScalarType> : PlainParameter<ScalarType> {};
template <>
struct Parameter<std::string_view> : PlainParameter<std::string_view, std::string> {};
template <>
struct Parameter<IntArrayRef> {
  static bool takes(const Value& value) {
    return value.as<Value::Integers>() || value.as<int64_t>();
  }
  static Value::Integers get(Value& value) {
    const int64_t* one = value.as<int64_t>();
    return one ? Value::Integers{*one} : *value.as<Value::Integers>();
  }
};
template <>
struct Parameter<std::vector<int64_t>> : PlainParameter<std::vector<int64_t>> {};
template <>
struct Parameter<PaddingName> : PlainParameter<PaddingName, std::string> {};
template <>
struct Parameter<double> {
  static bool takes(const Value& value) { return value.as<double>() || value.as<int64_t>(); }
  static double get(Value& value) {
    const double* number = value.as<double>();
    return number ? *number : static_cast<double>(*value.as<int64_t>());
  }
};
template <>
struct Parameter<Scalar> {
  static bool takes(const Value& value) {
    return Parameter<double>::takes(value) || value.as<bool>();
  }
  static Scalar get(Value& value) {
    if (const bool* flag = value.as<bool>()) return *flag;
    if (const int64_t* number = value.as<int64_t>()) return *number;
    return *value.as<double>();
  }
};
/// One number, or as many as there are dimensions.
template <typename Numbers, std::size_t N>
struct NumbersParameter {
  static bool takes(const Value& value) {
    const auto* list = value.as<Value::Integers>();
    return value.as<int64_t>() || (list && (list->size() == N || list->size() == 1));
  }
  static Numbers get(Value& value) {
    if (const int64_t* all = value.as<int64_t>()) return Numbers(*all);
    const auto& list = *value.as<Value::Integers>();
    if (list.size() == 1) return Numbers(list[0]);
    if constexpr (N == 2)
      return Numbers(list[0], list[1]);
    else
      return Numbers(list[0], list[1], list[2]);
  }
};
template <>
struct Parameter<Pair> : NumbersParameter<Pair, 2> {};
template <>
struct Parameter<Triple> : NumbersParameter<Triple, 3> {};
template <>
struct Parameter<Reduction> {
  static bool takes(const Value& value) { return value.as<int64_t>(); }
  static Reduction get(Value& value) { return static_cast<Reduction>(*value.as<int64_t>()); }
};
/// Lists of any values. An empty one is of any kind.
template <typename Item, typename Held>
struct ListParameter {
  static bool takes(const Value& value) {
    if (const auto* numbers = value.as<Value::Integers>())
      return numbers->empty() || Parameter<Item>::takes(Value{numbers->front()});
    const auto* list = value.as<Value::List>();
    if (!list) return false;
    for (const Value& one : *list)
      if (!Parameter<Item>::takes(one)) return false;
    return true;
  }
  static std::vector<Held> get(Value& value) {
    std::vector<Held> made;
    if (const auto* numbers = value.as<Value::Integers>())
      for (int64_t number : *numbers) {
        Value one{number};
        made.emplace_back(Parameter<Item>::get(one));
      }
    if (auto* list = std::get_if<Value::List>(&value.held))
      for (Value& one : *list) made.emplace_back(Parameter<Item>::get(one));
    return made;
  }
};
template <>
struct Parameter<const TensorList&> : ListParameter<const Tensor&, Tensor> {};
template <>
struct Parameter<std::vector<double>> : ListParameter<double, double> {};
template <>
struct Parameter<indexing::TensorIndex> {
  static bool takes(const Value& value) {
    return !value.as<std::string>() && !value.as<double>() && !value.as<Value::List>();
  }
  static indexing::TensorIndex get(Value& value);
};
using Indices = const std::vector<indexing::TensorIndex>&;
template <>
struct Parameter<Indices> : ListParameter<indexing::TensorIndex, indexing::TensorIndex> {};
template <typename P>
struct Parameter<std::optional<P>> {
  static bool takes(const Value& value) { return value.is_none() || Parameter<P>::takes(value); }
  using Held = decltype(Parameter<P>::get(std::declval<Value&>()));
  static std::optional<Held> get(Value& value) {
    return value.is_none() ? std::optional<Held>() : Parameter<P>::get(value);
  }
};
template <typename P>
struct Parameter<Optional<P>> : Parameter<std::optional<P>> {};

inline TensorList results_of(const Tensor& one) { return {one}; }
inline TensorList results_of(const TensorList& all) { return all; }
inline TensorList results_of(bool answer) { return {scalar_tensor(answer, dtype(kBool))}; }
template <typename... Each>
TensorList results_of(const std::tuple<Each...>& each) {
  return std::apply([](const auto&... one) { return TensorList{one...}; }, each);
}

/// One overload. nullopt: the values are not of the kinds it takes.
using Overload = std::function<std::optional<TensorList>(std::vector<Value>&)>;

template <typename... P>
class OverloadOf {
 public:
  template <typename F>
  static std::optional<TensorList> call(const F& function, std::vector<Value>& values) {
    return call(function, values, std::index_sequence_for<P...>());
  }

 private:
  template <typename F, std::size_t... I>
  static std::optional<TensorList> call(const F& function, std::vector<Value>& values,
                                        std::index_sequence<I...>) {
    if (values.size() != sizeof...(P) || !(Parameter<P>::takes(values[I]) && ...)) return {};
    return results_of(function(Parameter<P>::get(values[I])...));
  }
};

class Calls {
 public:
  /// The overload of `function` with these parameters, less its last one, the user's line.
  template <typename... P>
  auto of() {
    return Row<P...>{*this};
  }
  template <typename... P, typename F>
  void with(const std::string& name, F function) {
    overloads_[name].push_back([function](std::vector<Value>& values) {
      return OverloadOf<P...>::call(function, values);
    });
  }
  const std::map<std::string, std::vector<Overload>>& all() const { return overloads_; }

 private:
  template <typename... P>
  struct Row {
    Calls& calls;
    template <typename R>
    const Row& operator()(const std::string& name, R (*function)(P..., At)) const {
      calls.with<P...>(name, [function](auto&&... given) -> R {
        return function(std::forward<decltype(given)>(given)..., At::current());
      });
      return *this;
    }
  };

  std::map<std::string, std::vector<Overload>> overloads_;
};

void add_elementwise(Calls& calls);
void add_activations(Calls& calls);
void add_reductions(Calls& calls);
void add_shapes(Calls& calls);
void add_indexing(Calls& calls);
void add_products_and_losses(Calls& calls);
void add_windows(Calls& calls);
void add_layers(Calls& calls);
void add_newer(Calls& calls);
void add_out_forms(Calls& calls);

}  // namespace notape::against_torch
