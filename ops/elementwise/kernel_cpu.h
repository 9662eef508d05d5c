// The CPU loops of an elementwise kernel. Included by kernel.h.
#pragma once
#include <tuple>
#include <utility>

#include "autograd/tensor/scalar_type.h"

namespace notape {

/// The slots of one kernel. Registers itself by name, so that a device library can find it.
class ElementwiseSlots {
 public:
  explicit ElementwiseSlots(const char* name);
  ElementwiseSlots(const ElementwiseSlots&) = delete;
  ElementwiseSlots& operator=(const ElementwiseSlots&) = delete;

  const char* name() const { return name_; }
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
  ElementwiseSlots* next_;
  ElementwiseLaunch cuda_[kScalarTypes] = {};
};

namespace detail {

template <typename F, typename Result, typename... Inputs, std::size_t... I>
void elementwise_run(char* const* data, const int64_t* strides, int64_t n, const F& f,
                     Result (*)(Inputs...), std::index_sequence<I...>) {
  const bool contiguous = strides[0] == static_cast<int64_t>(sizeof(Result)) &&
                          ((strides[I + 1] == static_cast<int64_t>(sizeof(Inputs))) && ...);
  if (contiguous) {
    // The output may be exactly one of the inputs, never shifted against it.
    auto* output = reinterpret_cast<Result*>(data[0]);
    const std::tuple<const Inputs*...> inputs{reinterpret_cast<const Inputs*>(data[I + 1])...};
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) output[i] = f(std::get<I>(inputs)[i]...);
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

}  // namespace detail

template <typename F, int Inputs = 1>
class ElementwiseKernel final : public ElementwiseSlots {
 public:
  using Functor = F;
  static constexpr int inputs = Inputs;
  static constexpr TypeSet types = detail::types_of<F>();

  explicit ElementwiseKernel(const char* name) : ElementwiseSlots(name) {
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
    if constexpr (types >> slot & 1)
      [this]<int... I>(std::integer_sequence<int, I...>) {
        cpu_[slot] = detail::elementwise_loop<F, T, detail::Repeat<T, I>...>;
      }(std::make_integer_sequence<int, Inputs>());
  }
};

}  // namespace notape
