// With P = softmax(s Q K^T + M), O = P V and G the gradient of O: dV = P^T G, and with the scores'
// D = P (G V^T - sum(O G)): dQ = s D K, dK = s D^T Q.
#include "ops/linalg/attention.h"

#include <limits>

#include "autograd/graph/record.h"
#include "autograd/modes/grad_mode.h"
#include "autograd/tensor/factories.h"
#include "ops/arithmetic.h"
#include "ops/comparison.h"
#include "ops/core/allocate.h"
#include "ops/core/promotion.h"
#include "ops/linalg.h"
#include "ops/reduce.h"
#include "ops/selection.h"
#include "ops/shape.h"

namespace notape {
namespace {

constexpr double kAttentionInfinity = std::numeric_limits<double>::infinity();
/// Edges of the node.
constexpr std::size_t kQuery = 0, kKey = 1, kValue = 2, kMask = 3;

struct Masked {
  Tensor scores;   // 0 in rows that nothing is left of
  Tensor nothing;  // true for these rows, undefined if there are none
};

/// Scores (.., L, S) after the mask.
Masked masked(const Tensor& scores, const Attending& in, At at) {
  if (in.is_causal) {
    const Tensor all = ones({scores.size(-2), scores.size(-1)},
                            TensorOptions(kBool).device(scores.device().of_samples()));
    const Tensor hidden = triu(all, 1, at);
    return {masked_fill(scores, hidden, -kAttentionInfinity, at),
            {}};  // each row has its first entry
  }
  const Tensor& mask = in.mask;
  if (!mask.defined()) return {scores, {}};
  const Tensor left = mask.dtype() == kBool ? where(mask, scores, -kAttentionInfinity, at)
                                            : add(scores, mask, 1, at);
  if (left.numel() == 0) return {left, {}};
  const Tensor largest = std::get<0>(max(left.detach(), -1, true, at));
  const Tensor nothing = eq(largest, -kAttentionInfinity, at);
  return {masked_fill(left, nothing, 0, at), nothing};
}

/// y (g - sum(g y)) for weights y: what softmax makes of a gradient or tangent of the scores.
Tensor through_softmax(const Tensor& weights, const Tensor& g, At at) {
  return mul(weights, sub(g, sum(mul(weights, g, at), -1, true, at), 1, at), at);
}

/// In differentiable operators; undefined where the caller does not want one.
using Gradients = std::array<Tensor, 4>;
using Wants = std::array<bool, 4>;
Gradients composed_gradients(const Tensor& grad, const Attending& in, const Wants& wants) {
  const At at = At::current();
  const Tensor weights = attention_weights(in, at);
  Gradients result;
  if (wants[kValue]) result[kValue] = matmul(transpose(weights, -2, -1, at), grad, at);
  if (!wants[kQuery] && !wants[kKey] && !wants[kMask]) return result;
  const Tensor of_scores =
      through_softmax(weights, matmul(grad, transpose(in.value, -2, -1, at), at), at);
  if (wants[kQuery]) result[kQuery] = mul(matmul(of_scores, in.key, at), in.scale, at);
  if (wants[kKey])
    result[kKey] = matmul(transpose(of_scores, -2, -1, at), mul(in.query, in.scale, at), at);
  if (wants[kMask]) result[kMask] = sum_to_size(of_scores, in.mask.sizes());
  return result;
}

/// What the tangents of query, key, value and mask make of the result; undefined ones are zero.
Tensor composed_tangent(const Gradients& tangents, const Attending& in) {
  const At at = At::current();
  const Tensor weights = attention_weights(in, at);
  Tensor of_scores, result;
  const auto scores = [&](const Tensor& query, const Tensor& key) {
    return matmul(mul(query, in.scale, at), transpose(key, -2, -1, at), at);
  };
  if (tangents[kQuery].defined()) detail::add_tangent(of_scores, scores(tangents[kQuery], in.key));
  if (tangents[kKey].defined()) detail::add_tangent(of_scores, scores(in.query, tangents[kKey]));
  if (tangents[kMask].defined())
    detail::add_tangent(of_scores, expand(tangents[kMask], weights.sizes(), at));
  if (of_scores.defined()) result = matmul(through_softmax(weights, of_scores, at), in.value, at);
  if (tangents[kValue].defined())
    detail::add_tangent(result, matmul(weights, tangents[kValue], at));
  return result;
}

/// What the kernel computed, with the history of the same in operators: so that the bits of a
/// gradient do not depend on whether it will be differentiated.
constexpr auto kSame = derivative("ScaledDotProductFlashAttentionForCpuBackwardBackward0",
                                  elementwise([](const Tensor& grad) { return grad; }));

/// As kernels take it: a mask of the size of the scores.
Attending expanded(const Attending& in) {
  if (!in.mask.defined()) return in;
  std::vector<int64_t> scores = in.query.sizes().vec();
  scores.back() = in.key.size(-2);
  const NoGradGuard constant;
  Attending result = in;
  result.mask = expand(in.mask.detach(), scores);
  return result;
}

/// (.., L, columns) in the order of memory that a tensor (.., L, E) has, if its rows are
/// contiguous: heads that lie side by side are put back together without a copy.
Tensor allocate_in_order_of(const Tensor& like, int64_t columns) {
  const Geometry& geometry = like.impl().geometry();
  std::vector<int64_t> sizes = like.sizes().vec();
  const bool keeps = columns == sizes.back() && geometry.is_dense() && like.stride(-1) == 1;
  sizes.back() = columns;
  return allocate(keeps ? geometry.at_offset(0) : Geometry(sizes), like.dtype(), like.device());
}

AttentionGradients kernel_gradients(const Operation& op, const Tensor& grad, const Attended& out,
                                    const Attending& in, const Wanted& wanted) {
  const Tensor* const inputs[] = {&in.query, &in.key, &in.value};
  AttentionGradients result;
  for (std::size_t i : {kQuery, kKey, kValue})
    if (wanted(i)) result[i] = allocate_in_order_of(*inputs[i], inputs[i]->size(-1));
  attention_gradient_kernel(op, grad.dtype(), grad.device(), result, grad, out, expanded(in));
  return result;
}

/// Computes the gradients of query, key and value together: they have the weights in common, which
/// are not kept. Only a mask that wants a gradient, of their size, has them computed whole.
class AttentionNode final : public FixedNode<4> {
 public:
  AttentionNode(const Operation& op, const Attending& in, const Attended& out)
      : FixedNode("ScaledDotProductFlashAttentionForCpuBackward0", op.name, op.at,
                  thread_state.next_sequence_nr++),
        scale_(in.scale),
        is_causal_(in.is_causal) {
    const Tensor* const inputs[] = {&in.query, &in.key, &in.value, &in.mask};
    constexpr const char* kNames[] = {"query", "key", "value", "attn_mask"};
    for (std::size_t i : {kQuery, kKey, kValue, kMask}) {
      set_edge(i, recorded_edge(*inputs[i]));
      saved_[i].save(*inputs[i], kNames[i]);
    }
    set_metadata(0, out.result);
    saved_[kStatistics].save(out.statistics, "statistics");
    saved_[kResult].save(out.result, "result");
  }

  bool runs_beside_others() const override { return true; }
  void check_saved(const Wanted*) const override {
    for (std::size_t i = 0; i < kSaved; ++i) saved_[i].check(*this, edge_of(i));
  }
  void release_saved() noexcept override {
    for (SavedVariable& saved : saved_) saved.release();
  }
  void visit_saved(const SavedVisitor& visit) override {
    for (std::size_t i = 0; i < kSaved; ++i) visit(saved_[i], edge_of(i));
  }

  void apply(Tensor* gradients, Tensor* results, const Wanted& wanted) override {
    const Operation op("scaled_dot_product_attention_backward", At::current());
    const Tensor& grad = gradients[0];
    const Attending in{unpacked(kQuery), unpacked(kKey), unpacked(kValue),
                       unpacked(kMask),  scale_,         is_causal_};
    const Attended out{unpacked(kResult), unpacked(kStatistics)};
    AttentionGradients computed;
    if (!is_batched(grad) && (wanted(kQuery) || wanted(kKey) || wanted(kValue)))
      computed = kernel_gradients(op, grad, out, in, wanted);
    // Whether anybody may differentiate it again.
    const bool composes = thread_state.grad_mode || thread_state.forward_levels != 0;
    Gradients composed;
    const bool all = composes || is_batched(grad);
    if (all || wanted(kMask))
      composed = composed_gradients(
          grad, in,
          {all && wanted(kQuery), all && wanted(kKey), all && wanted(kValue), wanted(kMask)});
    for (std::size_t i : {kQuery, kKey, kValue, kMask}) {
      if (i == kMask || !computed[i].defined())
        results[i] = std::move(composed[i]);
      else if (!composes)
        results[i] = std::move(computed[i]);
      else
        results[i] = record(kSame, op, std::move(computed[i]), NoParameters(), composed[i]);
    }
  }

 private:
  static constexpr std::size_t kStatistics = 4, kResult = 5, kSaved = 6;

  /// To the producer of a saved value; null for the node's own.
  const Edge* edge_of(std::size_t i) const {
    static const Edge kNone;
    if (i == kResult) return nullptr;
    return i < num_edges() ? &next_edge(i) : &kNone;
  }
  Tensor unpacked(std::size_t i) const { return saved_[i].unpack(*this, edge_of(i)); }

  std::array<SavedVariable, kSaved> saved_;
  double scale_;
  bool is_causal_;
};

/// What record() does for operators with rules.
void record_interesting(const Operation& op, const Attending& in, const Attended& out,
                        Operands operands) {
  TensorImpl& result = out.result.impl();
  if (detail::any_volatile(operands))
    result.set(TensorImpl::kVolatile, true);
  else if (thread_state.grad_mode && operands.any(says_requires_grad))
    result.set_history(NodeRef::adopt(new AttentionNode(op, in, out)), 0);
  if (thread_state.watched) [[unlikely]] {
    detail::tell_operands(operands);
    detail::note_lost_gradient(out.result, operands);
  }
  if (thread_state.forward_levels == 0) return;
  for (uint64_t level : active_levels(operands)) {
    const ForwardLevelLimit below(level);
    Gradients tangents;
    for (std::size_t i : {kQuery, kKey, kValue, kMask})
      tangents[i] = tangent_of(operands[i], level);
    set_tangent(out.result, level, detail::fit_tangent(composed_tangent(tangents, in), out.result));
  }
}

bool is_of_one_batch(const Tensor& query, const Tensor& other) {
  if (query.dim() != other.dim()) return false;
  const auto batch = static_cast<std::ptrdiff_t>(query.dim() - 2);
  return std::equal(query.sizes().begin(), query.sizes().begin() + batch, other.sizes().begin());
}

bool takes_mask(const Attending& in) {
  if (!in.mask.defined()) return true;
  std::vector<int64_t> scores = in.query.sizes().vec();
  scores.back() = in.key.size(-2);
  return is_expandable_to(IntArrayRef(in.mask.sizes()), scores) &&
         in.mask.device() == in.query.device();
}

}  // namespace

Tensor attention_weights(const Attending& in, At at) {
  // The fewer numbers are scaled; either way a finite query and key give finite factors.
  const Tensor scores = matmul(mul(in.query, in.scale, at), transpose(in.key, -2, -1, at), at);
  const auto [left, nothing] = masked(scores, in, at);
  const Tensor weights = softmax(left, -1, at);
  return nothing.defined() ? masked_fill(weights, nothing, 0, at) : weights;
}

bool is_attended_whole(const Attending& in) {
  const Tensor &query = in.query, &key = in.key, &value = in.value;
  if (any_batched(query, key, value, in.mask)) return false;
  if (!attention_kernel.is_offered_on(query.device())) return false;
  if (query.dtype() != kFloat32 && query.dtype() != kFloat64) return false;
  if (query.numel() == 0 || key.numel() == 0 || value.numel() == 0) return false;
  if (!is_of_one_batch(query, key) || !is_of_one_batch(query, value)) return false;
  return takes_mask(in);
}

Tensor attend(const Operation& op, const Attending& in) {
  const ScalarType type = in.query.dtype();
  const Device device = in.query.device();
  Attended out;
  out.result = allocate_in_order_of(in.query, in.value.size(-1));
  std::vector<int64_t> sizes = in.query.sizes().vec();
  sizes.back() = in.query.size(-2);
  sizes[sizes.size() - 2] = 2;
  out.statistics = allocate(sizes, type, device);
  attention_kernel(op, type, device, out, expanded(in));
  const int flags = detail::flags_of(in.query) | detail::flags_of(in.key) |
                    detail::flags_of(in.value) | detail::flags_of(in.mask) | thread_state.watched;
  if (flags & detail::kInteresting)
    record_interesting(op, in, out, {&in.query, &in.key, &in.value, &in.mask});
  return std::move(out.result);
}

}  // namespace notape
