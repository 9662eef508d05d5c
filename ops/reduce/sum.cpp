// sum(x, dims): the sum over some dimensions; its derivative spreads the gradient over them.
// Floating sums are accumulated in double.
#include "autograd/tensor/factories.h"
#include "ops/ops.h"
#include "ops/reduce/reduce.h"
#include "ops/shape/view_op.h"
#include "ops/spec/wide.h"

namespace notape {
namespace {

struct SumOver {
  Sizes dim;
  bool keepdim;
};

constexpr auto kSum = derivative(
    "SumBackward1",
    rule(
        [](const Tensor& grad, const Meta<0>& self, const SumOver& p) {
          return expand(restore_dims(grad, self.sizes(), p.dim, p.keepdim), self.sizes());
        },
        [](const Tensor& tangent, const SumOver& p) { return sum(tangent, p.dim, p.keepdim); }));
constexpr auto kSumTo = derivative(
    "SumToSizeBackward0",
    rule([](const Tensor& grad, const Meta<0>& self) { return expand(grad, self.sizes()); },
         [](const Tensor& tangent, const Sizes& size) { return sum_to_size(tangent, size); }));

template <typename T, typename Accumulator>
void sum_loop(char* const* data, const int64_t* strides, int64_t n, const void*) {
  const char* input = data[1];
  if (strides[0] != 0) {
    for (int64_t i = 0; i < n; ++i)
      *reinterpret_cast<Accumulator*>(data[0] + i * strides[0]) +=
          static_cast<Accumulator>(*reinterpret_cast<const T*>(input + i * strides[1]));
    return;
  }
  // Eight partial sums: shorter dependency chains and smaller rounding errors.
  Accumulator partial[8] = {};
  int64_t i = 0;
  for (; i + 8 <= n; i += 8)
    for (int64_t k = 0; k < 8; ++k)
      partial[k] +=
          static_cast<Accumulator>(*reinterpret_cast<const T*>(input + (i + k) * strides[1]));
  for (; i < n; ++i)
    partial[0] += static_cast<Accumulator>(*reinterpret_cast<const T*>(input + i * strides[1]));
  *reinterpret_cast<Accumulator*>(data[0]) += ((partial[0] + partial[1]) + (partial[2] + partial[3])) +
                                              ((partial[4] + partial[5]) + (partial[6] + partial[7]));
}

Tensor sum_raw(const Operation& op, const Tensor& self, const ReducedDims& dims) {
  if (!self.device().is_cpu())
    op.fail<NoKernel>("not implemented for {} on {} in this build", name_of(self.dtype()),
                      to_string(self.device()));
  const bool floating = self.is_floating_point();
  const Tensor accumulator = zeros(dims.kept_sizes, floating ? kFloat64 : kInt64);
  visit_type(self.dtype(), [&]<typename T>() {
    fold(sum_loop<T, std::conditional_t<std::is_floating_point_v<T>, double, int64_t>>, accumulator,
         self);
  });
  const Tensor result = raw_convert(accumulator, floating ? self.dtype() : kInt64);
  return raw_alias(result, Geometry(dims.result_sizes));
}

OpCase draw_case(Draw& draw) {
  const auto sizes = draw.shape(0, 4);
  const auto rank = static_cast<int64_t>(sizes.size());
  const bool keepdim = draw.boolean(), all = draw.boolean();
  const int64_t dim = draw.dimension(rank);
  OpCase one;
  one.label = all ? "all" : format_message("dim={}, keepdim={}", {dim, keepdim});
  one.arguments = {{.sizes = sizes}};
  one.call = [=](const variable_list& x) { return all ? sum(x[0]) : sum(x[0], dim, keepdim); };
  one.reference = [=](const WideList& x) {
    const WideSlices s = all ? WideSlices({x[0].numel()}, 0) : WideSlices(x[0].sizes, dim);
    WideTensor result(all ? std::vector<int64_t>{} : wide_reduced(x[0].sizes, dim, keepdim));
    for (int64_t o = 0; o < s.outer; ++o)
      for (int64_t i = 0; i < s.size; ++i)
        for (int64_t n = 0; n < s.inner; ++n)
          result.values[static_cast<std::size_t>(o * s.inner + n)] += x[0].values[s.at(o, i, n)];
    return result;
  };
  return one;
}

const RegisterOp row({.name = "sum", .family = "reduce", .draw = draw_case});

}  // namespace

Tensor sum(const Tensor& self, At at) { return sum(self, IntArrayRef(), false, at); }

Tensor sum(const Tensor& self, IntArrayRef dim, bool keepdim, At at) {
  const Operation op("sum", at);
  check_operands(op, {&self});
  const ReducedDims dims = reduced_dims(op, self, dim, keepdim);
  return record(kSum, op, sum_raw(op, self, dims), SumOver{{dim.vec()}, keepdim}, self);
}

Tensor sum_to_size(const Tensor& self, IntArrayRef size, At at) {
  const Operation op("sum_to_size", at);
  check_operands(op, {&self});
  if (!is_expandable_to(size, self.sizes()))
    op.fail<ShapeError>("size {} is not expandable to size {}", to_string(size),
                        to_string(self.sizes()));
  if (self.sizes() == size) return self;
  const std::size_t leading = self.sizes().size() - size.size();
  std::vector<int64_t> dim;
  for (std::size_t d = 0; d < self.sizes().size(); ++d)
    if (d < leading || (size[d - leading] == 1 && self.sizes()[d] != 1))
      dim.push_back(static_cast<int64_t>(d));
  const ReducedDims dims = reduced_dims(op, self, dim, false);
  const Tensor result = sum_raw(op, self, dims);
  return record(kSumTo, op, raw_alias(result, Geometry(size)), Sizes{size.vec()}, self);
}

Tensor TensorOperators::sum(At at) const { return notape::sum(self(), at); }
Tensor TensorOperators::sum(IntArrayRef dim, bool keepdim, At at) const {
  return notape::sum(self(), dim, keepdim, at);
}
Tensor TensorOperators::sum_to_size(IntArrayRef size, At at) const {
  return notape::sum_to_size(self(), size, at);
}

}  // namespace notape
