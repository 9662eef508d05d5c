#include "autograd/graph/history.h"

#include <mutex>

#include "autograd/forward/tangent.h"
#include "autograd/graph/accumulate_grad.h"
#include "autograd/graph/hooks.h"
#include "autograd/modes/thread_state.h"
#include "autograd/tensor/covers.h"

namespace notape {

void leave_family(TensorImpl& tensor) {
  if (tensor.has(TensorImpl::kView)) {
    current_history(tensor);
    tensor.set(TensorImpl::kView, false);
    tensor.extra()->base.reset();
    return;
  }
  Storage& storage = *tensor.storage();
  if (storage.tensors() == 1) return;
  Ref<TensorImpl> stand_in =
      Ref<TensorImpl>::adopt(new TensorImpl(tensor.storage(), tensor.geometry(), tensor.dtype()));
  stand_in->set_history(tensor.history(), tensor.output_nr());
  for (const auto flag : {TensorImpl::kRequiresGrad, TensorImpl::kVolatile})
    stand_in->set(flag, tensor.has(flag));
  TensorExtra &mine = tensor.make_extra(), &its = stand_in->make_extra();
  if (tensor.has(TensorImpl::kRequiresGrad) && !tensor.history())  // gradients still go to the leaf
    its.accumulator.store(grad_accumulator(tensor).leak());
  its.lost_cells = std::exchange(mine.lost_cells, false);
  its.family_nr = mine.family_nr++;
  its.base = std::move(mine.base);
  while (its.base && its.base->storage()->tensors() == 1)  // nobody is left of that family
    its.base = Ref<TensorImpl>(its.base->extra()->base);
  if (WriteLog* log = storage.write_log()) {
    // A family is named by its base's address. The stand-in is younger than what its views ask for:
    // entries under its address are those of a tensor that is gone.
    static constexpr char nobody = 0;
    log->rename_family(stand_in.get(), &nobody);
    log->rename_family(&tensor, stand_in.get());
  }
  mine.base = std::move(stand_in);
}

namespace {

[[noreturn]] void refuse_indirect_write(ViewTag tag, const TensorImpl& view) {
  if (tag == ViewTag::Function)
    throw FunctionViewWrite(
        "Output {} of {} is a view and its base or another view of its base has been modified "
        "inplace. This view was created inside a custom Function",
        view.output_nr(), view.history() ? view.history()->name() : "a custom Function");
  throw AmbiguousViewWrite(
      "A view was created in {} mode and its base or another view of its base has been modified "
      "inplace with grad mode enabled.",
      tag == ViewTag::NoGrad ? "no_grad" : "inference");
}

[[noreturn]] void refuse_outer_view(const TensorImpl& base, const TensorImpl& view) {
  throw AmbiguousViewWrite(
      "A view of size {} shows memory that its base, of size {}, does not show any more, and the "
      "base has been modified inplace since: what of the view that has changed cannot be said.",
      to_string(view.geometry().sizes()), to_string(base.geometry().sizes()));
}

}  // namespace

void refresh_view_history(TensorImpl& view) {
  TensorExtra& extra = *view.extra();
  const uint64_t version = view.storage()->version();
  if (extra.history_version.load(std::memory_order_acquire) == version) return;
  TensorImpl& base = family_base(view);
  const std::lock_guard family(base.make_extra().lock);
  const uint64_t known = extra.history_version.load(std::memory_order_relaxed);
  if (known == version) return;
  const WriteLog* log = view.storage()->write_log();
  if (log && base.history() &&
      log->recorded_since(known, &base, view.geometry(),
                          static_cast<int64_t>(element_size(view.dtype())))) {
    if (extra.tag != ViewTag::Plain) refuse_indirect_write(extra.tag, view);
    if (base.extra()->lost_cells && !covers(base.geometry(), view.geometry()))
      refuse_outer_view(base, view);
    const Node& writer = *base.history();
    replace_history(view, make_view_backward(base, view, writer.operator_name(), writer.at()));
  }
  extra.history_version.store(version, std::memory_order_release);
}

bool is_cut_view(TensorImpl& view) {
  const ViewTag tag = view.extra()->tag;
  return (tag == ViewTag::NoGrad || tag == ViewTag::Inference) &&
         family_base(view).has(TensorImpl::kRequiresGrad);
}

namespace {

/// Where the gradient of a tensor with an up-to-date history goes.
inline Edge edge_of(TensorImpl& impl) {
  if (impl.history()) return {impl.history(), impl.output_nr()};
  return {grad_accumulator(impl), 0};
}

/// Of a view, or of a tensor that does not require grad.
[[gnu::noinline]] Edge rare_gradient_edge(const Tensor& tensor) {
  if (!needs_gradient(tensor)) return {};
  TensorImpl& impl = tensor.impl();
  if (impl.history() || impl.has(TensorImpl::kRequiresGrad)) return edge_of(impl);
  return unrecorded_edge(impl);
}

inline Edge edge_wanted(const Tensor& tensor) {
  constexpr uint16_t kBoth = TensorImpl::kRequiresGrad | TensorImpl::kView;
  if (tensor.defined() && (tensor.impl().flags() & kBoth) == TensorImpl::kRequiresGrad) [[likely]]
    return edge_of(tensor.impl());
  return rare_gradient_edge(tensor);
}

Edge edge_with_lost(const Tensor& tensor) {
  Edge edge = edge_wanted(tensor);
  return edge ? with_lost_edges(tensor.impl(), std::move(edge)) : edge;
}

}  // namespace

Edge gradient_edge(const Tensor& tensor) { return edge_wanted(tensor); }

Edge recorded_edge(const Tensor& tensor) {
  if (thread_state.unrecorded_reads) [[unlikely]]
    return edge_with_lost(tensor);
  return edge_wanted(tensor);
}

Tensor make_view(const Tensor& base, Geometry geometry) {
  TensorImpl& source = base.impl();
  Tensor view(Ref<TensorImpl>::adopt(
      new TensorImpl(source.storage(), std::move(geometry), source.dtype())));
  TensorExtra& extra = view.impl().make_first_extra();
  const TensorExtra* parent = source.has(TensorImpl::kView) ? source.extra() : nullptr;
  extra.base = parent ? parent->base : base.ref();
  if (const TensorExtra* from = source.extra()) extra.family_nr = from->family_nr;
  extra.history_version.store(source.storage()->version(), std::memory_order_relaxed);
  extra.tag = thread_state.inference_mode ? ViewTag::Inference
              : thread_state.grad_mode    ? ViewTag::Plain
                                          : ViewTag::NoGrad;
  if (parent && parent->tag > extra.tag) {
    extra.tag = parent->tag;
    extra.tag_inherited = true;
  }
  view.impl().set(TensorImpl::kView, true);
  if (thread_state.forward_levels != 0) [[unlikely]]
    share_tangents(view.impl(), base);
  return view;
}

void replace_history(TensorImpl& tensor, NodeRef node, uint32_t output_nr) {
  if (tensor.has(TensorImpl::kRetainsGrad) && tensor.history()) {
    tensor.history()->make_hooks().retained.erase(&tensor);
    if (node) node->make_hooks().retained[&tensor] = output_nr;
  }
  tensor.set_history(std::move(node), output_nr);
}

}  // namespace notape
