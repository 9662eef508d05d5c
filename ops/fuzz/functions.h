// Functions: targets made of functions and the types of their arguments, which are drawn.
#pragma once
#include <string_view>
#include <tuple>

#include "ops/fuzz/target.h"
#include "ops/ops.h"

namespace notape::fuzz {

// The arguments of a call, as they are kept while it runs.
template <typename T>
struct Kept {
  using Type = T;
};
template <>
struct Kept<const Tensor&> {
  using Type = Tensor;
};
template <>
struct Kept<Tensor&> {
  using Type = Tensor;
};
template <>
struct Kept<IntArrayRef> {
  using Type = std::vector<int64_t>;
};
template <>
struct Kept<const TensorList&> {
  using Type = TensorList;
};

template <typename T>
struct IsOptional : std::false_type {};
template <typename T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <typename T>
struct IsOptional<Optional<T>> : std::true_type {};

template <typename T>
T drawn(Hostile& hostile) {
  if constexpr (std::same_as<T, Tensor>) {
    return hostile.tensor();
  } else if constexpr (std::same_as<T, TensorList>) {
    TensorList list(static_cast<std::size_t>(hostile.within(0, 3)));
    for (Tensor& one : list) one = hostile.tensor();
    return list;
  } else if constexpr (std::same_as<T, bool>) {
    return hostile.once_in(2);
  } else if constexpr (std::same_as<T, Integer>) {
    return hostile.number();
  } else if constexpr (std::same_as<T, double>) {
    return hostile.real();
  } else if constexpr (std::same_as<T, std::vector<int64_t>>) {
    return hostile.numbers();
  } else if constexpr (std::same_as<T, std::vector<double>>) {
    T list(static_cast<std::size_t>(hostile.within(0, 3)));
    for (double& one : list) one = hostile.real();
    return list;
  } else if constexpr (std::same_as<T, Scalar>) {
    return hostile.once_in(2) ? Scalar(hostile.real()) : Scalar(hostile.number());
  } else if constexpr (std::same_as<T, ScalarType>) {
    return hostile.type();
  } else if constexpr (std::same_as<T, Reduction>) {
    return static_cast<Reduction>(hostile.within(0, 2));
  } else if constexpr (std::same_as<T, Pair>) {
    return Pair(hostile.number(), hostile.number());
  } else if constexpr (std::same_as<T, Triple>) {
    return Triple(hostile.number(), hostile.number(), hostile.number());
  } else if constexpr (std::same_as<T, std::string_view>) {
    static const std::vector<const char*> words = {
        "",          "none",      "tanh", "floor",    "trunc",   "left",      "right",
        "ij,jk->ik", "i,i",       "->",   "constant", "reflect", "replicate", "zeros",
        "circular",  "ii->i",     "xy",   "a...b,",   "nearest", "linear",    "bilinear",
        "mean",      "\xff\xfe.", "L",    "reduced"};
    return hostile.one_of(words);
  } else if constexpr (std::same_as<T, std::vector<indexing::TensorIndex>>) {
    T list;
    for (int64_t left = hostile.within(0, 4); left > 0; --left) switch (hostile.within(0, 4)) {
        case 0:
          list.emplace_back(hostile.number());
          break;
        case 1:
          list.emplace_back(indexing::None);
          break;
        case 2:
          list.emplace_back("...");
          break;
        case 3:
          list.emplace_back(hostile.tensor());
          break;
        default:
          list.emplace_back(indexing::Slice(hostile.number(), hostile.number(), hostile.number()));
      }
    return list;
  } else {
    static_assert(IsOptional<T>());
    return hostile.once_in(2) ? T() : T(drawn<typename T::value_type>(hostile));
  }
}

inline void append_tensors(variable_list& tensors, const Tensor& one) { tensors.push_back(one); }
inline void append_tensors(variable_list& tensors, const TensorList& list) {
  tensors.insert(tensors.end(), list.begin(), list.end());
}
template <typename T>
void append_tensors(variable_list&, const T&) {}

template <typename... Parts>
variable_list list_of(const std::tuple<Parts...>& parts) {
  variable_list tensors;
  std::apply([&](const auto&... each) { (append_tensors(tensors, each), ...); }, parts);
  return tensors;
}
inline variable_list list_of(const Tensor& one) { return {one}; }
inline variable_list list_of(const std::vector<Tensor>& list) { return list; }

/// In-place and out forms return what they wrote.
template <typename Result>
inline constexpr bool kWrites = std::same_as<Result, Tensor&>;
template <typename... Outs>
inline constexpr bool kWrites<std::tuple<Outs&...>> = true;

class Functions {
 public:
  /// A function of these arguments and a place.
  template <typename Result, typename... Arguments>
  void add(const char* name, std::type_identity_t<Result (*)(Arguments..., At)> function) {
    targets_.push_back(
        {name, [name, function](Hostile& hostile) {
           std::tuple<std::remove_cvref_t<typename Kept<Arguments>::Type>...> kept{
               drawn<std::remove_cvref_t<typename Kept<Arguments>::Type>>(hostile)...};
           manual_seed(3);
           attempt(
               list_of(kept), kWrites<Result>,
               [&] {
                 return list_of(std::apply(
                     [&](auto&... each) -> Result { return function(each..., At::current()); },
                     kept));
               },
               name);
         }});
  }

  std::vector<Target> take() { return std::move(targets_); }

 private:
  std::vector<Target> targets_;
};

using X = const Tensor&;
using I = Integer;
using List = IntArrayRef;
using Two = std::tuple<Tensor, Tensor>;
using Three = std::tuple<Tensor, Tensor, Tensor>;
using Pieces = std::vector<Tensor>;
template <typename T>
using Maybe = std::optional<T>;
using Indices = const std::vector<indexing::TensorIndex>&;

}  // namespace notape::fuzz
