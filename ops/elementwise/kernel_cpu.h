// The CPU loops of an elementwise kernel. Included by kernel.h.
#pragma once
#include <tuple>
#include <utility>

#include "autograd/tensor/scalar_type.h"

namespace notape {

/// What promotion must know about a kernel.
struct ElementwiseTraits {
  TypeSet types;
  uint8_t bool_inputs;  ///< bit i: input i is bool, whatever the others are
  bool bool_result;

  constexpr bool has(ScalarType type) const { return types >> static_cast<int>(type) & 1; }
  constexpr bool wants_bool(int input) const { return bool_inputs >> input & 1; }
};

/// The slots of one kernel. Registers itself by name, so that a device library can find it.
class ElementwiseSlots {
 public:
  ElementwiseSlots(const char* name, const ElementwiseTraits& traits, const char* bool_error);
  ElementwiseSlots(const ElementwiseSlots&) = delete;
  ElementwiseSlots& operator=(const ElementwiseSlots&) = delete;

  const char* name() const { return name_; }
  const ElementwiseTraits& traits() const { return traits_; }
  /// Why a kernel for integers refuses bools; null if that needs no explanation.
  const char* bool_error() const { return bool_error_; }
  /// Null if the functor does not exist for the type.
  ElementwiseLoop cpu(ScalarType type) const { return cpu_[static_cast<int>(type)]; }
  ElementwiseLaunch cuda(ScalarType type) const { return cuda_[static_cast<int>(type)]; }

  /// Fills a CUDA slot; false if there is no kernel of that name.
  static bool implement_cuda(const char* name, ScalarType type, ElementwiseLaunch launch);
  static const ElementwiseSlots* first();
  const ElementwiseSlots* next() const { return next_; }

 protected:
  ElementwiseLoop cpu_[kScalarTypes] = {};

 private:
  const char* name_;
  const ElementwiseTraits& traits_;
  const char* bool_error_;
  ElementwiseSlots* next_;
  ElementwiseLaunch cuda_[kScalarTypes] = {};
};

namespace detail {

/// Conditions are read as bytes: comparing them with 0 keeps the loop vectorisable.
template <typename T>
using Loaded = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;
template <typename T>
T as_operand(Loaded<T> value) {
  if constexpr (std::is_same_v<T, bool>)
    return value != 0;
  else
    return value;
}

template <typename F, typename Result, typename... Inputs, std::size_t... I>
void elementwise_run(char* const* data, const int64_t* strides, int64_t n, const F& functor,
                     Result (*)(Inputs...), std::index_sequence<I...>) {
  const F f = functor;  // a copy that no output can alias
  const bool contiguous = strides[0] == static_cast<int64_t>(sizeof(Result)) &&
                          ((strides[I + 1] == static_cast<int64_t>(sizeof(Inputs))) && ...);
  if (contiguous) {
    // The output may be exactly one of the inputs, never shifted against it.
    auto* output = reinterpret_cast<Result*>(data[0]);
    const std::tuple<const Loaded<Inputs>*...> inputs{
        reinterpret_cast<const Loaded<Inputs>*>(data[I + 1])...};
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) output[i] = f(as_operand<Inputs>(std::get<I>(inputs)[i])...);
    return;
  }
  for (int64_t i = 0; i < n; ++i)
    *reinterpret_cast<Result*>(data[0] + i * strides[0]) =
        f(*reinterpret_cast<const Inputs*>(data[I + 1] + i * strides[I + 1])...);
}

template <typename F, typename Result, typename... Inputs>
void elementwise_run(char* const* data, const int64_t* strides, int64_t n, const F& f,
                     Result (*signature)(Inputs...)) {
  elementwise_run(data, strides, n, f, signature, std::index_sequence_for<Inputs...>());
}

template <typename F, typename T, typename... Inputs>
void elementwise_loop(char* const* data, const int64_t* strides, int64_t n, const void* functor) {
  elementwise_run(data, strides, n, *static_cast<const F*>(functor),
                  signature_of<F, T, Inputs...>());
}

template <typename T, int>
using Repeat = T;

template <typename F, typename Result, typename... Inputs>
constexpr ElementwiseTraits traits_of(Result (*)(Inputs...)) {
  unsigned bool_inputs = 0, bit = 1;
  ((bool_inputs |= std::is_same_v<Inputs, bool> ? bit : 0, bit <<= 1), ...);
  return {types_of<F>(), static_cast<uint8_t>(bool_inputs), std::is_same_v<Result, bool>};
}
template <typename F, int... I>
constexpr ElementwiseTraits traits_of(std::integer_sequence<int, I...>) {
  return traits_of<F>(signature_of<F, float, Repeat<float, I>...>());
}

}  // namespace detail

template <typename F, int Inputs = 1>
class ElementwiseKernel final : public ElementwiseSlots {
 public:
  using Functor = F;
  static constexpr int inputs = Inputs;
  static constexpr ElementwiseTraits traits =
      detail::traits_of<F>(std::make_integer_sequence<int, Inputs>());

  explicit ElementwiseKernel(const char* name, const char* bool_error = nullptr)
      : ElementwiseSlots(name, traits, bool_error) {
    fill<bool>();
    fill<uint8_t>();
    fill<int32_t>();
    fill<int64_t>();
    fill<float>();
    fill<double>();
  }

 private:
  template <typename T>
  void fill() {
    constexpr int slot = static_cast<int>(scalar_type_of<T>);
    if constexpr (traits.types >> slot & 1) [this]<int... I>(std::integer_sequence<int, I...>) {
        cpu_[slot] = detail::elementwise_loop<F, T, detail::Repeat<T, I>...>;
      }
    (std::make_integer_sequence<int, Inputs>());
  }
};

}  // namespace notape
