// Reductions, scans and order.
#include "ops/out/reduce.h"

#include "ops/out/detail/write_out.h"
#include "ops/reduce.h"

namespace notape {
namespace {

/// LibTorch takes the sum in a wider out itself.
std::optional<ScalarType> mean_type(const Tensor& self, const Tensor& out,
                                    std::optional<ScalarType> dtype) {
  const bool widens = self.defined() && self.is_floating_point() && out.is_floating_point() &&
                      out.element_size() > self.element_size();
  return widens && !dtype ? out.dtype() : dtype;
}

}  // namespace

Tensor& sum_out(Tensor& out, const Tensor& self, IntArrayRef dim, bool keepdim,
                std::optional<ScalarType> dtype, At at) {
  return out_of("sum_out", at, out, {&self}, Fit::Exact,
                [&] { return sum(self, dim, keepdim, dtype.value_or(out.dtype()), at); });
}
Tensor& prod_out(Tensor& out, const Tensor& self, Integer dim, bool keepdim,
                 std::optional<ScalarType> dtype, At at) {
  return out_of("prod_out", at, out, {&self}, Fit::Exact,
                [&] { return prod(self, dim, keepdim, dtype.value_or(out.dtype()), at); });
}
Tensor& cumsum_out(Tensor& out, const Tensor& self, Integer dim, std::optional<ScalarType> dtype,
                   At at) {
  return out_of("cumsum_out", at, out, {&self}, Fit::Exact,
                [&] { return cumsum(self, dim, dtype.value_or(out.dtype()), at); });
}
Tensor& cumprod_out(Tensor& out, const Tensor& self, Integer dim, std::optional<ScalarType> dtype,
                    At at) {
  return out_of("cumprod_out", at, out, {&self}, Fit::Exact,
                [&] { return cumprod(self, dim, dtype.value_or(out.dtype()), at); });
}
Tensor& mean_out(Tensor& out, const Tensor& self, std::optional<ScalarType> dtype, At at) {
  return out_of("mean_out", at, out, {&self}, dtype ? Fit::Exact : Fit::Converted, [&] {
    const auto type = mean_type(self, out, dtype);
    return type ? mean(self, *type, at) : mean(self, at);
  });
}
Tensor& mean_out(Tensor& out, const Tensor& self, IntArrayRef dim, bool keepdim,
                 std::optional<ScalarType> dtype, At at) {
  return out_of("mean_out", at, out, {&self}, dtype ? Fit::Exact : Fit::Converted, [&] {
    const auto type = mean_type(self, out, dtype);
    return type ? mean(self, dim, keepdim, *type, at) : mean(self, dim, keepdim, at);
  });
}
Tensor& logsumexp_out(Tensor& out, const Tensor& self, IntArrayRef dim, bool keepdim, At at) {
  return out_of("logsumexp_out", at, out, {&self}, Fit::Converted,
                [&] { return logsumexp(self, dim, keepdim, at); });
}
Tensor& var_out(Tensor& out, const Tensor& self, IntArrayRef dim, bool unbiased, bool keepdim,
                At at) {
  return out_of("var_out", at, out, {&self}, Fit::Converted,
                [&] { return var(self, dim, unbiased, keepdim, at); });
}
Tensor& std_out(Tensor& out, const Tensor& self, IntArrayRef dim, bool unbiased, bool keepdim,
                At at) {
  return out_of("std_out", at, out, {&self}, Fit::Converted,
                [&] { return std(self, dim, unbiased, keepdim, at); });
}
Tensor& max_out(Tensor& out, const Tensor& self, At at) {
  return out_of("max_out", at, out, {&self}, Fit::Converted, [&] { return max(self, at); });
}
Tensor& min_out(Tensor& out, const Tensor& self, At at) {
  return out_of("min_out", at, out, {&self}, Fit::Converted, [&] { return min(self, at); });
}
Tensor& max_out(Tensor& out, const Tensor& self, const Tensor& other, At at) {
  return out_of("max_out", at, out, {&self, &other}, Fit::Converted,
                [&] { return max(self, other, at); });
}
Tensor& min_out(Tensor& out, const Tensor& self, const Tensor& other, At at) {
  return out_of("min_out", at, out, {&self, &other}, Fit::Converted,
                [&] { return min(self, other, at); });
}
Tensor& detail::var_corrected_out(Tensor& out, const Tensor& self, IntArrayRef dim,
                                  double correction, bool keepdim, At at) {
  return out_of("var_out", at, out, {&self}, Fit::Converted,
                [&] { return var_corrected(self, dim, correction, keepdim, at); });
}
Tensor& detail::std_corrected_out(Tensor& out, const Tensor& self, IntArrayRef dim,
                                  double correction, bool keepdim, At at) {
  return out_of("std_out", at, out, {&self}, Fit::Converted,
                [&] { return std_corrected(self, dim, correction, keepdim, at); });
}
Tensor& amax_out(Tensor& out, const Tensor& self, IntArrayRef dim, bool keepdim, At at) {
  return out_of("amax_out", at, out, {&self}, Fit::Exact,
                [&] { return amax(self, dim, keepdim, at); });
}
Tensor& amin_out(Tensor& out, const Tensor& self, IntArrayRef dim, bool keepdim, At at) {
  return out_of("amin_out", at, out, {&self}, Fit::Exact,
                [&] { return amin(self, dim, keepdim, at); });
}
Tensor& softmax_out(Tensor& out, const Tensor& self, Integer dim, std::optional<ScalarType> dtype,
                    At at) {
  return out_of("softmax_out", at, out, {&self}, Fit::Exact,
                [&] { return dtype ? softmax(self, dim, *dtype, at) : softmax(self, dim, at); });
}
Tensor& log_softmax_out(Tensor& out, const Tensor& self, Integer dim,
                        std::optional<ScalarType> dtype, At at) {
  return out_of("log_softmax_out", at, out, {&self}, Fit::Exact, [&] {
    return dtype ? log_softmax(self, dim, *dtype, at) : log_softmax(self, dim, at);
  });
}
Tensor& logcumsumexp_out(Tensor& out, const Tensor& self, Integer dim, At at) {
  return out_of("logcumsumexp_out", at, out, {&self}, Fit::Exact,
                [&] { return logcumsumexp(self, dim, at); });
}
Tensor& linalg_vector_norm_out(Tensor& out, const Tensor& self, Scalar ord, IntArrayRef dim,
                               bool keepdim, std::optional<ScalarType> dtype, At at) {
  return out_of("linalg_vector_norm_out", at, out, {&self}, Fit::Exact,
                [&] { return linalg_vector_norm(self, ord, dim, keepdim, dtype, at); });
}
Tensor& norm_out(Tensor& out, const Tensor& self, std::optional<Scalar> p, IntArrayRef dim,
                 bool keepdim, At at) {
  return out_of("norm_out", at, out, {&self}, Fit::Exact,
                [&] { return norm(self, p, dim, keepdim, at); });
}
Tensor& norm_out(Tensor& out, const Tensor& self, std::optional<Scalar> p, IntArrayRef dim,
                 bool keepdim, ScalarType dtype, At at) {
  return out_of("norm_out", at, out, {&self}, Fit::Exact,
                [&] { return norm(self, p, dim, keepdim, dtype, at); });
}
Tensor& all_out(Tensor& out, const Tensor& self, IntArrayRef dim, bool keepdim, At at) {
  return out_of("all_out", at, out, {&self}, Fit::Flags,
                [&] { return all(self, dim, keepdim, at); });
}
Tensor& any_out(Tensor& out, const Tensor& self, IntArrayRef dim, bool keepdim, At at) {
  return out_of("any_out", at, out, {&self}, Fit::Flags,
                [&] { return any(self, dim, keepdim, at); });
}
Tensor& argmax_out(Tensor& out, const Tensor& self, std::optional<Integer> dim, bool keepdim,
                   At at) {
  return out_of("argmax_out", at, out, {&self}, Fit::Exact,
                [&] { return argmax(self, dim, keepdim, at); });
}
Tensor& argmin_out(Tensor& out, const Tensor& self, std::optional<Integer> dim, bool keepdim,
                   At at) {
  return out_of("argmin_out", at, out, {&self}, Fit::Exact,
                [&] { return argmin(self, dim, keepdim, at); });
}
Tensor& argsort_out(Tensor& out, const Tensor& self, bool stable, Integer dim, bool descending,
                    At at) {
  return out_of("argsort_out", at, out, {&self}, Fit::Exact,
                [&] { return argsort(self, stable, dim, descending, at); });
}
std::tuple<Tensor&, Tensor&> max_out(Tensor& max, Tensor& max_values, const Tensor& self,
                                     Integer dim, bool keepdim, At at) {
  return outs_of("max_out", at, std::tie(max, max_values), {&self}, Fit::Exact,
                 [&] { return notape::max(self, dim, keepdim, at); });
}
std::tuple<Tensor&, Tensor&> min_out(Tensor& min, Tensor& min_indices, const Tensor& self,
                                     Integer dim, bool keepdim, At at) {
  return outs_of("min_out", at, std::tie(min, min_indices), {&self}, Fit::Exact,
                 [&] { return notape::min(self, dim, keepdim, at); });
}
std::tuple<Tensor&, Tensor&> median_out(Tensor& values, Tensor& indices, const Tensor& self,
                                        Integer dim, bool keepdim, At at) {
  return outs_of("median_out", at, std::tie(values, indices), {&self}, Fit::Exact,
                 [&] { return median(self, dim, keepdim, at); });
}
std::tuple<Tensor&, Tensor&> aminmax_out(Tensor& min, Tensor& max, const Tensor& self,
                                         std::optional<Integer> dim, bool keepdim, At at) {
  return outs_of("aminmax_out", at, std::tie(min, max), {&self}, Fit::Exact,
                 [&] { return aminmax(self, dim, keepdim, at); });
}
std::tuple<Tensor&, Tensor&> sort_out(Tensor& values, Tensor& indices, const Tensor& self,
                                      Integer dim, bool descending, At at) {
  return outs_of("sort_out", at, std::tie(values, indices), {&self}, Fit::Exact,
                 [&] { return sort(self, dim, descending, at); });
}
std::tuple<Tensor&, Tensor&> topk_out(Tensor& values, Tensor& indices, const Tensor& self,
                                      Integer k, Integer dim, bool largest, bool sorted, At at) {
  return outs_of("topk_out", at, std::tie(values, indices), {&self}, Fit::Exact,
                 [&] { return topk(self, k, dim, largest, sorted, at); });
}
std::tuple<Tensor&, Tensor&> cummax_out(Tensor& values, Tensor& indices, const Tensor& self,
                                        Integer dim, At at) {
  return outs_of("cummax_out", at, std::tie(values, indices), {&self}, Fit::Exact,
                 [&] { return cummax(self, dim, at); });
}
std::tuple<Tensor&, Tensor&> cummin_out(Tensor& values, Tensor& indices, const Tensor& self,
                                        Integer dim, At at) {
  return outs_of("cummin_out", at, std::tie(values, indices), {&self}, Fit::Exact,
                 [&] { return cummin(self, dim, at); });
}

}  // namespace notape
