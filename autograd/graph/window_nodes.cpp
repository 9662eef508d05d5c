// The two nodes that views and writes through views need: ViewBackward and RebaseBackward.
#include "autograd/graph/accumulate_grad.h"
#include "autograd/graph/history.h"
#include "autograd/graph/saved_variable.h"
#include "autograd/graph/vector_space.h"
#include "autograd/modes/thread_state.h"
#include "autograd/tensor/tensor_extra.h"

namespace notape {
namespace {

Edge base_edge(TensorImpl& base) {
  if (base.history()) return {base.history(), base.output_nr()};
  if (base.has(TensorImpl::kRequiresGrad)) return {grad_accumulator(base), 0};
  return {};
}

class ViewBackward final : public FixedNode<1> {
 public:
  ViewBackward(Edge base_edge, Geometry base, Geometry view, const OutputMeta& view_meta,
               const char* operator_name, const SourceLocation& at)
      : FixedNode("ViewBackward", operator_name, at, thread_state.next_sequence_nr++),
        base_(std::move(base)),
        view_(std::move(view)) {
    set_edge(0, std::move(base_edge));
    set_metadata(0, view_meta);
    count(Count::ViewNodes);
  }

  void apply(Tensor* gradients, Tensor* results, const Wanted& wanted) override {
    if (wanted(0)) results[0] = vector_space->scatter_window(gradients[0], base_, view_);
  }

 private:
  Geometry base_, view_;
};

/// 2017 paper, 3.1: after a write the computation history is "rebased". f is the derivative of the
/// writing operation as if out of place; this node feeds it the window of the incoming gradient and
/// puts what f returns for the overwritten value back into that window.
class RebaseBackward final : public VariadicNode {
 public:
  RebaseBackward(TensorImpl& base, const TensorImpl& view, NodeRef f)
      : VariadicNode("RebaseBackward", f->operator_name(), f->at(),
                     thread_state.next_sequence_nr++, f->num_edges()),
        base_(base.geometry()),
        view_(view.geometry()),
        view_meta_(view),
        f_(std::move(f)) {
    set_edge(0, base_edge(base));
    for (std::size_t i = 1; i < f_->num_edges(); ++i) set_edge(i, f_->next_edge(i));
    set_metadata(0, base);
    count(Count::RebaseNodes);
  }

  void check_saved() const override { f_->check_saved(); }
  void release_saved() noexcept override { f_->release_saved(); }

  void apply(Tensor* gradients, Tensor* results, const Wanted& wanted) override {
    Tensor& gradient = gradients[0];
    Tensor inner = vector_space->gather_window(gradient, base_, view_);
    if (!thread_state.grad_mode)  // f must not see the buffer that travels on
      inner = vector_space->clone(inner, contiguous_strides(inner.sizes()));
    apply_inner(inner, results, wanted);
    if (!wanted(0)) return;
    results[0] = vector_space->replace_window(std::move(gradient), base_, view_, results[0]);
  }

 private:
  void apply_inner(Tensor& gradient, Tensor* results, const Wanted& wanted) {
    if (!thread_state.grad_mode) return f_->apply(&gradient, results, wanted);
    const OutputEdgeScope result_of_view(
        *f_, {NodeRef::adopt(new ViewBackward({NodeRef::share(this), 0}, base_, view_, view_meta_,
                                              operator_name(), at())),
              0});
    f_->apply(&gradient, results, wanted);
  }

  Geometry base_, view_;
  OutputMeta view_meta_;
  NodeRef f_;
};

}  // namespace

NodeRef make_view_backward(const TensorImpl& base, const TensorImpl& view, const char* operator_name,
                           const SourceLocation& at) {
  return NodeRef::adopt(new ViewBackward(base_edge(const_cast<TensorImpl&>(base)), base.geometry(),
                                         view.geometry(), OutputMeta(view), operator_name, at));
}

NodeRef make_rebase(TensorImpl& base, const TensorImpl& view, NodeRef f) {
  return NodeRef::adopt(new RebaseBackward(base, view, std::move(f)));
}

}  // namespace notape
