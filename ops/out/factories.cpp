// What makes and draws numbers.
#include "ops/out/factories.h"

#include "autograd/batching/random_factories.h"
#include "autograd/tensor/factories.h"
#include "ops/core/sizes.h"
#include "ops/out/detail/write_out.h"
#include "ops/random.h"

namespace notape {
namespace {

/// make(size) like `out`. Sizes that no tensor has are refused here, where the user's line is
/// known.
template <typename Make>
Tensor& made(const char* name, const At& at, Tensor& out, IntArrayRef size, const Make& make) {
  geometry_of(Operation(name, at), size);
  return out_of(name, at, out, {}, Fit::Made, make);
}

}  // namespace

Tensor& zeros_out(Tensor& out, IntArrayRef size, At at) {
  return made("zeros_out", at, out, size, [&] { return zeros(size, out.options()); });
}
Tensor& ones_out(Tensor& out, IntArrayRef size, At at) {
  return made("ones_out", at, out, size, [&] { return ones(size, out.options()); });
}
Tensor& full_out(Tensor& out, IntArrayRef size, Scalar fill_value, At at) {
  return made("full_out", at, out, size, [&] { return full(size, fill_value, out.options()); });
}
Tensor& arange_out(Tensor& out, Scalar end, At at) {
  return out_of("arange_out", at, out, {}, Fit::Made, [&] { return arange(end, out.options()); });
}
Tensor& arange_out(Tensor& out, Scalar start, Scalar end, Scalar step, At at) {
  return out_of("arange_out", at, out, {}, Fit::Made,
                [&] { return arange(start, end, step, out.options()); });
}
Tensor& linspace_out(Tensor& out, Scalar start, Scalar end, Integer steps, At at) {
  return out_of("linspace_out", at, out, {}, Fit::Made,
                [&] { return linspace(start, end, steps, out.options()); });
}
Tensor& eye_out(Tensor& out, Integer n, At at) {
  return made("eye_out", at, out, {n, n}, [&] { return eye(n, out.options()); });
}
Tensor& eye_out(Tensor& out, Integer n, Integer m, At at) {
  return made("eye_out", at, out, {n, m}, [&] { return eye(n, m, out.options()); });
}
Tensor& rand_out(Tensor& out, IntArrayRef size, At at) {
  return made("rand_out", at, out, size, [&] { return rand(size, out.options()); });
}
Tensor& randn_out(Tensor& out, IntArrayRef size, At at) {
  return made("randn_out", at, out, size, [&] { return randn(size, out.options()); });
}
Tensor& randint_out(Tensor& out, Integer high, IntArrayRef size, At at) {
  return made("randint_out", at, out, size, [&] { return randint(high, size, out.options()); });
}
Tensor& randint_out(Tensor& out, Integer low, Integer high, IntArrayRef size, At at) {
  return made("randint_out", at, out, size,
              [&] { return randint(low, high, size, out.options()); });
}
Tensor& randperm_out(Tensor& out, Integer n, At at) {
  return out_of("randperm_out", at, out, {}, Fit::Made, [&] { return randperm(n, out.options()); });
}
Tensor& empty_out(Tensor& out, IntArrayRef size, At at) {
  const Operation op("empty_out", at);
  if (!out.defined()) op.fail<UndefinedTensor>("the out= tensor is undefined");
  geometry_of(op, size);
  return out.resize_(size, at);
}
Tensor& bernoulli_out(Tensor& out, const Tensor& self, At at) {
  return out_of("bernoulli_out", at, out, {&self}, Fit::Anything,
                [&] { return bernoulli(self, at); });
}
Tensor& multinomial_out(Tensor& out, const Tensor& self, Integer num_samples, bool replacement,
                        At at) {
  return out_of("multinomial_out", at, out, {&self}, Fit::Exact,
                [&] { return multinomial(self, num_samples, replacement, at); });
}
Tensor& normal_out(Tensor& out, const Tensor& mean, const Tensor& std, At at) {
  return out_of("normal_out", at, out, {&mean, &std}, Fit::Converted,
                [&] { return normal(mean, std, at); });
}
Tensor& normal_out(Tensor& out, const Tensor& mean, double std, At at) {
  return out_of("normal_out", at, out, {&mean}, Fit::Converted,
                [&] { return normal(mean, std, at); });
}
Tensor& normal_out(Tensor& out, double mean, const Tensor& std, At at) {
  return out_of("normal_out", at, out, {&std}, Fit::Converted,
                [&] { return normal(mean, std, at); });
}

}  // namespace notape
