// conv2d_relu(x, w, b) = relu(y), y = conv2d(x, w, b). The gradient of y is what relu lets through
// of G, and its sums over n, i, j are that of the bias: one kernel computes both.
#include "autograd/graph/record.h"
#include "ops/activation.h"
#include "ops/comparison.h"
#include "ops/conv/conv2d_spec.h"
#include "ops/core/allocate.h"
#include "ops/core/autocast.h"
#include "ops/elementwise/check_floating.h"
#include "ops/reduce.h"
#include "ops/selection.h"
#include "ops/shape.h"

namespace notape {
namespace {

Tensor passed_by_relu(const Tensor& grad, const Tensor& result) {
  return masked_fill(grad, le(result, 0), 0);
}
Tensor sum_of_channels(const Tensor& grad) { return sum(grad, {0, 2, 3}); }

constexpr auto kPassed =
    derivative("ReluBackwardBackward0", selection([](const Tensor& grad, const Input<1>& result) {
                 return passed_by_relu(grad, result);
               }),
               not_differentiable);
constexpr auto kChannelSums =
    derivative("SumBackward1", movement(
                                   [](const Tensor& grad, const Meta<0>& self) {
                                     return expand(reshape(grad, {-1, 1, 1}), self.sizes());
                                   },
                                   [](const Tensor& tangent) { return sum_of_channels(tangent); }));

/// relu of a response and a bias.
class RectifiedNode final : public FixedNode<2> {
 public:
  RectifiedNode(const Operation& op, const Tensor& result, const Tensor& bias)
      : FixedNode("BiasReluBackward0", op.name, op.at, thread_state.next_sequence_nr++) {
    set_edge(0, recorded_edge(result));
    set_edge(1, recorded_edge(bias));
    set_metadata(0, result);
    saved_.save(result, "result");
  }

  bool runs_beside_others() const override { return true; }
  void check_saved(const Wanted*) const override { saved_.check(*this, nullptr); }
  void release_saved() noexcept override { saved_.release(); }
  void visit_saved(const SavedVisitor& visit) override { visit(saved_, nullptr); }

  void apply(Tensor* gradients, Tensor* results, const Wanted& wanted) override {
    const Operation op("conv2d_relu_backward", At::current());
    const Tensor result = saved_.unpack(*this, nullptr), grad = gradients[0];
    if (grad.numel() == 0 || any_batched(grad, result)) {
      results[0] = passed_by_relu(grad, result);
      if (wanted(1)) results[1] = sum_of_channels(results[0]);
      return;
    }
    const Tensor passed = allocate(grad.sizes(), grad.dtype(), grad.device());
    const Tensor sums = allocate(IntArrayRef({grad.size(1)}), grad.dtype(), grad.device());
    rectified_gradient_kernel(op, grad.dtype(), grad.device(), passed, sums, raw_contiguous(grad),
                              raw_contiguous(result));
    results[0] = record(kPassed, op, passed, NoParameters(), grad, result);
    if (wanted(1)) results[1] = record(kChannelSums, op, sums, NoParameters(), results[0]);
  }

 private:
  SavedVariable saved_;
};

OpCase draw_conv2d_relu(Draw& draw) {
  const Conv2dProblem p = draw_conv2d_problem(draw);
  // Each channel is well on one side of the kink, by its bias.
  const Domain small{.low = -0.5, .high = 0.5};
  std::vector<double> bias;
  for (int64_t o = 0; o < p.filter[0]; ++o) bias.push_back(draw.integer(1, 3) == 1 ? -10 : 10);
  OpCase one =
      convolution_case({.planes = p}, ConvolutionPart::Response, true, "",
                       [=](const Tensor& x, const Tensor& w, const Tensor& b) {
                         return conv2d_relu(x, w, b, p.stride, p.padding, p.dilation, p.groups);
                       });
  one.arguments[0].domain = one.arguments[1].domain = small;
  one.arguments[2].domain = {.low = -10, .high = 10};
  one.arguments[2].fixed = std::move(bias);
  one.reference = [response = one.reference]<typename T>(const PlainList<T>& x) {
    PlainTensor<T> result = response(x);
    for (T& value : result.values) value = math::max(value, T(0));
    return result;
  };
  return one;
}

const RegisterOp conv2d_relu_row({.name = "conv2d_relu",
                                  .family = "conv",
                                  .draw = draw_conv2d_relu,
                                  .traits = Trait::Convolves | Trait::Pads | Trait::Clamps});

/// What record() does for operators with rules.
void record_interesting(const Operation& op, const Tensor& result, const Tensor& bias,
                        Operands operands) {
  const auto levels = active_levels(operands);
  if (detail::any_volatile(operands))
    result.impl().set(TensorImpl::kVolatile, true);
  else if (thread_state.grad_mode && operands.any(says_requires_grad))
    result.impl().set_history(NodeRef::adopt(new RectifiedNode(op, result, bias)), 0);
  if (thread_state.watched) [[unlikely]] {
    detail::tell_operands(operands);
    detail::note_lost_gradient(result, operands);
  }
  for (uint64_t level : levels) {
    const ForwardLevelLimit below(level);
    Tensor tangent = tangent_of(result, level);
    if (const Tensor added = tangent_of(bias, level); added.defined())
      detail::add_tangent(tangent, expand(reshape(added, {-1, 1, 1}), result.sizes()));
    set_tangent(result, level, detail::fit_tangent(passed_by_relu(tangent, result), result));
  }
}

}  // namespace

Tensor record_rectified(const Operation& op, const Tensor& result, const Tensor& bias) {
  const int flags = detail::flags_of(result) | detail::flags_of(bias) | thread_state.watched;
  if (flags & detail::kInteresting) record_interesting(op, result, bias, {&result, &bias});
  return result;
}

Tensor conv2d_relu(const Tensor& input, const Tensor& weight, const Tensor& bias, Pair stride,
                   Pair padding, Pair dilation, Integer groups, At at) {
  if (in_autocast(input)) [[unlikely]]
    return autocast_to_low(
        at, [&](auto... x) { return conv2d_relu(x..., stride, padding, dilation, groups, at); },
        input, weight, bias);
  const Operation op("conv2d_relu", at);
  check_floating_operand(op, input);
  return convolution(op, input, weight, bias, stride, padding, dilation, groups, true);
}

}  // namespace notape
