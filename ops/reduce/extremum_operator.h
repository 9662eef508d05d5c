// max and min but for the order: derivatives, rows and the operators themselves.
#pragma once
#include "ops/core/wrap_dim.h"
#include "ops/reduce/extremum.h"
#include "ops/reduce/reduction_spec.h"

namespace notape {

/// Of all elements: the gradient is shared evenly by all that equal the extreme.
constexpr auto extremum_derivative(const char* name) {
  return derivative(
      name, selection([](const Tensor& grad, const Input<0>& self,
                         const Output& result) { return share_among_tied(grad, self, result); },
                      [](const Tensor& tangent, const Input<0>& self, const Output& result) {
                        return mean_of_tied(tangent, self, result);
                      }));
}
/// Along a dimension: it goes to the element whose index is returned.
constexpr auto extremum_along_dim_derivative(const char* name) {
  return derivative(name,
                    selection(
                        [](const Tensor& grad, const Meta<0>& self, const Result<1>& indices,
                           const AlongDim& p) {
                          return scatter_to_indices(grad, self.sizes(), indices, p);
                        },
                        [](const Tensor& tangent, const Result<1>& indices, const AlongDim& p) {
                          return gather_at_indices(tangent, indices, p);
                        }))
      .with_results<"values", "indices">();
}

template <typename D>
Tensor extremum(const D& derivative, const Operation& op, const Tensor& self, Extreme which) {
  check_operands(op, {&self});
  return record(derivative, op, raw_extreme(op, self, which), NoParameters{}, self);
}
template <typename D>
std::tuple<Tensor, Tensor> extremum_along_dim(const D& derivative, const Operation& op,
                                              const Tensor& self, int64_t dim, bool keepdim,
                                              Extreme which) {
  check_operand(op, self);
  const AlongDim parameters{wrap_dim(op, dim, self.dim()), keepdim};
  ExtremesAndIndices found = raw_extremes(op, self, dim, keepdim, which);
  return std::tuple_cat(record(derivative, op,
                               PerResult<2>{std::move(found.values), std::move(found.indices)},
                               parameters, self));
}

namespace detail {

template <Extreme which>
constexpr auto place_in_group = []<typename T>(const std::vector<T>& group) {
  if constexpr (which == Extreme::Largest)
    return std::max_element(group.begin(), group.end());
  else
    return std::min_element(group.begin(), group.end());
};

template <Extreme which>
constexpr auto extreme_of_group =
    []<typename T>(const std::vector<T>& group) { return *place_in_group<which>(group); };

}  // namespace detail

template <Extreme which>
OpSpec extremum_spec(const char* name, Tensor (*call)(const Tensor&)) {
  return {.name = name,
          .family = "reduce",
          .draw =
              [call](Draw& draw) {
                return reduction_case(
                    draw,
                    {.call = [call](const Tensor& x, const DrawnReduction&) { return call(x); },
                     .of_group = detail::extreme_of_group<which>,
                     .over = ReductionCase::Over::All,
                     .smallest = 1,
                     .distinct = true});
              },
          .traits = Trait::Reduces};
}
template <Extreme which>
OpSpec extremum_along_dim_spec(const char* name,
                               std::tuple<Tensor, Tensor> (*call)(const Tensor&, int64_t, bool)) {
  return {.name = name,
          .family = "reduce",
          .draw =
              [call](Draw& draw) {
                using How = DrawnReduction;
                return reduction_case(
                    draw, {.call =
                               [call](const Tensor& x, const How& how) {
                                 return std::get<0>(call(x, how.dim[0], how.keepdim));
                               },
                           .of_group = detail::extreme_of_group<which>,
                           .beside =
                               [call](const Tensor& x, const How& how) {
                                 return std::get<1>(call(x, how.dim[0], how.keepdim));
                               },
                           .of_group_beside =
                               []<typename T>(const std::vector<T>& group) {
                                 return static_cast<T>(detail::place_in_group<which>(group) -
                                                       group.begin());
                               },
                           .over = ReductionCase::Over::OneDim,
                           .smallest = 1,
                           .distinct = true});
              },
          .traits = Trait::Reduces};
}

}  // namespace notape
