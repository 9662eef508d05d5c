// With the gradient e = C + (H o + T) (1 - t^2) of c', where H, C and I, F, G, O, T are those of
// h', c' and the gates: dz = (g e + I) i (1 - i), (c e + F) f (1 - f), (i e + G) (1 - g^2), (t H +
// O) o (1 - o), and dc = f e. Gates have gradients of their own in higher orders only.
#include "ops/recurrent/lstm_gates.h"

#include "autograd/graph/record.h"
#include "autograd/tensor/factories.h"
#include "ops/arithmetic.h"
#include "ops/core/allocate.h"
#include "ops/shape.h"
#include "ops/transcendental.h"

namespace notape {
namespace {

struct Gates {
  Tensor i, f, g, o, t;

  explicit Gates(const Tensor& all) {
    const TensorList parts = chunk(all, 5, -1);
    i = parts[0], f = parts[1], g = parts[2], o = parts[3], t = parts[4];
  }
};

Tensor times_sigmoid_slope(const Tensor& grad, const Tensor& y) { return grad * y * (1 - y); }
Tensor times_tanh_slope(const Tensor& grad, const Tensor& y) { return grad * (1 - y * y); }

/// Gradients of the results as operators see them: none is undefined.
struct Grads {
  Tensor h, of_c, gates;
  Tensor e;  // of c', with what comes through h'

  Grads(const PerResult<3>& grads, const Gates& y, const Tensor& all)
      : h(grads[0].defined() ? grads[0] : zeros_like(y.t)),
        of_c(grads[1].defined() ? grads[1] : zeros_like(y.t)),
        gates(grads[2].defined() ? grads[2] : zeros_like(all)),
        e(of_c + times_tanh_slope(h * y.o + Gates(gates).t, y.t)) {}
};

Tensor composed_gradient_of_z(const PerResult<3>& grads, const Tensor& c, const Tensor& gates) {
  const Gates y(gates);
  const Grads grad(grads, y, gates);
  const Gates own(grad.gates);
  return cat(
      {times_sigmoid_slope(y.g * grad.e + own.i, y.i), times_sigmoid_slope(c * grad.e + own.f, y.f),
       times_tanh_slope(y.i * grad.e + own.g, y.g), times_sigmoid_slope(y.t * grad.h + own.o, y.o)},
      -1);
}
Tensor composed_gradient_of_c(const PerResult<3>& grads, const Tensor& gates) {
  const Gates y(gates);
  return y.f * Grads(grads, y, gates).e;
}

/// Tangents of the results from those of the gates but t, and of f c.
PerResult<3> composed_tangents(const Gates& y, const Tensor& c, const TensorList& of_gates,
                               const Tensor& of_fc) {
  Tensor of_c = of_fc;
  if (!of_gates.empty()) of_c = c * of_gates[1] + y.i * of_gates[2] + y.g * of_gates[0];
  const Tensor of_t = times_tanh_slope(of_c, y.t);
  Tensor of_h = y.o * of_t;
  if (!of_gates.empty()) of_h = of_h + y.t * of_gates[3];
  const Tensor none = of_gates.empty() ? zeros_like(of_t) : Tensor();
  TensorList all = of_gates.empty() ? TensorList(4, none) : of_gates;
  all.push_back(of_t);
  return {of_h, of_c, cat(all, -1)};
}

/// The value that a kernel computed with the history of the same in operators: so that the bits of
/// a gradient do not depend on whether it will be differentiated.
constexpr auto kSame = derivative("ThnnFusedLstmCellBackwardBackward0",
                                  elementwise([](const Tensor& grad) { return grad; }));

/// A gradient by the kernel, where it may compute it, else or with its history by `compose`.
template <typename Compute, typename Compose>
Tensor gradient(const PerResult<3>& grads, const Tensor& c, const Tensor& gates,
                const Compute& compute, const Compose& compose) {
  const bool by_kernel = !grads[2].defined() && !any_batched(grads[0], grads[1], c, gates) &&
                         lstm_gates_gradient_kernel.is_offered_on(gates.device());
  if (!by_kernel) return compose();
  const Operation op("lstm_gates_backward", At::current());
  const auto prepared = [&](const Tensor& x) {
    if (x.defined()) return raw_contiguous(x);
    if (gates.is_cuda()) return x;  // its kernels know what is zero
    return zeros_for({&gates}, {gates.size(0), gates.size(1) / 5}, gates.dtype());
  };
  Tensor result = compute(op, prepared(grads[0]), prepared(grads[1]));
  if (!thread_state.grad_mode && thread_state.forward_levels == 0) return result;
  return record(kSame, op, std::move(result), NoParameters(), compose());
}

Tensor gradient_of_z(const PerResult<3>& grads, const Tensor& c, const Tensor& gates) {
  const auto compute = [&](const Operation& op, const Tensor& h, const Tensor& of_c) {
    Tensor result = allocate(IntArrayRef({c.size(0), 4 * c.size(1)}), c.dtype(), c.device());
    lstm_gates_gradient_kernel(op, c.dtype(), c.device(), result, Tensor(), h, of_c,
                               raw_contiguous(c), gates);
    return result;
  };
  return gradient(grads, c, gates, compute,
                  [&] { return composed_gradient_of_z(grads, c, gates); });
}
Tensor gradient_of_c(const PerResult<3>& grads, const Tensor& gates) {
  const auto compute = [&](const Operation& op, const Tensor& h, const Tensor& of_c) {
    Tensor result =
        allocate(IntArrayRef({gates.size(0), gates.size(1) / 5}), gates.dtype(), gates.device());
    lstm_gates_gradient_kernel(op, gates.dtype(), gates.device(), Tensor(), result, h, of_c,
                               Tensor(), gates);
    return result;
  };
  return gradient(grads, gates, gates, compute,
                  [&] { return composed_gradient_of_c(grads, gates); });
}

constexpr auto kDerivative =
    derivative("ThnnFusedLstmCellBackward0",
               rule([](const PerResult<3>& grads, const Input<1>& c,
                       const Result<2>& gates) { return gradient_of_z(grads, c, gates); },
                    [](const Tensor& tangent, const Input<1>& c, const Result<2>& gates) {
                      const Gates y(gates);
                      TensorList parts = chunk(tangent, 4, -1);
                      parts[0] = times_sigmoid_slope(parts[0], y.i);
                      parts[1] = times_sigmoid_slope(parts[1], y.f);
                      parts[2] = times_tanh_slope(parts[2], y.g);
                      parts[3] = times_sigmoid_slope(parts[3], y.o);
                      return composed_tangents(y, c, parts, {});
                    }),
               rule([](const PerResult<3>& grads,
                       const Result<2>& gates) { return gradient_of_c(grads, gates); },
                    [](const Tensor& tangent, const Result<2>& gates) {
                      const Gates y(gates);
                      return composed_tangents(y, {}, {}, y.f * tangent);
                    }))
        .with_arguments<"gates", "cx">()
        .with_results<"hy", "cy", "workspace">();

CellState composed(const Tensor& z, const Tensor& c, At at) {
  const TensorList parts = chunk(z, 4, -1, at);
  const Tensor i = sigmoid(parts[0], at), f = sigmoid(parts[1], at), g = tanh(parts[2], at),
               o = sigmoid(parts[3], at);
  const Tensor after = add(mul(f, c, at), mul(i, g, at), 1, at);
  return {mul(o, tanh(after, at), at), after};
}

}  // namespace

CellState through_lstm_gates(const Tensor& z, const Tensor& c, At at) {
  const Device device = z.device();
  const ScalarType type = z.dtype();
  if (any_batched(z, c) || !lstm_gates_kernel.is_offered_on(device)) return composed(z, c, at);
  const Operation op("lstm_gates", at);
  LstmResults out{allocate(c.sizes(), type, device), allocate(c.sizes(), type, device),
                  allocate(IntArrayRef({c.size(0), 5 * c.size(1)}), type, device)};
  lstm_gates_kernel(op, type, device, out, raw_contiguous(z), raw_contiguous(c));
  auto [h, after, gates] = record(kDerivative, op, std::move(out), NoParameters(), z, c);
  return {std::move(h), std::move(after)};
}

}  // namespace notape
