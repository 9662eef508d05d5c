// sigmoid(x) = y = 1 / (1 + e^-x),  dy/dx = y (1 - y)
#include "ops/elementwise/operator.h"
#include "ops/elementwise/vector_loop.h"
#include "ops/spec/accuracy.h"
#ifndef __CUDACC__
#include "ops/core/run_wide.h"
#include "ops/elementwise/sigmoid.h"
#include "ops/spec/known_by_result.h"
#endif

namespace notape {
namespace {

struct SigmoidLoop;

struct Sigmoid {
  using Loop = SigmoidLoop;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    const T small = math::exp(-math::abs(x));  // never overflows
    // That of -|x|. Taken from 1, not divided once more, the other is nearly as good as a number
    // below 1 can be, and the derivative lives on its distance from 1.
    const T lower = small / (T(1) + small);
    return math::select(x < T(0), lower, T(1) - lower);
  }
};
#ifndef __CUDACC__
/// Floats by an exponential without a call, which is what takes the time.
struct SigmoidLoop {
  template <typename T>
  static void run(char* const* data, const int64_t* strides, int64_t n, const Sigmoid& f,
                  T (*signature)(T)) {
    if constexpr (std::is_same_v<T, float>)
      detail::run_wide<T>([&] {
        detail::elementwise_run(
            data, strides, n, [](T x) { return sigmoid_of(x); }, signature);
      });
    else
      VectorLoop::run(data, strides, n, f, signature);
  }
};
#endif

struct SigmoidGradient {
  template <typename T>
  NOTAPE_HD T operator()(T grad, T y) const {
    return grad * (T(1) - y) * y;
  }
};
const ElementwiseKernel<Sigmoid> sigmoid_kernel("sigmoid");
const ElementwiseKernel<SigmoidGradient, 2> sigmoid_gradient_kernel("sigmoid.gradient");

}  // namespace

#ifndef __CUDACC__
namespace {

Tensor sigmoid_gradient(const Tensor& grad, const Tensor& y);

constexpr auto kSigmoidGradient = derivative(
    "SigmoidBackwardBackward0",
    elementwise([](const Tensor& grad, const Input<1>& y) { return sigmoid_gradient(grad, y); }),
    elementwise([](const Tensor& grad, const Input<0>& outer, const Input<1>& y) {
      return grad * outer * (1 - 2 * y);
    }));
constexpr UnaryOperator kSigmoid(sigmoid_kernel, "SigmoidBackward0",
                                 elementwise([](const Tensor& grad, const Output& y) {
                                   return sigmoid_gradient(grad, y);
                                 }));

Tensor sigmoid_gradient(const Tensor& grad, const Tensor& y) {
  return binary(sigmoid_gradient_kernel, kSigmoidGradient, {"sigmoid_backward", At::current()},
                grad, y);
}

const RegisterOp sigmoid_row(unary_spec<Sigmoid>("sigmoid", sigmoid, sigmoid_,
                                                 {.low = -8, .high = 8},
                                                 Domain{.low = -85, .high = 85}));
const RegisterKnownByResult sigmoid_known(
    {.row = "sigmoid",
     .slope = [](Wide y) { return y * (1 - y); },
     .reason = "saves its result, so that its input may be overwritten; from x = 2.7 on 1 - y has "
               "fewer digits than y, and none from 37 on (17 in float32)"});
const RegisterAccuracy sigmoid_accuracy(
    {.row = "sigmoid",
     .value = 2.2,
     .second = 64,
     .reason = "divides what it has rounded twice, and its second derivative lives on 1 - 2 y"});

}  // namespace

Tensor sigmoid(const Tensor& self, At at) { return kSigmoid({"sigmoid", at}, self); }
Tensor& sigmoid_(Tensor& self, At at) { return kSigmoid.in_place({"sigmoid_", at}, self); }

Tensor ElementwiseMembers::sigmoid(At at) const { return notape::sigmoid(self(), at); }
Tensor& ElementwiseMembers::sigmoid_(At at) const { return notape::sigmoid_(self(), at); }
#endif

}  // namespace notape
