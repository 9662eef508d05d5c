// y = x^ w + b with x^ = (x - mean) r, r = 1 / sqrt(variance + eps). With the projection P(v) = r
// (v
// - mean(v) - x^ mean(v x^)), which is symmetric: dx = P(G w), dw = sum(G x^), db = sum(G).
#include "ops/normalization/normalize.h"

#include "autograd/graph/record.h"
#include "ops/arithmetic.h"
#include "ops/core/allocate.h"
#include "ops/core/composite.h"
#include "ops/core/promotion.h"
#include "ops/reduce.h"
#include "ops/reduce/reduction.h"
#include "ops/shape.h"

namespace notape {
namespace {

struct Standard {
  Tensor x_hat, r, mean, variance;  // (view), and statistics
};
using Gradients = std::array<Tensor, 3>;  // of x, weight and bias
constexpr std::size_t kX = 0, kWeight = 1, kBias = 2;

/// In differentiable operators.
Standard standardize(const Tensor& x, const NormalizeProblem& p) {
  const Tensor seen = reshape(x, p.sizes());
  if (x.numel() == 0) {
    const Tensor none = zeros_for({&x}, p.statistic_sizes(), x.dtype());
    return {seen, none, none, none};
  }
  const auto [variance, mean] = var_mean(seen, p.statistic_dims(), false, true);
  const Tensor r = rsqrt(variance + p.eps);
  return {(seen - mean) * r, r, mean, variance};
}

/// P(v), for v of the view.
Tensor project(const Tensor& v, const Standard& s, const NormalizeProblem& p) {
  if (v.numel() == 0) return v;
  const auto dims = p.statistic_dims();
  return (v - mean(v, dims, true) - s.x_hat * mean(v * s.x_hat, dims, true)) * s.r;
}

/// Weight or bias, to broadcast with the view.
Tensor by_channel(const Tensor& weight, const NormalizeProblem& p) {
  return reshape(weight, {1, p.view[1], p.view[2], 1});
}
Tensor weighted(const Tensor& v, const Tensor& weight, const NormalizeProblem& p) {
  return weight.defined() ? v * by_channel(weight, p) : v;
}

/// Numbers of 16 bits are computed in float32 in the composition, too, and rounded once.
Tensor widened(const Tensor& x) { return x.defined() ? to(x, computed_in(x.dtype())) : x; }

/// What the kernel computed, with the history of the same in operators: so that the bits of a
/// gradient do not depend on whether it will be differentiated.
constexpr auto kSame =
    derivative("NormalizeBackwardBackward0", elementwise([](const Tensor& grad) { return grad; }));

/// Row-major and of the type that kernels compute in.
Tensor prepared(const Tensor& x, ScalarType type) {
  return x.defined() ? raw_contiguous(raw_convert(x, computed_in(type))) : x;
}

/// Computes the gradients of x, weight and bias together, which have sums in common.
class NormalizeNode final : public FixedNode<3> {
 public:
  NormalizeNode(const char* node, const Operation& op, const Normalized& out, const Tensor& x,
                const Tensor& weight, const Tensor& bias, const NormalizeProblem& problem)
      : FixedNode(node, op.name, op.at, thread_state.next_sequence_nr++), problem_(problem) {
    const Tensor* const inputs[] = {&x, &weight, &bias};
    for (std::size_t i : {kX, kWeight, kBias}) {
      set_edge(i, recorded_edge(*inputs[i]));
      if (inputs[i]->defined()) metas_[i] = OutputMeta(inputs[i]->impl());
    }
    set_metadata(0, out.result);
    const Tensor* const values[] = {&x, &weight, &out.mean, &out.variance};
    constexpr const char* kNames[] = {"input", "weight", "mean", "variance"};
    for (std::size_t i = 0; i < kSaved; ++i)
      if (is_saved(i)) saved_[i].save(*values[i], kNames[i]);
  }

  bool runs_beside_others() const override { return true; }
  void check_saved(const Wanted* wanted) const override {
    for (std::size_t i = 0; i < kSaved; ++i)
      if (is_saved(i) && (!wanted || (*wanted)(kX) || (i != kWeight && (*wanted)(kWeight))))
        saved_[i].check(*this, edge_of(i));
  }
  void release_saved() noexcept override {
    for (SavedVariable& saved : saved_) saved.release();
  }
  void visit_saved(const SavedVisitor& visit) override {
    for (std::size_t i = 0; i < kSaved; ++i)
      if (is_saved(i)) visit(saved_[i], edge_of(i));
  }

  void apply(Tensor* gradients, Tensor* results, const Wanted& wanted) override {
    const Operation op("normalize_backward", At::current());
    const Tensor& grad = gradients[0];
    const auto unpacked = [&](std::size_t i, bool is_read) {
      return is_read ? saved_[i].unpack(*this, edge_of(i)) : Tensor();
    };
    const bool reads = wanted(kX) || wanted(kWeight);
    const Tensor x = unpacked(kX, reads), weight = unpacked(kWeight, wanted(kX));
    const bool by_kernel = reads && !any_batched(grad, x, weight) &&
                           normalize_gradient_kernel.is_offered_on(grad.device());
    Gradients computed, composed;
    if (by_kernel)
      computed =
          computed_gradients(op, grad, x, weight, unpacked(2, true), unpacked(3, true), wanted);
    // Whether anybody may differentiate it again.
    const bool composes = thread_state.grad_mode || thread_state.forward_levels != 0;
    if (composes || !by_kernel) composed = composed_gradients(grad, x, weight, wanted);
    for (std::size_t i : {kX, kWeight, kBias})
      results[i] = !computed[i].defined() ? std::move(composed[i])
                   : !composes
                       ? std::move(computed[i])
                       : record(kSame, op, std::move(computed[i]), NoParameters(), composed[i]);
  }

 private:
  static constexpr std::size_t kSaved = 4;

  /// What the wanted gradients read: x's everything, the weight's no weight, the bias's nothing.
  bool is_saved(std::size_t i) const {
    return next_edge(kX).is_valid() || (i != kWeight && next_edge(kWeight).is_valid());
  }
  /// To the producer of a saved value.
  const Edge* edge_of(std::size_t i) const {
    static const Edge kNone;
    return i <= kWeight ? &next_edge(i) : &kNone;
  }

  Gradients computed_gradients(const Operation& op, const Tensor& grad, const Tensor& x,
                               const Tensor& weight, const Tensor& mean, const Tensor& variance,
                               const Wanted& wanted) const {
    const ScalarType type = computed_in(x.dtype());
    const auto place = [&](std::size_t i) {
      return wanted(i) ? allocate(metas_[i].sizes(), type, x.device()) : Tensor();
    };
    const NormalizeGradients out{place(kX), place(kWeight), place(kBias)};
    normalize_gradient_kernel(op, type, x.device(), out, prepared(grad, type), prepared(x, type),
                              prepared(weight, type), mean, variance, problem_);
    Gradients result{out.x, out.weight, out.bias};
    for (std::size_t i : {kX, kWeight, kBias})
      if (result[i].defined()) result[i] = raw_convert(result[i], metas_[i].dtype());
    return result;
  }

  Gradients composed_gradients(const Tensor& grad, const Tensor& x, const Tensor& weight,
                               const Wanted& wanted) const {
    const NormalizeProblem& p = problem_;
    const Tensor g = reshape(widened(grad), p.sizes());
    const auto as = [&](const Tensor& value, std::size_t i) {
      return to(reshape(value, metas_[i].sizes()), metas_[i].dtype());
    };
    Gradients result;
    if (wanted(kX) || wanted(kWeight)) {
      const Standard s = standardize(widened(x), p);
      if (wanted(kX)) result[kX] = as(project(weighted(g, widened(weight), p), s, p), kX);
      if (wanted(kWeight)) result[kWeight] = as(sum(g * s.x_hat, {0, 3}), kWeight);
    }
    if (wanted(kBias)) result[kBias] = as(sum(g, {0, 3}), kBias);
    return result;
  }

  NormalizeProblem problem_;
  std::array<OutputMeta, 3> metas_;
  std::array<SavedVariable, kSaved> saved_;
};

/// The tangent of the result from those of x, weight and bias; undefined ones are zero.
Tensor composed_tangent(const Gradients& tangents, const Tensor& x, const Tensor& weight,
                        const NormalizeProblem& p) {
  Tensor result;
  const auto add = [&](const Tensor& part) {
    detail::add_tangent(result, to(reshape(part, x.sizes()), x.dtype()));
  };
  if (tangents[kX].defined() || tangents[kWeight].defined()) {
    const Standard s = standardize(widened(x), p);
    if (tangents[kX].defined())
      add(weighted(project(reshape(widened(tangents[kX]), p.sizes()), s, p), widened(weight), p));
    if (tangents[kWeight].defined()) add(weighted(s.x_hat, widened(tangents[kWeight]), p));
  }
  if (tangents[kBias].defined()) add(expand(by_channel(tangents[kBias], p), p.sizes()));
  return result;
}

/// What record() does for operators with rules.
void record_interesting(const char* node, const Operation& op, const Normalized& out,
                        const Tensor& x, const Tensor& weight, const Tensor& bias,
                        const NormalizeProblem& p, Operands operands) {
  TensorImpl& result = out.result.impl();
  if (detail::any_volatile(operands))
    result.set(TensorImpl::kVolatile, true);
  else if (thread_state.grad_mode && operands.any(says_requires_grad))
    result.set_history(NodeRef::adopt(new NormalizeNode(node, op, out, x, weight, bias, p)), 0);
  if (thread_state.watched) [[unlikely]] {
    detail::tell_operands(operands);
    detail::note_lost_gradient(out.result, operands);
  }
  if (thread_state.forward_levels == 0) return;
  for (uint64_t level : active_levels(operands)) {
    const ForwardLevelLimit below(level);
    Gradients tangents;
    for (std::size_t i : {kX, kWeight, kBias}) tangents[i] = tangent_of(operands[i], level);
    set_tangent(out.result, level,
                detail::fit_tangent(composed_tangent(tangents, x, weight, p), out.result));
  }
}

Normalized composed(const Operation& op, const Tensor& x, const Tensor& weight, const Tensor& bias,
                    const NormalizeProblem& p) {
  const Composite composite({&x, &weight, &bias});
  const Standard s = standardize(widened(x), p);
  Tensor result = weighted(s.x_hat, widened(weight), p);
  if (bias.defined()) result = add(result, by_channel(widened(bias), p), 1, op.at);
  return {to(reshape(result, x.sizes(), op.at), x.dtype(), op.at), s.mean.detach(),
          s.variance.detach()};
}

}  // namespace

void check_weight_type(const Operation& op, const Tensor& x, const Tensor& weight,
                       const char* name) {
  if (!weight.defined()) return;
  check_operands(op, {&x, &weight});
  if (weight.dtype() != x.dtype() && weight.dtype() != computed_in(x.dtype()))
    op.fail<DtypeError>("expected {} to have dtype {} or that of the input, {}, but got {}", name,
                        name_of(computed_in(x.dtype())), name_of(x.dtype()),
                        name_of(weight.dtype()));
}

Normalized normalize(const Operation& op, const char* node, const Tensor& x, const Tensor& weight,
                     const Tensor& bias, const NormalizeProblem& problem, const Running& running) {
  require_floating(op, x);
  check_weight_type(op, x, weight, "weight");
  check_weight_type(op, x, bias, "bias");
  const Device device = x.device();
  Normalized out;
  bool is_moved = false;
  if (any_batched(x, weight, bias) || !normalize_kernel.is_offered_on(device)) {
    out = composed(op, x, weight, bias, problem);
  } else {
    const ScalarType type = computed_in(x.dtype());
    out = {allocate(x.sizes(), type, device), allocate(problem.statistic_sizes(), kFloat64, device),
           allocate(problem.statistic_sizes(), kFloat64, device)};
    is_moved = is_moved_by_kernels(running, {&x, &weight, &bias});
    const auto run = [&](const Running& moved) {
      normalize_kernel(op, type, device, out, prepared(x, type), prepared(weight, type),
                       prepared(bias, type), problem, moved);
    };
    if (is_moved)
      write_statistics(op, running, [&] { run(running); });
    else
      run({});
    out.result = raw_convert(out.result, x.dtype());
    const int flags = detail::flags_of(x) | detail::flags_of(weight) | detail::flags_of(bias) |
                      thread_state.watched;
    if (flags & detail::kInteresting)
      record_interesting(node, op, out, x, weight, bias, problem, {&x, &weight, &bias});
  }
  if (!is_moved && (running.mean.defined() || running.variance.defined()))
    update(op, running, out.mean, out.variance, problem.averaged());
  return out;
}

}  // namespace notape
