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
Tensor randint(Integer low, Integer high, IntArrayRef size, TensorOptions options = {});
Tensor randint(Integer high, IntArrayRef size, TensorOptions options = {});
Tensor randperm(Integer n, TensorOptions options = {});

/// `options` override what `like` has.
Tensor rand_like(const Tensor& like, TensorOptions options = {});
Tensor randn_like(const Tensor& like, TensorOptions options = {});
Tensor randint_like(const Tensor& like, Integer high, TensorOptions options = {});
Tensor randint_like(const Tensor& like, Integer low, Integer high, TensorOptions options = {});

// The same from this generator in the default one's place.
Tensor rand(IntArrayRef size, std::optional<Generator> generator, TensorOptions options = {});
Tensor randn(IntArrayRef size, std::optional<Generator> generator, TensorOptions options = {});
Tensor randint(Integer low, Integer high, IntArrayRef size, std::optional<Generator> generator,
               TensorOptions options = {});
Tensor randint(Integer high, IntArrayRef size, std::optional<Generator> generator,
               TensorOptions options = {});
Tensor randperm(Integer n, std::optional<Generator> generator, TensorOptions options = {});
Tensor rand_like(const Tensor& like, std::optional<Generator> generator,
                 TensorOptions options = {});
Tensor randn_like(const Tensor& like, std::optional<Generator> generator,
                  TensorOptions options = {});

}  // namespace notape
