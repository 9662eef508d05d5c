// cumsum(x)[i] = x[0] + ... + x[i] along a dimension; the derivative sums the gradient from the
// other end. Floating sums are accumulated in double, integers give int64 and wrap around.
#include "ops/ops.h"
#include "ops/reduce/reduce.h"
#include "ops/reduce/reduction_spec.h"

namespace notape {
namespace {

enum class From { First, Last };

struct RunningSum {
  int64_t dim;
  From from;
};

Tensor running_sum(const Tensor& self, const RunningSum& p, At at = At::current());

constexpr auto kDerivative = derivative(
    "CumsumBackward0",
    movement(
        [](const Tensor& grad, const RunningSum& p) {
          return running_sum(grad, {p.dim, p.from == From::First ? From::Last : From::First});
        },
        [](const Tensor& tangent, const RunningSum& p) { return running_sum(tangent, p); }));

/// input, result: (outer, size), one slice at a time
template <typename T, typename Result, typename Sum>
void run_rows(const T* input, Result* result, const Slices& s, From from) {
  const int64_t start = from == From::First ? 0 : s.size - 1, step = from == From::First ? 1 : -1;
  for (int64_t o = 0; o < s.outer; ++o, input += s.size, result += s.size) {
    Sum sum = 0;
    for (int64_t k = 0, i = start; k < s.size; ++k, i += step)
      result[i] = static_cast<Result>(sum += static_cast<Sum>(input[i]));
  }
}

/// input, result: (outer, size, inner), a block of neighbouring slices at a time
template <typename T, typename Result, typename Sum>
void run_blocks(const T* input, Result* result, const Slices& s, From from) {
  constexpr int64_t kBlock = 64;
  for (int64_t o = 0; o < s.outer; ++o)
    for (int64_t first = 0; first < s.inner; first += kBlock) {
      Sum sums[kBlock] = {};
      const int64_t width = std::min(kBlock, s.inner - first);
      for (int64_t k = 0; k < s.size; ++k) {
        const int64_t i = from == From::First ? k : s.size - 1 - k;
        const int64_t start = (o * s.size + i) * s.inner + first;
        for (int64_t n = 0; n < width; ++n) {
          sums[n] += static_cast<Sum>(input[start + n]);
          result[start + n] = static_cast<Result>(sums[n]);
        }
      }
    }
}

Tensor compute(const Operation& op, const Tensor& self, const RunningSum& p) {
  if (is_batched(self))
    return over_batch_along(
        p.dim, self,
        [&](int64_t dim, const Tensor& all) {
          return compute(op, all, {dim, p.from});
        },
        self);
  require_cpu(op, self);
  const Slices s(self.sizes(), p.dim);
  const Tensor source = raw_contiguous(self);
  return visit_type(self.dtype(), [&]<typename T>() {
    constexpr bool floating = std::is_floating_point_v<T>;
    using Result = std::conditional_t<floating, T, int64_t>;
    Tensor sums = allocate(self.sizes(), scalar_type_of<Result>, self.device());
    using Sum = std::conditional_t<floating, double, uint64_t>;
    (s.inner == 1 ? run_rows<T, Result, Sum>
                  : run_blocks<T, Result, Sum>)(source.impl().data_as<T>(),
                                                sums.impl().data_as<Result>(), s, p.from);
    return sums;
  });
}

Tensor running_sum(const Tensor& self, const RunningSum& p, At at) {
  const Operation op("cumsum", at);
  check_operands(op, {&self});
  return record(kDerivative, op, compute(op, self, p), p, self);
}

constexpr auto plain_cumsum = []<typename T>(const std::vector<T>& slice) {
  std::vector<T> result;
  T sum = 0;
  for (T value : slice) result.push_back(sum += value);
  return result;
};

OpCase draw_case(Draw& draw) {
  return slice_case(
      draw, [](const Tensor& x, int64_t dim) { return cumsum(x, dim); }, plain_cumsum);
}

const RegisterOp row(
    {.name = "cumsum", .family = "reduce", .draw = draw_case, .traits = Trait::Scans});

}  // namespace

Tensor cumsum(const Tensor& self, int64_t dim, At at) {
  return running_sum(self, {wrap_dim(dim, self.dim()), From::First}, at);
}

Tensor TensorOperators::cumsum(int64_t dim, At at) const { return notape::cumsum(self(), dim, at); }

}  // namespace notape
