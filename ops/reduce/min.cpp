// min(x): the smallest element, its gradient shared evenly by all that equal it. min(x, dim):
// values and indices along a dimension, the gradient goes to the element whose index is returned.
#include "ops/ops.h"
#include "ops/reduce/extremum.h"
#include "ops/reduce/reduction_spec.h"

namespace notape {
namespace {

constexpr auto kAll =
    derivative("MinBackward1",
               selection([](const Tensor& grad, const Input<0>& self,
                            const Output& result) { return share_among_tied(grad, self, result); },
                         [](const Tensor& tangent, const Input<0>& self, const Output& result) {
                           return mean_of_tied(tangent, self, result);
                         }));
constexpr auto kAlongDim =
    derivative(
        "MinBackward0",
        selection(
            [](const Tensor& grad, const Meta<0>& self, const Result<1>& indices,
               const AlongDim& p) { return scatter_to_indices(grad, self.sizes(), indices, p); },
            [](const Tensor& tangent, const Result<1>& indices, const AlongDim& p) {
              return gather_at_indices(tangent, indices, p);
            }))
        .with_results<"values", "indices">();

constexpr auto smallest_of = []<typename T>(const std::vector<T>& group) {
  return *std::min_element(group.begin(), group.end());
};

OpCase draw_all(Draw& draw) {
  return reduction_case(draw,
                        {.call = [](const Tensor& x, const DrawnReduction&) { return min(x); },
                         .of_group = smallest_of,
                         .over = ReductionCase::Over::All,
                         .smallest = 1,
                         .distinct = true});
}
constexpr auto place_of_smallest = []<typename T>(const std::vector<T>& group) {
  return static_cast<T>(std::min_element(group.begin(), group.end()) - group.begin());
};
OpCase draw_along_dim(Draw& draw) {
  using How = DrawnReduction;
  return reduction_case(
      draw, {.call = [](const Tensor& x,
                        const How& how) { return std::get<0>(min(x, how.dim[0], how.keepdim)); },
             .of_group = smallest_of,
             .beside = [](const Tensor& x,
                          const How& how) { return std::get<1>(min(x, how.dim[0], how.keepdim)); },
             .of_group_beside = place_of_smallest,
             .over = ReductionCase::Over::OneDim,
             .smallest = 1,
             .distinct = true});
}

const RegisterOp all_row(
    {.name = "min", .family = "reduce", .draw = draw_all, .traits = Trait::Reduces});
const RegisterOp dim_row(
    {.name = "min_dim", .family = "reduce", .draw = draw_along_dim, .traits = Trait::Reduces});

}  // namespace

Tensor min(const Tensor& self, At at) {
  const Operation op("min", at);
  check_operands(op, {&self});
  return record(kAll, op, raw_extreme(op, self, Extreme::Smallest), NoParameters{}, self);
}

std::tuple<Tensor, Tensor> min(const Tensor& self, int64_t dim, bool keepdim, At at) {
  const Operation op("min", at);
  const AlongDim parameters{wrap_dim(dim, self.dim()), keepdim};
  ExtremesAndIndices found = raw_extremes(op, self, dim, keepdim, Extreme::Smallest);
  return std::tuple_cat(record(kAlongDim, op,
                               PerResult<2>{std::move(found.values), std::move(found.indices)},
                               parameters, self));
}

Tensor ReduceMembers::min(At at) const { return notape::min(self(), at); }
std::tuple<Tensor, Tensor> ReduceMembers::min(int64_t dim, bool keepdim, At at) const {
  return notape::min(self(), dim, keepdim, at);
}

}  // namespace notape
