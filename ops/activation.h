// Activations: y[i] = f(x[i]), of any floating dtype (integers and bools: DtypeError, where nothing
// else is said) and shape. Not members of Tensor, as in LibTorch, unless it says so; their in-place
// forms write into self. Derivatives at kinks are the subgradient of least norm. Errors are those
// of ops/elementwise.h.
#pragma once
#include <string_view>

#include "ops/at.h"

namespace notape {

/// max(x, 0),  d/dx = 1 where the result is positive or NaN, else 0: 0 at 0. Integers stay
/// integers; bool: DtypeError. A member.
Tensor relu(const Tensor& self, At at = At::current());
Tensor& relu_(Tensor& self, At at = At::current());
/// log(1 + e^(beta x)) / beta, and x itself where beta x > threshold;  d/dx = sigmoid(beta x), and
/// 1 there. Integers give float32 (LibTorch refuses them).
Tensor softplus(const Tensor& self, Scalar beta = 1, Scalar threshold = 20, At at = At::current());
/// x Phi(x), Phi(x) = (1 + erf(x / sqrt(2))) / 2;  d/dx = Phi(x) + x phi(x). With approximate
/// "tanh" x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2; another name than "none" is a
/// ValueError.
Tensor gelu(const Tensor& self, std::string_view approximate = "none", At at = At::current());
Tensor& gelu_(Tensor& self, std::string_view approximate = "none", At at = At::current());
/// x s, s = sigmoid(x);  d/dx = s (1 + x (1 - s))
Tensor silu(const Tensor& self, At at = At::current());
Tensor& silu_(Tensor& self, At at = At::current());
/// x tanh(softplus(x))
Tensor mish(const Tensor& self, At at = At::current());
Tensor& mish_(Tensor& self, At at = At::current());
/// x where x > 0, else negative_slope x;  d/dx = 1 or negative_slope, and at 0 the one nearer to 0
/// (0 between slopes of two signs; LibTorch: negative_slope). In place the slope must not be
/// negative (ValueError).
Tensor leaky_relu(const Tensor& self, Scalar negative_slope = 0.01, At at = At::current());
Tensor& leaky_relu_(Tensor& self, Scalar negative_slope = 0.01, At at = At::current());
/// scale x where x > 0, else alpha scale (e^(input_scale x) - 1).
Tensor elu(const Tensor& self, Scalar alpha = 1, Scalar scale = 1, Scalar input_scale = 1,
           At at = At::current());
Tensor& elu_(Tensor& self, Scalar alpha = 1, Scalar scale = 1, Scalar input_scale = 1,
             At at = At::current());
/// x where x > 0, else alpha (e^(x / alpha) - 1). Throws ValueError for alpha 0.
Tensor celu(const Tensor& self, Scalar alpha = 1, At at = At::current());
Tensor& celu_(Tensor& self, Scalar alpha = 1, At at = At::current());
/// elu with alpha 1.6732632423543772848 and scale 1.0507009873554804934.
Tensor selu(const Tensor& self, At at = At::current());
Tensor& selu_(Tensor& self, At at = At::current());
/// clamp(x, min_val, max_val);  d/dx = 1 strictly inside, else 0. Integers stay integers.
Tensor hardtanh(const Tensor& self, Scalar min_val = -1, Scalar max_val = 1, At at = At::current());
Tensor& hardtanh_(Tensor& self, Scalar min_val = -1, Scalar max_val = 1, At at = At::current());
/// hardtanh from 0 to 6.
Tensor relu6(const Tensor& self, At at = At::current());
Tensor& relu6_(Tensor& self, At at = At::current());
/// clamp(x / 6 + 1 / 2, 0, 1)
Tensor hardsigmoid(const Tensor& self, At at = At::current());
Tensor& hardsigmoid_(Tensor& self, At at = At::current());
/// x hardsigmoid(x)
Tensor hardswish(const Tensor& self, At at = At::current());
Tensor& hardswish_(Tensor& self, At at = At::current());
/// x where x > threshold, else value;  d/dx = 1 or 0. Integers stay integers.
Tensor threshold(const Tensor& self, Scalar threshold, Scalar value, At at = At::current());
Tensor& threshold_(Tensor& self, Scalar threshold, Scalar value, At at = At::current());
/// x where |x| > lambd, else 0;  d/dx = 1 or 0. NaN stays.
Tensor hardshrink(const Tensor& self, Scalar lambd = 0.5, At at = At::current());
/// x - lambd where x > lambd, x + lambd where x < -lambd, else 0. NaN stays. ValueError for a
/// negative lambd.
Tensor softshrink(const Tensor& self, Scalar lambd = 0.5, At at = At::current());
/// -softplus(-x), the logarithm of sigmoid(x), without a threshold;  d/dx = sigmoid(-x)
Tensor log_sigmoid(const Tensor& self, At at = At::current());
/// x where x > 0, else weight x, with one weight or one for each entry of dimension 1 (of a vector:
/// dimension 0). self (N, C, ...), weight () or (1) or (C) -> self's shape. Throws ShapeError,
/// DtypeError for two dtypes. A member, as in LibTorch.
Tensor prelu(const Tensor& self, const Tensor& weight, At at = At::current());
/// a sigmoid(b) for the halves a and b of self along dim, whose size must be even (ShapeError).
Tensor glu(const Tensor& self, Integer dim = -1, At at = At::current());

/// x where x >= 0, else a x: in training a is drawn for each element, uniformly from [lower,
/// upper], and the gradient uses the same; otherwise it is their mean. Throws ValueError unless
/// lower <= upper and both are finite.
Tensor rrelu(const Tensor& self, Scalar lower = 1.0 / 8, Scalar upper = 1.0 / 3,
             bool training = false, At at = At::current());
Tensor& rrelu_(Tensor& self, Scalar lower = 1.0 / 8, Scalar upper = 1.0 / 3, bool training = false,
               At at = At::current());

}  // namespace notape
