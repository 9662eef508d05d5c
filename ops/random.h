// Operators that draw random numbers, from the default generator of the process.
#pragma once
#include <optional>
#include <tuple>

#include "autograd/tensor/generator.h"
#include "ops/at.h"

namespace notape {

/// In training each element is zeroed with probability p and the rest scaled by 1 / (1 - p); the
/// gradient uses the same mask, drawn in row-major order whatever the strides. Otherwise, and for
/// p = 0, input itself. With p = 1 all is 0. Throws ValueError unless 0 <= p <= 1, DtypeError for
/// integers in training. Not a member.
Tensor dropout(const Tensor& input, double p = 0.5, bool train = true, At at = At::current());
Tensor& dropout_(Tensor& self, double p, bool train, At at = At::current());

// Drawn in row-major order, where the tensor is, whatever the strides: a seed gives the same
// numbers for any layout, device and number of threads. In-place forms overwrite all of self, whose
// old value gets no gradient, and are members.
/// Uniform in [from, to). Throws ValueError if from > to, DtypeError for integers.
Tensor& uniform_(Tensor& self, double from = 0, double to = 1, At at = At::current());
/// Normal with this mean and standard deviation. Throws ValueError unless std >= 0, DtypeError for
/// integers.
Tensor& normal_(Tensor& self, double mean = 0, double std = 1, At at = At::current());
/// Exponentially distributed, density lambd e^(-lambd x) for x > 0. Throws ValueError unless lambd
/// > 0, DtypeError for integers.
Tensor& exponential_(Tensor& self, double lambd = 1, At at = At::current());
/// Whole numbers, uniform in [from, to); from 0 to to; all that the dtype can hold from 0 on (2^24
/// for float32: up to where whole numbers are exact). Throws ValueError for an empty or too wide
/// range.
Tensor& random_(Tensor& self, Integer from, std::optional<Integer> to, At at = At::current());
Tensor& random_(Tensor& self, Integer to, At at = At::current());
Tensor& random_(Tensor& self, At at = At::current());
/// 1 with probability p, else 0; p may be a floating tensor that broadcasts to self and gets no
/// gradient. Throws ValueError unless 0 <= p <= 1.
Tensor& bernoulli_(Tensor& self, double p = 0.5, At at = At::current());
Tensor& bernoulli_(Tensor& self, const Tensor& p, At at = At::current());
/// The same out of place: probabilities self, or p for each entry of self. The gradient is 0.
Tensor bernoulli(const Tensor& self, At at = At::current());
Tensor bernoulli(const Tensor& self, double p, At at = At::current());
Tensor bernoulli(const Tensor& self, const Tensor& p, At at = At::current());
/// mean + std z with z standard normal, in place of either a number;  d/dmean = 1,  d/dstd = z: the
/// gradient of a reparameterised sample (LibTorch's normal gives zero). std >= 0 (ValueError);
/// tensors broadcast and are floating (DtypeError). Not members.
Tensor normal(const Tensor& mean, const Tensor& std, At at = At::current());
Tensor normal(const Tensor& mean, double std = 1, At at = At::current());
Tensor normal(double mean, const Tensor& std, At at = At::current());
/// Indices of `num_samples` draws from each row of weights, which need not add up to 1: (n) ->
/// (num_samples), (m, n) -> (m, num_samples), int64. Without replacement none comes twice. No
/// derivative. Throws ShapeError, DtypeError for integers, ValueError for negative, infinite or NaN
/// weights, a row of zeros, or fewer weights than draws without replacement.
Tensor multinomial(const Tensor& self, Integer num_samples, bool replacement = false,
                   At at = At::current());
/// As many numbers, with the mean and the standard deviation of all. Throws DtypeError for
/// integers.
Tensor normal(double mean, double std, IntArrayRef size, TensorOptions options = {},
              At at = At::current());
/// {dropout(input, p, train), mask}: what was kept, as bool. train defaults to true.
std::tuple<Tensor, Tensor> native_dropout(const Tensor& input, double p,
                                          std::optional<bool> train = true, At at = At::current());
/// dropout of whole channels: input (N, C, ...), one draw for each of (N, C). Throws as dropout
/// does, and ShapeError for less than two dimensions.
Tensor feature_dropout(const Tensor& input, double p, bool train, At at = At::current());
Tensor& feature_dropout_(Tensor& self, double p, bool train, At at = At::current());
/// a (x or, with probability p, -1.7580993408473766) + b, where a and b keep mean 0 and variance 1
/// what has them: dropout for selu. With p = 1 all is 0. Errors are dropout's.
Tensor alpha_dropout(const Tensor& input, double p, bool train, At at = At::current());
Tensor& alpha_dropout_(Tensor& self, double p, bool train, At at = At::current());
/// The same for whole channels, as feature_dropout.
Tensor feature_alpha_dropout(const Tensor& input, double p, bool train, At at = At::current());
Tensor& feature_alpha_dropout_(Tensor& self, double p, bool train, At at = At::current());

/// The same from `generator` in the default one's place, unless it is undefined.
using GeneratorArgument = std::optional<Generator>;
Tensor& uniform_(Tensor& self, double from, double to, GeneratorArgument generator,
                 At at = At::current());
Tensor& normal_(Tensor& self, double mean, double std, GeneratorArgument generator,
                At at = At::current());
Tensor& exponential_(Tensor& self, double lambd, GeneratorArgument generator,
                     At at = At::current());
Tensor& random_(Tensor& self, Integer from, std::optional<Integer> to, GeneratorArgument generator,
                At at = At::current());
Tensor& random_(Tensor& self, Integer to, GeneratorArgument generator, At at = At::current());
Tensor& random_(Tensor& self, GeneratorArgument generator, At at = At::current());
Tensor& bernoulli_(Tensor& self, double p, GeneratorArgument generator, At at = At::current());
Tensor& bernoulli_(Tensor& self, const Tensor& p, GeneratorArgument generator,
                   At at = At::current());
Tensor bernoulli(const Tensor& self, GeneratorArgument generator, At at = At::current());
Tensor bernoulli(const Tensor& self, double p, GeneratorArgument generator, At at = At::current());
Tensor bernoulli(const Tensor& self, const Tensor& p, GeneratorArgument generator,
                 At at = At::current());
Tensor normal(const Tensor& mean, const Tensor& std, GeneratorArgument generator,
              At at = At::current());
Tensor normal(const Tensor& mean, double std, GeneratorArgument generator, At at = At::current());
Tensor normal(double mean, const Tensor& std, GeneratorArgument generator, At at = At::current());
Tensor normal(double mean, double std, IntArrayRef size, GeneratorArgument generator,
              TensorOptions options = {}, At at = At::current());
Tensor multinomial(const Tensor& self, Integer num_samples, bool replacement,
                   GeneratorArgument generator, At at = At::current());
Tensor rrelu(const Tensor& self, Scalar lower, Scalar upper, bool training,
             GeneratorArgument generator, At at = At::current());
Tensor& rrelu_(Tensor& self, Scalar lower, Scalar upper, bool training, GeneratorArgument generator,
               At at = At::current());

}  // namespace notape
