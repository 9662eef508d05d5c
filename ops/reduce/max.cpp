// max(x): the largest element, its gradient shared evenly by all that equal it. max(x, dim): values
// and indices along a dimension, the gradient goes to the element whose index is returned.
#include "ops/ops.h"
#include "ops/reduce/extremum.h"
#include "ops/reduce/reduction_spec.h"

namespace notape {
namespace {

constexpr auto kAll =
    derivative("MaxBackward1",
               selection([](const Tensor& grad, const Input<0>& self,
                            const Output& result) { return share_among_tied(grad, self, result); },
                         [](const Tensor& tangent, const Input<0>& self, const Output& result) {
                           return mean_of_tied(tangent, self, result);
                         }));
constexpr auto kAlongDim =
    derivative(
        "MaxBackward0",
        selection(
            [](const Tensor& grad, const Meta<0>& self, const Result<1>& indices,
               const AlongDim& p) { return scatter_to_indices(grad, self.sizes(), indices, p); },
            [](const Tensor& tangent, const Result<1>& indices, const AlongDim& p) {
              return gather_at_indices(tangent, indices, p);
            }))
        .with_results<"values", "indices">();

constexpr auto largest_of = []<typename T>(const std::vector<T>& group) {
  return *std::max_element(group.begin(), group.end());
};

OpCase draw_all(Draw& draw) {
  return reduction_case(draw,
                        {.call = [](const Tensor& x, const DrawnReduction&) { return max(x); },
                         .of_group = largest_of,
                         .over = ReductionCase::Over::All,
                         .smallest = 1,
                         .distinct = true});
}
constexpr auto place_of_largest = []<typename T>(const std::vector<T>& group) {
  return static_cast<T>(std::max_element(group.begin(), group.end()) - group.begin());
};
OpCase draw_along_dim(Draw& draw) {
  using How = DrawnReduction;
  return reduction_case(
      draw, {.call = [](const Tensor& x,
                        const How& how) { return std::get<0>(max(x, how.dim[0], how.keepdim)); },
             .of_group = largest_of,
             .beside = [](const Tensor& x,
                          const How& how) { return std::get<1>(max(x, how.dim[0], how.keepdim)); },
             .of_group_beside = place_of_largest,
             .over = ReductionCase::Over::OneDim,
             .smallest = 1,
             .distinct = true});
}

const RegisterOp all_row(
    {.name = "max", .family = "reduce", .draw = draw_all, .traits = Trait::Reduces});
const RegisterOp dim_row(
    {.name = "max_dim", .family = "reduce", .draw = draw_along_dim, .traits = Trait::Reduces});

}  // namespace

Tensor max(const Tensor& self, At at) {
  const Operation op("max", at);
  check_operands(op, {&self});
  return record(kAll, op, raw_extreme(op, self, Extreme::Largest), NoParameters{}, self);
}

std::tuple<Tensor, Tensor> max(const Tensor& self, int64_t dim, bool keepdim, At at) {
  const Operation op("max", at);
  const AlongDim parameters{wrap_dim(dim, self.dim()), keepdim};
  ExtremesAndIndices found = raw_extremes(op, self, dim, keepdim, Extreme::Largest);
  return std::tuple_cat(record(kAlongDim, op,
                               PerResult<2>{std::move(found.values), std::move(found.indices)},
                               parameters, self));
}

Tensor ReduceMembers::max(At at) const { return notape::max(self(), at); }
std::tuple<Tensor, Tensor> ReduceMembers::max(int64_t dim, bool keepdim, At at) const {
  return notape::max(self(), dim, keepdim, at);
}

}  // namespace notape
