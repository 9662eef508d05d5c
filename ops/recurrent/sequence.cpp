// The gradients of x, h, c and the weights by the library together; those of higher orders by
// differentiating the same layer composed of operators.
#include "ops/recurrent/sequence.h"

#include <algorithm>

#include "autograd/autograd.h"
#include "autograd/graph/record.h"
#include "autograd/modes/deterministic.h"
#include "autograd/tensor/factories.h"
#include "ops/core/allocate.h"
#include "ops/shape.h"

namespace notape {

constinit SequenceKernel sequence_kernel(nullptr);
constinit SequenceGradientKernel sequence_gradient_kernel(nullptr);

namespace {

using FourTensors = std::array<Tensor, 4>;  // x, h, c, weights

/// What the library computed, with the history of the same in operators.
constexpr auto kSameOfSequence =
    derivative("CudnnRnnBackwardBackward0", elementwise([](const Tensor& grad) { return grad; }));

/// As leaves of a graph of their own, whose gradients have a history if `again`.
FourTensors composed_gradients(const SequenceLayer& layer, const FourTensors& in,
                               const PerResult<3>& grads, const Wanted& wanted, bool again) {
  const EnableGradGuard recording;
  FourTensors leaves = in, result;
  variable_list asked;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (!in[i].defined() || !wanted(i)) continue;
    leaves[i] = again && in[i].requires_grad() ? alias(in[i]) : in[i].detach().requires_grad_();
    asked.push_back(leaves[i]);
  }
  const SequenceResults all =
      composed_sequence(layer, {leaves[0], leaves[1], leaves[2], leaves[3]}, At::current());
  variable_list outputs, incoming;
  const Tensor* const results[] = {&all.output, &all.h, &all.c};
  for (std::size_t r = 0; r < grads.size(); ++r)
    if (grads[r].defined()) {
      outputs.push_back(*results[r]);
      incoming.push_back(grads[r]);
    }
  const variable_list found = autograd::grad(outputs, asked, incoming, again, again, true);
  for (std::size_t i = 0, next = 0; i < in.size(); ++i)
    if (in[i].defined() && wanted(i)) result[i] = found[next++];
  return result;
}

class SequenceNode final : public FixedNode<4, 3> {
 public:
  SequenceNode(const Operation& op, const SequenceForward& run, const FourTensors& in)
      : FixedNode("CudnnRnnBackward0", op.name, op.at, thread_state.next_sequence_nr++),
        layer_(run.layer) {
    const Tensor* const results[] = {&run.out.output, &run.out.h, &run.out.c};
    for (uint32_t r = 0; r < 3; ++r)
      if (results[r]->defined()) set_metadata(r, *results[r]);
    for (std::size_t i = 0; i < in.size(); ++i) {
      set_edge(i, recorded_edge(in[i]));
      saved_[i].save(in[i], kNames[i]);
    }
    saved_[4].save(run.out.output, kNames[4]);
    saved_[5].save(run.reserve, kNames[5]);
  }

  bool runs_beside_others() const override { return true; }
  void check_saved(const Wanted*) const override {
    for (std::size_t i = 0; i < saved_.size(); ++i) saved_[i].check(*this, edge_of(i));
  }
  void release_saved() noexcept override {
    for (SavedVariable& saved : saved_) saved.release();
  }
  void visit_saved(const SavedVisitor& visit) override {
    for (std::size_t i = 0; i < saved_.size(); ++i) visit(saved_[i], edge_of(i));
  }

  void apply(Tensor* gradients, Tensor* results, const Wanted& wanted) override {
    const Operation op("sequence_backward", At::current());
    const PerResult<3> grads{gradients[0], gradients[1], gradients[2]};
    FourTensors in;
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = saved_[i].unpack(*this, edge_of(i));
    const bool again = thread_state.grad_mode || thread_state.forward_levels != 0;
    FourTensors composed, computed;
    const bool by_library = !any_batched(grads[0], grads[1], grads[2]);
    if (by_library) computed = by_kernel(op, in, grads, wanted);
    if (again || !by_library) composed = composed_gradients(layer_, in, grads, wanted, again);
    for (std::size_t i = 0; i < in.size(); ++i)
      results[i] =
          !computed[i].defined() || (again && !composed[i].defined()) ? std::move(composed[i])
          : again ? record(kSameOfSequence, op, std::move(computed[i]), NoParameters(), composed[i])
                  : std::move(computed[i]);
  }

 private:
  static constexpr const char* kNames[] = {"input", "hx", "cx", "weights", "result", "reserve"};

  const Edge* edge_of(std::size_t i) const {
    static const Edge kNone;
    return i < 4 ? &next_edge(i) : i == 4 ? nullptr : &kNone;
  }

  FourTensors by_kernel(const Operation& op, const FourTensors& in, const PerResult<3>& grads,
                        const Wanted& wanted) const {
    const Tensor output = saved_[4].unpack(*this, edge_of(4));
    const Tensor kept = saved_[5].unpack(*this, edge_of(5));
    const Tensor reserve = allocate(kept.sizes(), kUInt8, kept.device());
    raw_copy(reserve, kept);  // backward may run again
    const auto place = [&](std::size_t i) {
      return in[i].defined() ? allocate(in[i].sizes(), in[i].dtype(), in[i].device()) : Tensor();
    };
    const auto prepared = [](const Tensor& grad) {
      return grad.defined() ? raw_contiguous(grad) : grad;
    };
    SequenceBackward run{
        layer_,
        {in[0], in[1], in[2], in[3]},
        output,
        reserve,
        {grads[0].defined() ? prepared(grads[0])
                            : zeros_for({&output}, output.sizes(), output.dtype()),
         prepared(grads[1]), prepared(grads[2])},
        {place(0), place(1), place(2),
         wanted(3) ? zeros_for({&in[3]}, in[3].sizes(), in[3].dtype()) : Tensor()}};
    sequence_gradient_kernel(op, output.dtype(), output.device(), run);
    FourTensors result{run.out.x, run.out.h, run.out.c, run.out.weights};
    for (std::size_t i = 0; i < result.size(); ++i)
      if (!wanted(i)) result[i] = {};
    return result;
  }

  SequenceLayer layer_;
  std::array<SavedVariable, 6> saved_;
};

/// What record() does for operators with rules.
void record_sequence(const Operation& op, const SequenceForward& run, const FourTensors& in) {
  const TensorList operands(in.begin(), in.end());
  const Tensor* const results[] = {&run.out.output, &run.out.h, &run.out.c};
  if (detail::any_volatile(operands)) {
    for (const Tensor* one : results)
      if (one->defined()) one->impl().set(TensorImpl::kVolatile, true);
  } else if (run.keeps) {
    const NodeRef node = NodeRef::adopt(new SequenceNode(op, run, in));
    for (uint32_t r = 0; r < 3; ++r)
      if (results[r]->defined()) results[r]->impl().set_history(node, r);
  }
  if (thread_state.watched) [[unlikely]] {
    detail::tell_operands(operands);
    for (const Tensor* one : results)
      if (one->defined()) detail::note_lost_gradient(*one, operands);
  }
  if (thread_state.forward_levels == 0) return;
  const auto levels = active_levels(operands);
  if (levels.empty()) return;
  const SequenceResults composed =
      composed_sequence(run.layer, {in[0], in[1], in[2], in[3]}, op.at);
  const Tensor* const same[] = {&composed.output, &composed.h, &composed.c};
  for (const uint64_t level : levels)
    for (std::size_t r = 0; r < 3; ++r)
      if (results[r]->defined()) {
        const ForwardLevelLimit below(level);
        set_tangent(*results[r], level, tangent_of(*same[r], level));
      }
}

}  // namespace

std::optional<SequenceResults> through_sequence(const Operation& op, SequenceLayer layer,
                                                const Tensor& x, const CellState& state,
                                                const std::vector<CellWeights>& weights) {
  const Device device = x.device();
  const ScalarType type = x.dtype();
  const int64_t samples = layer.batch_sizes[0], hidden = layer.hidden;
  if (!device.is_cuda() || !sequence_kernel.is_offered_on(device) || is_deterministic() ||
      any_batched(x, state.h, state.c) || x.numel() == 0 || hidden == 0)
    return {};
  TensorList parts;
  for (const CellWeights& one : weights) {
    if (one.w_hr.defined() || any_batched(one.w_ih, one.w_hh, one.b_ih, one.b_hh)) return {};
    parts.insert(parts.end(), {one.w_ih, one.w_hh});
  }
  if (layer.has_biases)
    for (const CellWeights& one : weights) parts.insert(parts.end(), {one.b_ih, one.b_hh});
  FourTensors in{contiguous(x, op.at), contiguous(state.h, op.at),
                 state.c.defined() ? contiguous(state.c, op.at) : Tensor(), Tensor()};
  const auto states = [&] {
    return allocate(IntArrayRef({layer.directions, samples, hidden}), type, device);
  };
  const auto anybody_asks = [](const auto& all) {
    return std::any_of(all.begin(), all.end(), says_requires_grad);
  };
  SequenceForward run{layer,
                      {in[0], in[1], in[2], Tensor()},
                      {allocate(IntArrayRef({x.size(0), layer.directions * hidden}), type, device),
                       states(), layer.is_lstm ? states() : Tensor()},
                      thread_state.grad_mode && (anybody_asks(in) || anybody_asks(parts)),
                      [&] {
                        TensorList flat;
                        for (const Tensor& one : parts) flat.push_back(reshape(one, {-1}, op.at));
                        return cat(flat, 0, op.at);
                      }};
  sequence_kernel(op, type, device, run);
  if (!run.is_done) return {};
  in[3] = run.in.weights;
  record_sequence(op, run, in);
  return std::move(run.out);
}

}  // namespace notape
