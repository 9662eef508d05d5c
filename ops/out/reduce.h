// Reductions, scans and order.
#pragma once
#include <optional>
#include <tuple>

#include "ops/reduce.h"

namespace notape {

namespace detail {
Tensor& var_corrected_out(Tensor& out, const Tensor& self, IntArrayRef dim, double correction,
                          bool keepdim, At at);
Tensor& std_corrected_out(Tensor& out, const Tensor& self, IntArrayRef dim, double correction,
                          bool keepdim, At at);
}  // namespace detail

/// Computed in dtype, which out must then have, or else in out's own: floats summed into integers
/// are cut off first.
Tensor& sum_out(Tensor& out, const Tensor& self, IntArrayRef dim, bool keepdim = false,
                std::optional<ScalarType> dtype = {}, At at = At::current());
Tensor& prod_out(Tensor& out, const Tensor& self, Integer dim, bool keepdim = false,
                 std::optional<ScalarType> dtype = {}, At at = At::current());
Tensor& cumsum_out(Tensor& out, const Tensor& self, Integer dim,
                   std::optional<ScalarType> dtype = {}, At at = At::current());
Tensor& cumprod_out(Tensor& out, const Tensor& self, Integer dim,
                    std::optional<ScalarType> dtype = {}, At at = At::current());
/// Converted, and computed in out's dtype if that is wider; of dtype, exactly, if that is given.
Tensor& mean_out(Tensor& out, const Tensor& self, std::optional<ScalarType> dtype = {},
                 At at = At::current());
Tensor& mean_out(Tensor& out, const Tensor& self, IntArrayRef dim, bool keepdim = false,
                 std::optional<ScalarType> dtype = {}, At at = At::current());
/// Converted.
Tensor& logsumexp_out(Tensor& out, const Tensor& self, IntArrayRef dim, bool keepdim = false,
                      At at = At::current());
Tensor& var_out(Tensor& out, const Tensor& self, IntArrayRef dim, bool unbiased = true,
                bool keepdim = false, At at = At::current());
Tensor& std_out(Tensor& out, const Tensor& self, IntArrayRef dim, bool unbiased = true,
                bool keepdim = false, At at = At::current());
Tensor& max_out(Tensor& out, const Tensor& self, At at = At::current());
Tensor& min_out(Tensor& out, const Tensor& self, At at = At::current());
Tensor& max_out(Tensor& out, const Tensor& self, const Tensor& other, At at = At::current());
Tensor& min_out(Tensor& out, const Tensor& self, const Tensor& other, At at = At::current());
/// correction: degrees of freedom taken off, a number.
template <detail::Correction C>
Tensor& var_out(Tensor& out, const Tensor& self, IntArrayRef dim, C correction,
                bool keepdim = false, At at = At::current()) {
  return detail::var_corrected_out(out, self, dim, static_cast<double>(correction), keepdim, at);
}
template <detail::Correction C>
Tensor& std_out(Tensor& out, const Tensor& self, IntArrayRef dim, C correction,
                bool keepdim = false, At at = At::current()) {
  return detail::std_corrected_out(out, self, dim, static_cast<double>(correction), keepdim, at);
}
/// Of the result's dtype, exactly.
Tensor& amax_out(Tensor& out, const Tensor& self, IntArrayRef dim = {}, bool keepdim = false,
                 At at = At::current());
Tensor& amin_out(Tensor& out, const Tensor& self, IntArrayRef dim = {}, bool keepdim = false,
                 At at = At::current());
Tensor& softmax_out(Tensor& out, const Tensor& self, Integer dim,
                    std::optional<ScalarType> dtype = {}, At at = At::current());
Tensor& log_softmax_out(Tensor& out, const Tensor& self, Integer dim,
                        std::optional<ScalarType> dtype = {}, At at = At::current());
Tensor& logcumsumexp_out(Tensor& out, const Tensor& self, Integer dim, At at = At::current());
Tensor& linalg_vector_norm_out(Tensor& out, const Tensor& self, Scalar ord = 2,
                               IntArrayRef dim = {}, bool keepdim = false,
                               std::optional<ScalarType> dtype = {}, At at = At::current());
Tensor& norm_out(Tensor& out, const Tensor& self, std::optional<Scalar> p, IntArrayRef dim,
                 bool keepdim = false, At at = At::current());
Tensor& norm_out(Tensor& out, const Tensor& self, std::optional<Scalar> p, IntArrayRef dim,
                 bool keepdim, ScalarType dtype, At at = At::current());
/// Into bools, or bytes.
Tensor& all_out(Tensor& out, const Tensor& self, IntArrayRef dim = {}, bool keepdim = false,
                At at = At::current());
Tensor& any_out(Tensor& out, const Tensor& self, IntArrayRef dim = {}, bool keepdim = false,
                At at = At::current());
/// Indices, int64.
Tensor& argmax_out(Tensor& out, const Tensor& self, std::optional<Integer> dim = {},
                   bool keepdim = false, At at = At::current());
Tensor& argmin_out(Tensor& out, const Tensor& self, std::optional<Integer> dim = {},
                   bool keepdim = false, At at = At::current());
Tensor& argsort_out(Tensor& out, const Tensor& self, bool stable, Integer dim = -1,
                    bool descending = false, At at = At::current());
/// Values of self's dtype, and indices, int64.
std::tuple<Tensor&, Tensor&> max_out(Tensor& max, Tensor& max_values, const Tensor& self,
                                     Integer dim, bool keepdim = false, At at = At::current());
std::tuple<Tensor&, Tensor&> min_out(Tensor& min, Tensor& min_indices, const Tensor& self,
                                     Integer dim, bool keepdim = false, At at = At::current());
Tensor& quantile_out(Tensor& out, const Tensor& self, const Tensor& q,
                     std::optional<Integer> dim = {}, bool keepdim = false,
                     std::string_view interpolation = "linear", At at = At::current());
Tensor& quantile_out(Tensor& out, const Tensor& self, double q, std::optional<Integer> dim = {},
                     bool keepdim = false, std::string_view interpolation = "linear",
                     At at = At::current());
std::tuple<Tensor&, Tensor&> median_out(Tensor& values, Tensor& indices, const Tensor& self,
                                        Integer dim, bool keepdim = false, At at = At::current());
std::tuple<Tensor&, Tensor&> aminmax_out(Tensor& min, Tensor& max, const Tensor& self,
                                         std::optional<Integer> dim = {}, bool keepdim = false,
                                         At at = At::current());
std::tuple<Tensor&, Tensor&> sort_out(Tensor& values, Tensor& indices, const Tensor& self,
                                      Integer dim = -1, bool descending = false,
                                      At at = At::current());
template <detail::OptionalFlag Flag>
std::tuple<Tensor&, Tensor&> sort_out(Tensor& values, Tensor& indices, const Tensor& self,
                                      [[maybe_unused]] Flag stable, Integer dim = -1,
                                      bool descending = false, At at = At::current()) {
  return sort_out(values, indices, self, dim, descending, at);
}
std::tuple<Tensor&, Tensor&> topk_out(Tensor& values, Tensor& indices, const Tensor& self,
                                      Integer k, Integer dim = -1, bool largest = true,
                                      bool sorted = true, At at = At::current());
std::tuple<Tensor&, Tensor&> cummax_out(Tensor& values, Tensor& indices, const Tensor& self,
                                        Integer dim, At at = At::current());
std::tuple<Tensor&, Tensor&> cummin_out(Tensor& values, Tensor& indices, const Tensor& self,
                                        Integer dim, At at = At::current());

}  // namespace notape
