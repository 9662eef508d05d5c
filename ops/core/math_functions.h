// The functions of math:: of one number, each said once: what includes this list says in
// NOTAPE_FUNCTION what it makes of each. The C library, libquadmath and SLEEF know them by these
// names.
//   name, the error of SLEEF's in tenths of a unit in the last place, what corrects SLEEF's where
//   it overflows too soon (vector_math.h), the slope at x where the function is y
//   (ops/spec/wide_dual.cpp)
// clang-format off
NOTAPE_FUNCTION(exp,   u10, as_it_is,           y)
NOTAPE_FUNCTION(exp2,  u10, as_it_is,           y * math::log(Wide(2)))
NOTAPE_FUNCTION(expm1, u10, as_it_is,           math::exp(x))
NOTAPE_FUNCTION(log,   u10, as_it_is,           1 / x)
NOTAPE_FUNCTION(log2,  u10, as_it_is,           1 / (x * math::log(Wide(2))))
NOTAPE_FUNCTION(log10, u10, as_it_is,           1 / (x * math::log(Wide(10))))
NOTAPE_FUNCTION(log1p, u10, log_if_large,       1 / (1 + x))
NOTAPE_FUNCTION(sin,   u10, as_it_is,           math::cos(x))
NOTAPE_FUNCTION(cos,   u10, as_it_is,           -math::sin(x))
NOTAPE_FUNCTION(tan,   u10, as_it_is,           1 + y * y)
NOTAPE_FUNCTION(asin,  u10, as_it_is,           1 / math::sqrt((1 - x) * (1 + x)))
NOTAPE_FUNCTION(acos,  u10, as_it_is,           -1 / math::sqrt((1 - x) * (1 + x)))
NOTAPE_FUNCTION(atan,  u10, as_it_is,           1 / (1 + x * x))
NOTAPE_FUNCTION(sinh,  u10, odd_if_large,       math::cosh(x))
NOTAPE_FUNCTION(cosh,  u10, even_if_large,      math::sinh(x))
NOTAPE_FUNCTION(tanh,  u10, as_it_is,           slope_of_tanh(x))
NOTAPE_FUNCTION(asinh, u10, odd_log_of_twice,   1 / math::hypot(x, 1))
NOTAPE_FUNCTION(acosh, u10, log_of_twice,       1 / math::sqrt((x - 1) * (x + 1)))
NOTAPE_FUNCTION(atanh, u10, as_it_is,           1 / ((1 - x) * (1 + x)))
NOTAPE_FUNCTION(lgamma,u10, lgamma_if_negative, math::digamma(x))
NOTAPE_FUNCTION(erf,   u10, as_it_is,           slope_of_erf(x))
NOTAPE_FUNCTION(erfc,  u15, as_it_is,           -slope_of_erf(x))
// clang-format on
#undef NOTAPE_FUNCTION
