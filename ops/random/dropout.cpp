// dropout(x)[i] = x[i] / (1 - p) with probability 1 - p, else 0; the derivative uses the same mask.
#include "ops/elementwise/operator.h"
#ifndef __CUDACC__
#include "autograd/batching/vmap_scope.h"
#include "autograd/tensor/factories.h"
#include "autograd/tensor/generator.h"
#include "ops/ops.h"
#include "ops/spec/plain.h"
#endif

namespace notape {
namespace {

struct KeepScaled {
  template <typename T>
  using Signature = T(T, bool);
  Number scale;
  bool factors_are_finite() const { return scale.is_finite(); }
  template <typename T>
  NOTAPE_HD T operator()(T x, bool keep) const {
    return keep ? x * scale.as<T>() : T(0);
  }
};
const ElementwiseKernel<KeepScaled, 2> value_kernel("dropout");

}  // namespace

#ifndef __CUDACC__
namespace {

constexpr auto kDerivative =
    derivative("DropoutBackward0",
               elementwise([](const Tensor& grad, const Input<1>& mask, const KeepScaled& f) {
                 return where(mask, grad * f.scale.real, 0);
               }),
               not_differentiable);

/// Whether a draw keeps its element: with probability 1 - p, to 32 bits.
bool keeps(uint32_t draw, double p) { return static_cast<double>(draw) >= p * 0x1p32; }

/// Row-major whatever the strides of the input, so that layouts do not change results.
Tensor draw_mask(IntArrayRef sizes, double p) {
  const Tensor mask = allocate(sizes, kBool, kCPU);
  bool* values = mask.impl().data_as<bool>();
  Generator& generator = default_generator();
  for (int64_t i = 0; i < mask.numel(); ++i) values[i] = keeps(generator.next32(), p);
  return mask;
}

/// The thread's generator, put back at the end.
class SeedScope {
 public:
  explicit SeedScope(uint64_t seed) : before_(default_generator()) { manual_seed(seed); }
  ~SeedScope() { default_generator() = before_; }
  SeedScope(const SeedScope&) = delete;
  SeedScope& operator=(const SeedScope&) = delete;

 private:
  Generator before_;
};

OpCase draw_case(Draw& draw) {
  const double p = draw.real(0, 1);
  const auto seed = static_cast<uint64_t>(draw.integer(0, 1 << 20));
  OpCase one;
  one.label = format_message("p={}, seed={}", {p, seed});
  one.arguments = {{.sizes = draw.shape(0, 4)}};
  one.call = [=](const variable_list& x) {
    const SeedScope scope(seed);
    return dropout(x[0], p);
  };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    Generator generator(seed);
    PlainTensor<T> result(x[0].sizes);
    for (std::size_t i = 0; i < result.values.size(); ++i)
      if (keeps(generator.next32(), p)) result.values[i] = x[0].values[i] / (1 - T(p));
    return result;
  };
  return one;
}

const RegisterOp row({.name = "dropout", .family = "random", .draw = draw_case});

}  // namespace

Tensor dropout(const Tensor& input, double p, bool train, At at) {
  const Operation op("dropout", at);
  check_operands(op, {&input});
  if (!(p >= 0 && p <= 1))
    op.fail<ValueError>("dropout probability has to be between 0 and 1, but got {}", p);
  if (!train || p == 0 || input.numel() == 0) return input;
  if (!input.is_floating_point())
    op.fail<DtypeError>("result type float32 can't be cast to the desired output type {}",
                        name_of(input.dtype()));
  const Tensor drawn = draw_in_vmap("dropout", input.sizes(),
                                    [&](IntArrayRef sizes) { return draw_mask(sizes, p); });
  const Tensor mask = core_operators->convert(drawn, kBool, input.device().of_samples());
  const KeepScaled f{number(p == 1 ? 0 : 1 / (1 - p))};
  return record(kDerivative, op, compute(op, value_kernel, f, input, mask), f, input, mask);
}
#endif

}  // namespace notape
