// In-place operators that overwrite a tensor with numbers drawn for it.
#pragma once
#include "autograd/batching/vmap_scope.h"
#include "autograd/graph/record.h"
#include "autograd/tensor/random_stream.h"
#include "ops/core/allocate.h"
#include "ops/parallel.h"

namespace notape {

/// Puts `drawn`, of self's shape, into self: the old value gets no gradient, nor do parameters.
Tensor& overwrite_with(const Operation& op, Tensor& self, const Tensor& drawn);

/// A row-major tensor of f(i), i the position; inside vmap as its call wants it. On the CPU.
template <typename F>
Tensor draw_numbers(const char* name, IntArrayRef sizes, ScalarType type, const F& f) {
  return draw_in_vmap(name, sizes, [&](IntArrayRef all) {
    Tensor result = allocate(all, type, kCPU);
    visit_type(type, [&]<typename T>() {
      T* values = result.impl().data_as<T>();
      for (int64_t i = 0, n = result.numel(); i < n; ++i) values[i] = static_cast<T>(f(i));
    });
    return result;
  });
}

/// The same of the numbers of a stream: fill(stream, first, count, elements) makes some of them,
/// and is called for parts by several threads.
template <typename Fill>
Tensor draw_parts(const char* name, IntArrayRef sizes, ScalarType type, const Fill& fill) {
  static_assert(kParallelGrain % RandomStream::kPart == 0);
  return draw_in_vmap(name, sizes, [&](IntArrayRef all) {
    Tensor result = allocate(all, type, kCPU);
    const RandomStream stream(default_generator());
    visit_type(type, [&]<typename T>() {
      T* values = result.impl().data_as<T>();
      parallel_for(0, result.numel(), kParallelGrain, [&](int64_t first, int64_t last) {
        fill(stream, first, last - first, values + first);
      });
    });
    return result;
  });
}

/// Uniform in [0, 1), of 53 bits: f(number) for each element.
template <typename F>
Tensor draw_of_uniform(const char* name, IntArrayRef sizes, ScalarType type, const F& f) {
  return draw_parts(
      name, sizes, type,
      [&]<typename T>(const RandomStream& stream, int64_t first, int64_t count, T* values) {
        draw_each<double>(
            first, count, values,
            [&](int64_t at, int64_t n, double* numbers) { stream.uniform(at, n, numbers); }, f);
      });
}

/// Throws, before a number is drawn, what write_in_place would throw after it: UndefinedTensor,
/// BatchingNotImplemented, and where self must not be written (check_write).
void check_to_overwrite(const Operation& op, const Tensor& self);
/// Throws DtypeError for integers.
void check_floating(const Operation& op, const Tensor& tensor);

}  // namespace notape
