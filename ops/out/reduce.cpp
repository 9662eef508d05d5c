#include "ops/out/reduce.h"

#include "ops/out/detail/write_out.h"
#include "ops/reduce.h"

namespace notape {
namespace {

/// What a sum is computed in. An undefined out is refused later.
ScalarType sum_type(X out, Maybe<ScalarType> dtype) {
  return dtype || !out.defined() ? dtype.value_or(kFloat32) : out.dtype();
}

/// LibTorch takes the sum in a wider out itself.
Maybe<ScalarType> mean_type(X self, X out, Maybe<ScalarType> dtype) {
  const bool widens = self.defined() && out.defined() && self.is_floating_point() &&
                      out.is_floating_point() && out.element_size() > self.element_size();
  return widens && !dtype ? out.dtype() : dtype;
}

Fit mean_fit(Maybe<ScalarType> dtype) { return dtype ? Fit::Exact : Fit::Converted; }

}  // namespace

O sum_out(O out, X self, Sizes dim, bool keepdim, Maybe<ScalarType> dtype, At at) {
  return exact(out, at)(sum, self, dim, keepdim, sum_type(out, dtype));
}
O prod_out(O out, X self, I dim, bool keepdim, Maybe<ScalarType> dtype, At at) {
  return exact(out, at)(prod, self, dim, keepdim, sum_type(out, dtype));
}
O cumsum_out(O out, X self, I dim, Maybe<ScalarType> dtype, At at) {
  return exact(out, at)(cumsum, self, dim, sum_type(out, dtype));
}
O cumprod_out(O out, X self, I dim, Maybe<ScalarType> dtype, At at) {
  return exact(out, at)(cumprod, self, dim, sum_type(out, dtype));
}
O mean_out(O out, X self, Maybe<ScalarType> dtype, At at) {
  const auto form = into(mean_fit(dtype), out, at);
  const auto type = mean_type(self, out, dtype);
  return type ? form(mean, self, *type) : form(mean, self);
}
O mean_out(O out, X self, Sizes dim, bool keepdim, Maybe<ScalarType> dtype, At at) {
  const auto form = into(mean_fit(dtype), out, at);
  const auto type = mean_type(self, out, dtype);
  return type ? form(mean, self, dim, keepdim, *type) : form(mean, self, dim, keepdim);
}
O logsumexp_out(O out, X self, Sizes dim, bool keepdim, At at) {
  return converted(out, at)(logsumexp, self, dim, keepdim);
}
O var_out(O out, X self, Sizes dim, bool unbiased, bool keepdim, At at) {
  return converted(out, at)(var, self, dim, unbiased, keepdim);
}
O std_out(O out, X self, Sizes dim, bool unbiased, bool keepdim, At at) {
  return converted(out, at)(std, self, dim, unbiased, keepdim);
}
O max_out(O out, X self, At at) { return converted(out, at)(max, self); }
O min_out(O out, X self, At at) { return converted(out, at)(min, self); }
O max_out(O out, X self, X other, At at) { return converted(out, at)(max, self, other); }
O min_out(O out, X self, X other, At at) { return converted(out, at)(min, self, other); }
O detail::var_corrected_out(O out, X self, Sizes dim, double correction, bool keepdim, At at) {
  return converted(out, at, "var_out")(var_corrected, self, dim, correction, keepdim);
}
O detail::std_corrected_out(O out, X self, Sizes dim, double correction, bool keepdim, At at) {
  return converted(out, at, "std_out")(std_corrected, self, dim, correction, keepdim);
}
O amax_out(O out, X self, Sizes dim, bool keepdim, At at) {
  return exact(out, at)(amax, self, dim, keepdim);
}
O amin_out(O out, X self, Sizes dim, bool keepdim, At at) {
  return exact(out, at)(amin, self, dim, keepdim);
}
O softmax_out(O out, X self, I dim, Maybe<ScalarType> dtype, At at) {
  const auto form = exact(out, at);
  return dtype ? form(softmax, self, dim, *dtype) : form(softmax, self, dim);
}
O log_softmax_out(O out, X self, I dim, Maybe<ScalarType> dtype, At at) {
  const auto form = exact(out, at);
  return dtype ? form(log_softmax, self, dim, *dtype) : form(log_softmax, self, dim);
}
O logcumsumexp_out(O out, X self, I dim, At at) { return exact(out, at)(logcumsumexp, self, dim); }
O linalg_vector_norm_out(O out, X self, Scalar ord, Sizes dim, bool keepdim,
                         Maybe<ScalarType> dtype, At at) {
  return exact(out, at)(linalg_vector_norm, self, ord, dim, keepdim, dtype);
}
O norm_out(O out, X self, Maybe<Scalar> p, Sizes dim, bool keepdim, At at) {
  return exact(out, at)(norm, self, p, dim, keepdim);
}
O norm_out(O out, X self, Maybe<Scalar> p, Sizes dim, bool keepdim, ScalarType dtype, At at) {
  return exact(out, at)(norm, self, p, dim, keepdim, dtype);
}
O all_out(O out, X self, Sizes dim, bool keepdim, At at) {
  return into(Fit::Flags, out, at)(all, self, dim, keepdim);
}
O any_out(O out, X self, Sizes dim, bool keepdim, At at) {
  return into(Fit::Flags, out, at)(any, self, dim, keepdim);
}
O argmax_out(O out, X self, Maybe<I> dim, bool keepdim, At at) {
  return exact(out, at)(argmax, self, dim, keepdim);
}
O argmin_out(O out, X self, Maybe<I> dim, bool keepdim, At at) {
  return exact(out, at)(argmin, self, dim, keepdim);
}
O argsort_out(O out, X self, bool stable, I dim, bool descending, At at) {
  return exact(out, at)(argsort, self, stable, dim, descending);
}
TwoOuts max_out(O max, O max_values, X self, I dim, bool keepdim, At at) {
  return exact(std::tie(max, max_values), at)(notape::max, self, dim, keepdim);
}
TwoOuts min_out(O min, O min_indices, X self, I dim, bool keepdim, At at) {
  return exact(std::tie(min, min_indices), at)(notape::min, self, dim, keepdim);
}
O quantile_out(O out, X self, X q, Maybe<I> dim, bool keepdim, Text interpolation, At at) {
  return exact(out, at)(quantile, self, q, dim, keepdim, interpolation);
}
O quantile_out(O out, X self, double q, Maybe<I> dim, bool keepdim, Text interpolation, At at) {
  return exact(out, at)(quantile, self, q, dim, keepdim, interpolation);
}
TwoOuts median_out(O values, O indices, X self, I dim, bool keepdim, At at) {
  return exact(std::tie(values, indices), at)(median, self, dim, keepdim);
}
TwoOuts aminmax_out(O min, O max, X self, Maybe<I> dim, bool keepdim, At at) {
  return exact(std::tie(min, max), at)(aminmax, self, dim, keepdim);
}
TwoOuts sort_out(O values, O indices, X self, I dim, bool descending, At at) {
  return exact(std::tie(values, indices), at)(sort, self, dim, descending);
}
TwoOuts topk_out(O values, O indices, X self, I k, I dim, bool largest, bool sorted, At at) {
  return exact(std::tie(values, indices), at)(topk, self, k, dim, largest, sorted);
}
TwoOuts cummax_out(O values, O indices, X self, I dim, At at) {
  return exact(std::tie(values, indices), at)(cummax, self, dim);
}
TwoOuts cummin_out(O values, O indices, X self, I dim, At at) {
  return exact(std::tie(values, indices), at)(cummin, self, dim);
}

}  // namespace notape
