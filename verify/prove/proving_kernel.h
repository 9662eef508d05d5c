// ElementwiseKernel where an operator's file is compiled for proofs: the same line, with the same
// name, gives the functor on enclosures. Included by ops/elementwise/kernel.h.
#pragma once
#include <concepts>
#include <utility>

#include "verify/prove/tape.h"

namespace notape {
namespace detail {

template <typename T, int>
using RepeatType = T;

/// The loop in float64: by the operator's own loop where all operands are numbers.
template <typename F, int kInputs>
struct ProvingLoop {
  using T = math::Enclosure;
  static inline ElementwiseLoop own = nullptr;

  template <typename Input>
  static Input read(const char* place) {
    if constexpr (std::is_same_v<Input, bool>)
      return *reinterpret_cast<const bool*>(place);
    else
      return prove::enclosure_at(place);
  }
  template <typename Result, typename... Inputs, int... I>
  static void call(char* const* data, const int64_t* strides, int64_t n, const F& f,
                   Result (*)(Inputs...), std::integer_sequence<int, I...>) {
    if (!(prove::has_symbols(data[I + 1], strides[I + 1], n, std::is_same_v<Inputs, bool>) || ...))
      return own(data, strides, n, &f);
    for (int64_t i = 0; i < n; ++i) {
      char* const output = data[0] + i * strides[0];
      const Result result = f(read<Inputs>(data[I + 1] + i * strides[I + 1])...);
      if constexpr (std::is_same_v<Result, bool>)
        *reinterpret_cast<bool*>(output) = result;
      else
        prove::write_enclosure(output, result);
    }
  }
  template <int... I>
  static void run(char* const* data, const int64_t* strides, int64_t n, const void* functor,
                  std::integer_sequence<int, I...> indices) {
    call(data, strides, n, *static_cast<const F*>(functor),
         signature_of<F, T, RepeatType<T, I>...>(), indices);
  }
  static void loop(char* const* data, const int64_t* strides, int64_t n, const void* functor) {
    run(data, strides, n, functor, std::make_integer_sequence<int, kInputs>());
  }
};

}  // namespace detail

template <typename F, int Inputs = 1>
class ElementwiseKernel final {
 public:
  explicit ElementwiseKernel(const char* name, const char* = nullptr) {
    if constexpr (detail::types_of<F>() & type_set(kFloat64)) {
      using Proving = detail::ProvingLoop<F, Inputs>;
      prove::add_proving_loop(name, Proving::loop, &Proving::own);
    }
  }
};

}  // namespace notape
