// The CPU loops of an elementwise kernel. Included by kernel.h.
#pragma once
#include <algorithm>
#include <tuple>
#include <utility>

#include "ops/core/kernel_by_name.h"

namespace notape {

/// What promotion must know about a kernel.
struct ElementwiseTraits {
  TypeSet types;
  uint8_t bool_inputs;  ///< bit i: input i is bool, whatever the others are
  bool bool_result;

  /// Also for types that are computed in another one.
  constexpr bool has(ScalarType type) const {
    return types >> static_cast<int>(computed_in(type)) & 1;
  }
  constexpr bool wants_bool(int input) const { return bool_inputs >> input & 1; }
};

/// What all elementwise kernels have in common.
class ElementwiseSlots : public KernelByName {
 public:
  ElementwiseSlots(const char* name, const ElementwiseTraits& traits, const char* bool_error)
      : KernelByName(name, traits.types), traits_(traits), bool_error_(bool_error) {}

  const ElementwiseTraits& traits() const { return traits_; }
  /// Why a kernel for integers refuses bools; null if that needs no explanation.
  const char* bool_error() const { return bool_error_; }
  /// Null if the functor does not exist for the type.
  ElementwiseLoop cpu(ScalarType type) const { return cpu_[static_cast<int>(type)]; }

 protected:
  ElementwiseLoop cpu_[kScalarTypes] = {};

 private:
  const ElementwiseTraits& traits_;
  const char* bool_error_;
};

namespace detail {

template <typename F, typename Result, typename... Inputs>
void contiguous_run(int64_t n, const F& functor, Result* output, const Stored<Inputs>*... inputs) {
  const F f = functor;  // a copy that no output can alias
  // The output may be exactly one of the inputs, never shifted against it.
#ifndef __clang__  // which looks at run time whether they overlap
#pragma GCC ivdep
#endif
  for (int64_t i = 0; i < n; ++i) output[i] = f(static_cast<Inputs>(inputs[i])...);
}

/// A contiguous input, or one number as often as a block needs it.
template <typename T>
class Repeated {
 public:
  static constexpr int64_t kBlock = 256;
  Repeated(const char* data, int64_t stride, int64_t n)
      : data_(reinterpret_cast<const T*>(data)), is_number_(stride == 0) {
    if (is_number_) std::fill_n(block_, std::min(n, kBlock), *data_);
  }
  const T* from(int64_t i) const { return is_number_ ? block_ : data_ + i; }

 private:
  const T* data_;
  bool is_number_;
  T block_[kBlock];
};

/// A row and a number, in this order or the other.
template <bool kNumberFirst, typename F, typename Result, typename A, typename B>
void row_and_number_run(int64_t n, const F& functor, Result* output, const Stored<A>* a,
                        const Stored<B>* b) {
  const F f = functor;
  const A first = static_cast<A>(*a);
  const B second = static_cast<B>(*b);
#ifndef __clang__
#pragma GCC ivdep
#endif
  for (int64_t i = 0; i < n; ++i)
    output[i] = kNumberFirst ? f(first, static_cast<B>(b[i])) : f(static_cast<A>(a[i]), second);
}

template <typename F, typename Result, typename A, typename B>
[[gnu::noinline]] void two_run(char* const* data, const int64_t* strides, int64_t n, const F& f) {
  auto* const output = reinterpret_cast<Result*>(data[0]);
  const auto* const a = reinterpret_cast<const Stored<A>*>(data[1]);
  const auto* const b = reinterpret_cast<const Stored<B>*>(data[2]);
  if (strides[1] != 0)
    row_and_number_run<false, F, Result, A, B>(n, f, output, a, b);
  else if (strides[2] != 0)
    row_and_number_run<true, F, Result, A, B>(n, f, output, a, b);
  else
    std::fill_n(output, n, f(static_cast<A>(*a), static_cast<B>(*b)));
}

/// Rows and repeated numbers, at least one of these; out of the way of the other loops' registers.
template <typename F, typename Result, typename... Inputs, std::size_t... I>
[[gnu::noinline]] void repeated_run(char* const* data, const int64_t* strides, int64_t n,
                                    const F& f, std::index_sequence<I...>) {
  const std::tuple<Repeated<Stored<Inputs>>...> inputs{{data[I + 1], strides[I + 1], n}...};
  constexpr int64_t kBlock = Repeated<Result>::kBlock;
  for (int64_t i = 0; i < n; i += kBlock)
    contiguous_run<F, Result, Inputs...>(std::min(kBlock, n - i), f,
                                         reinterpret_cast<Result*>(data[0]) + i,
                                         std::get<I>(inputs).from(i)...);
}

template <typename F, typename Result, typename... Inputs, std::size_t... I>
[[gnu::noinline]] void strided_run(char* const* data, const int64_t* strides, int64_t n,
                                   const F& functor, std::index_sequence<I...> indices) {
  constexpr int64_t kFew = 32;
  if (n >= kFew && strides[0] == sizeof(Result) &&
      ((strides[I + 1] == sizeof(Inputs) || strides[I + 1] == 0) && ...)) {
    if constexpr (sizeof...(Inputs) == 2)
      return two_run<F, Result, Inputs...>(data, strides, n, functor);
    else
      return repeated_run<F, Result, Inputs...>(data, strides, n, functor, indices);
  }
  const F f = functor;
  for (int64_t i = 0; i < n; ++i)
    *reinterpret_cast<Result*>(data[0] + i * strides[0]) = f(static_cast<Inputs>(
        *reinterpret_cast<const Stored<Inputs>*>(data[I + 1] + i * strides[I + 1]))...);
}

template <typename F, typename Result, typename... Inputs, std::size_t... I>
void elementwise_run(char* const* data, const int64_t* strides, int64_t n, const F& f,
                     Result (*)(Inputs...), std::index_sequence<I...> indices) {
  if (strides[0] == sizeof(Result) && ((strides[I + 1] == sizeof(Inputs)) && ...))
    contiguous_run<F, Result, Inputs...>(n, f, reinterpret_cast<Result*>(data[0]),
                                         reinterpret_cast<const Stored<Inputs>*>(data[I + 1])...);
  else
    strided_run<F, Result, Inputs...>(data, strides, n, f, indices);
}

template <typename F, typename Result, typename... Inputs>
void elementwise_run(char* const* data, const int64_t* strides, int64_t n, const F& f,
                     Result (*signature)(Inputs...)) {
  elementwise_run(data, strides, n, f, signature, std::index_sequence_for<Inputs...>());
}

template <typename F, typename T, typename... Inputs>
void elementwise_loop(char* const* data, const int64_t* strides, int64_t n, const void* functor) {
  const F& f = *static_cast<const F*>(functor);
  constexpr auto signature = signature_of<F, T, Inputs...>();
  if constexpr (std::is_floating_point_v<T> && requires { typename F::Loop; })
    F::Loop::run(data, strides, n, f, signature);
  else
    elementwise_run(data, strides, n, f, signature);
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
    detail::for_types_of<F>([this]<typename T, int kSlot>() {
      this->template fill<detail::CalledWith<F, T>, kSlot>(
          std::make_integer_sequence<int, Inputs>());
    });
  }

 private:
  template <typename Operand, int kSlot, int... I>
  void fill(std::integer_sequence<int, I...>) {
    cpu_[kSlot] = detail::elementwise_loop<F, Operand, detail::Repeat<Operand, I>...>;
  }
};

}  // namespace notape
