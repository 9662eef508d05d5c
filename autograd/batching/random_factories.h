// Factories that draw: tensors of random numbers, inside vmap as its call wants them. Options and
// errors are those of tensor/factories.h.
#pragma once
#include "autograd/tensor/generator.h"
#include "autograd/tensor/tensor.h"

namespace notape {

/// Uniform in [0, 1).
Tensor rand(IntArrayRef size, TensorOptions options = {});
/// Standard normal.
Tensor randn(IntArrayRef size, TensorOptions options = {});
/// Uniform integers in [low, high), int64 by default.
Tensor randint(int64_t low, int64_t high, IntArrayRef size, TensorOptions options = {});
Tensor randint(int64_t high, IntArrayRef size, TensorOptions options = {});
Tensor randperm(int64_t n, TensorOptions options = {});

/// `options` override what `like` has.
Tensor rand_like(const Tensor& like, TensorOptions options = {});
Tensor randn_like(const Tensor& like, TensorOptions options = {});
Tensor randint_like(const Tensor& like, int64_t high, TensorOptions options = {});
Tensor randint_like(const Tensor& like, int64_t low, int64_t high, TensorOptions options = {});

// The same from this generator in the default one's place.
Tensor rand(IntArrayRef size, std::optional<Generator> generator, TensorOptions options = {});
Tensor randn(IntArrayRef size, std::optional<Generator> generator, TensorOptions options = {});
Tensor randint(int64_t low, int64_t high, IntArrayRef size, std::optional<Generator> generator,
               TensorOptions options = {});
Tensor randint(int64_t high, IntArrayRef size, std::optional<Generator> generator,
               TensorOptions options = {});
Tensor randperm(int64_t n, std::optional<Generator> generator, TensorOptions options = {});
Tensor rand_like(const Tensor& like, std::optional<Generator> generator,
                 TensorOptions options = {});
Tensor randn_like(const Tensor& like, std::optional<Generator> generator,
                  TensorOptions options = {});

}  // namespace notape
