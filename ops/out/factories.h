// What makes and draws numbers.
#pragma once
#include "ops/at.h"

namespace notape {

/// Made with out's dtype and on its device. Resized without a warning.
Tensor& zeros_out(Tensor& out, IntArrayRef size, At at = At::current());
Tensor& ones_out(Tensor& out, IntArrayRef size, At at = At::current());
Tensor& full_out(Tensor& out, IntArrayRef size, Scalar fill_value, At at = At::current());
Tensor& arange_out(Tensor& out, Scalar end, At at = At::current());
Tensor& arange_out(Tensor& out, Scalar start, Scalar end, Scalar step = 1, At at = At::current());
Tensor& linspace_out(Tensor& out, Scalar start, Scalar end, Integer steps, At at = At::current());
Tensor& eye_out(Tensor& out, Integer n, At at = At::current());
Tensor& eye_out(Tensor& out, Integer n, Integer m, At at = At::current());
Tensor& rand_out(Tensor& out, IntArrayRef size, At at = At::current());
Tensor& randn_out(Tensor& out, IntArrayRef size, At at = At::current());
Tensor& randint_out(Tensor& out, Integer high, IntArrayRef size, At at = At::current());
Tensor& randint_out(Tensor& out, Integer low, Integer high, IntArrayRef size,
                    At at = At::current());
Tensor& randperm_out(Tensor& out, Integer n, At at = At::current());
/// Resized, its elements not set.
Tensor& empty_out(Tensor& out, IntArrayRef size, At at = At::current());
/// Drawn: bernoulli_out into any dtype, multinomial_out into int64, normal_out converted.
Tensor& bernoulli_out(Tensor& out, const Tensor& self, At at = At::current());
Tensor& multinomial_out(Tensor& out, const Tensor& self, Integer num_samples,
                        bool replacement = false, At at = At::current());
Tensor& normal_out(Tensor& out, const Tensor& mean, const Tensor& std, At at = At::current());
Tensor& normal_out(Tensor& out, const Tensor& mean, double std = 1, At at = At::current());
Tensor& normal_out(Tensor& out, double mean, const Tensor& std, At at = At::current());

}  // namespace notape
