#include "ops/out/factories.h"

#include "autograd/batching/random_factories.h"
#include "autograd/tensor/factories.h"
#include "ops/core/sizes.h"
#include "ops/out/detail/write_out.h"
#include "ops/random.h"

namespace notape {
namespace {

/// made(out, at)(size, make, arguments...) is make(arguments..., like out) of that size, which is
/// refused here, where the user's line is known, if no tensor has it.
class Made {
 public:
  Made(O out, const At& at, const char* name) : out_(out), at_(at), name_(name) {}

  template <typename... A>
  O operator()(Sizes size, Tensor (*make)(typename detail::PassedAs<A>::Type..., TensorOptions),
               const A&... arguments) const {
    geometry_of(Operation(name_, at_), size);
    return into(Fit::Made, out_, at_, name_).write([&] {
      return make(arguments..., out_.options());
    });
  }

 private:
  O out_;
  At at_;
  const char* name_;
};

Made made(O out, const At& at, const char* name = __builtin_FUNCTION()) { return {out, at, name}; }

}  // namespace

O zeros_out(O out, Sizes size, At at) { return made(out, at)(size, zeros, size); }
O ones_out(O out, Sizes size, At at) { return made(out, at)(size, ones, size); }
O full_out(O out, Sizes size, Scalar value, At at) {
  return made(out, at)(size, full, size, value);
}
O arange_out(O out, Scalar end, At at) { return made(out, at)({}, arange, end); }
O arange_out(O out, Scalar start, Scalar end, Scalar step, At at) {
  return made(out, at)({}, arange, start, end, step);
}
O linspace_out(O out, Scalar start, Scalar end, I steps, At at) {
  return made(out, at)({}, linspace, start, end, steps);
}
O eye_out(O out, I n, At at) { return made(out, at)({n, n}, eye, n); }
O eye_out(O out, I n, I m, At at) { return made(out, at)({n, m}, eye, n, m); }
O rand_out(O out, Sizes size, At at) { return made(out, at)(size, rand, size); }
O randn_out(O out, Sizes size, At at) { return made(out, at)(size, randn, size); }
O randint_out(O out, I high, Sizes size, At at) { return made(out, at)(size, randint, high, size); }
O randint_out(O out, I low, I high, Sizes size, At at) {
  return made(out, at)(size, randint, low, high, size);
}
O randperm_out(O out, I n, At at) { return made(out, at)({}, randperm, n); }
O empty_out(O out, Sizes size, At at) {
  const Operation op("empty_out", at);
  if (!out.defined()) op.fail<UndefinedTensor>("the out= tensor is undefined");
  geometry_of(op, size);
  return out.resize_(size, at);
}
O bernoulli_out(O out, X self, At at) { return into(Fit::Anything, out, at)(bernoulli, self); }
O multinomial_out(O out, X self, I num_samples, bool replacement, At at) {
  return exact(out, at)(multinomial, self, num_samples, replacement);
}
O normal_out(O out, X mean, X std, At at) { return converted(out, at)(normal, mean, std); }
O normal_out(O out, X mean, double std, At at) { return converted(out, at)(normal, mean, std); }
O normal_out(O out, double mean, X std, At at) { return converted(out, at)(normal, mean, std); }

}  // namespace notape
