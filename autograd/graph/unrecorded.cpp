#include "autograd/graph/unrecorded.h"

#include <atomic>

#include "autograd/forward/unknown_tangent.h"
#include "autograd/graph/error_node.h"
#include "autograd/graph/history.h"

namespace notape {

uint32_t new_forward_call() {
  static constinit std::atomic<uint32_t> last{0};
  uint32_t number = 0;
  while (number == 0) number = last.fetch_add(1, std::memory_order_relaxed) + 1;
  return number;
}

bool is_unrecorded(TensorImpl& value, uint32_t call) {
  if (call == 0 || !is_floating_point(value.dtype())) return false;
  return value.has(TensorImpl::kUnrecorded) ||
         value.storage()->is_unrecorded(call, value.geometry(),
                                        static_cast<int64_t>(element_size(value.dtype())));
}

void mark_unrecorded(const Tensor& output, bool is_of_graph) {
  TensorImpl& value = output.impl();
  const uint32_t call = thread_state.forward_call;
  if (!is_floating_point(value.dtype())) return;
  Storage& storage = *value.storage();
  const auto item_size = static_cast<int64_t>(element_size(value.dtype()));
  const bool is_alias = value.has(TensorImpl::kView) || value.has(TensorImpl::kDetached) ||
                        value.has(TensorImpl::kData);
  if (!is_alias && storage.is_exclusive())
    storage.mark_unrecorded(call);
  else if (!is_alias)
    storage.mark_unrecorded(call, value.geometry(), item_size, /*keeps_old=*/true);
  else if (is_of_graph)  // of other memory the marks say enough
    value.set(TensorImpl::kUnrecorded, !storage.is_unrecorded(call, value.geometry(), item_size));
}

Edge unrecorded_edge(const TensorImpl& value, const char* name, const SourceLocation& at,
                     std::span<const Edge> edges) {
  return {make_error_node(format_message("the derivative for '{}' is not implemented. Its backward "
                                         "uses a value that forward computed from its arguments, "
                                         "saved{}: compute it in backward from what was saved, or "
                                         "detach() it there if a constant is meant",
                                         {name, at_place(at)}),
                          name, at, edges, OutputMeta(value)),
          0};
}

UnrecordedReads::UnrecordedReads(uint32_t call, const Node* node, bool has_tangents)
    : call_(call),
      node_(node),
      has_tangents_(has_tangents),
      outer_(std::exchange(thread_state.unrecorded_reads, this)),
      watched_before_(std::exchange(thread_state.watched, TensorImpl::kUnrecorded)) {}

UnrecordedReads::~UnrecordedReads() {
  thread_state.unrecorded_reads = outer_;
  thread_state.watched = watched_before_;
}

namespace {

/// The user has said so.
bool is_constant(TensorImpl& value) {
  return value.has(TensorImpl::kConstant) || family_base(value).has(TensorImpl::kConstant);
}

}  // namespace

/// What was recorded after the forward has ended has been watched.
bool UnrecordedReads::has_lost(TensorImpl& value) const {
  const Node* history = value.history().get();
  if (history && node_ && history->sequence_nr() >= node_->sequence_nr()) return false;
  return is_unrecorded(value, call_);
}

const UnrecordedReads* UnrecordedReads::of(TensorImpl& value) {
  if (is_constant(value)) return nullptr;
  for (const UnrecordedReads* one = thread_state.unrecorded_reads; one; one = one->outer_)
    if (is_unrecorded(value, one->call_)) return one;
  return nullptr;
}

bool reads_unrecorded(TensorImpl& value) {
  const UnrecordedReads* scope = UnrecordedReads::of(value);
  return scope && scope->node_;
}

bool UnrecordedReads::lacks_tangent(TensorImpl& value) {
  // Tangents belong to what the call returned, not to values that forward kept.
  if (value.has(TensorImpl::kTangent) || is_constant(value)) return false;
  for (const UnrecordedReads* one = thread_state.unrecorded_reads; one; one = one->outer_)
    if (one->has_tangents_ && one->has_lost(value)) return true;
  return false;
}

std::vector<uint64_t> active_levels(Operands operands) {
  const auto is_lost = [](const Tensor& operand) {
    return operand.defined() && UnrecordedReads::lacks_tangent(operand.impl());
  };
  if (thread_state.unrecorded_reads && sees_a_level() && operands.any(is_lost)) [[unlikely]]
    throw_unknown_tangent();
  return levels_of_tangents(operands);
}

Edge UnrecordedReads::with_lost_edges(const TensorImpl& impl, Edge history) {
  auto& value = const_cast<TensorImpl&>(impl);
  if (!value.has(TensorImpl::kRequiresGrad) || is_constant(value)) return history;
  std::vector<Edge> lost;
  const Node* node = nullptr;
  for (const UnrecordedReads* one = thread_state.unrecorded_reads; one; one = one->outer_) {
    if (!one->node_ || !one->has_lost(value)) continue;
    if (!node) node = one->node_;
    const auto edges = one->node_->next_edges();
    lost.insert(lost.end(), edges.begin(), edges.end());
  }
  if (!node) return history;
  Edge error = unrecorded_edge(value, node->static_name(), node->at(), lost);
  return make_fork(std::move(history), std::move(error), OutputMeta(value));
}

Edge UnrecordedReads::edge(const TensorImpl& value) const {
  if (!node_) return {};
  return unrecorded_edge(value, node_->static_name(), node_->at(), node_->next_edges());
}

void UnrecordedReads::give_edges(std::span<Tensor> results) {
  for (Tensor& result : results) {
    if (!thread_state.grad_mode || !result.defined() ||
        result.impl().has(TensorImpl::kRequiresGrad))
      continue;
    Edge edge = unrecorded_edge(result.impl());
    if (!edge) continue;
    result = detach_keeping_tangents(result);  // the value itself, which the user keeps as it is
    result.impl().set_history(std::move(edge.function), edge.input_nr);
  }
}

Edge with_lost_edges(const TensorImpl& value, Edge history) {
  return UnrecordedReads::with_lost_edges(value, std::move(history));
}

Edge unrecorded_edge(const TensorImpl& value) {
  const UnrecordedReads* scope = UnrecordedReads::of(const_cast<TensorImpl&>(value));
  return scope ? scope->edge(value) : Edge();
}

}  // namespace notape
