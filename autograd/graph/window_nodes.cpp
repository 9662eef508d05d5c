// The two nodes that views and writes through views need: ViewBackward and RebaseBackward.
#include "autograd/graph/accumulate_grad.h"
#include "autograd/graph/history.h"
#include "autograd/graph/region.h"
#include "autograd/graph/saved_variable.h"
#include "autograd/graph/support.h"
#include "autograd/modes/thread_state.h"
#include "autograd/tensor/core_operators.h"
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
    if (!wanted(0)) return;
    results[0] = region_gradient(gradients[0], base_, view_);
    if (results[0].defined() && thread_state.structural_zeros)
      move_zeros(gradients[0], results[0], [base = base_, view = view_](const Tensor& ones) {
        return core_operators->scatter_window(ones, base, view);
      });
  }
  bool runs_beside_others() const override { return true; }

 private:
  Geometry base_, view_;
};

/// 2017 paper, 3.1: after a write the computation history is "rebased". f is the derivative of the
/// writing operation as if out of place; this node feeds it the window of the incoming gradient and
/// puts what f returns for the overwritten value back into that window. Edge 0 leads to the base's
/// history, edge 1 + i to that of f's i-th input. The overwritten input's own edge is used only if
/// hooks wait at the view's history: then the window's gradient takes that way.
class RebaseBackward final : public VariadicNode {
 public:
  RebaseBackward(TensorImpl& base, const TensorImpl& view, NodeRef f, int overwritten)
      : VariadicNode("RebaseBackward", f->operator_name(), f->at(), thread_state.next_sequence_nr++,
                     1 + f->num_edges()),
        base_(base.geometry()),
        view_(view.geometry()),
        view_meta_(view),
        overwritten_(overwritten),
        f_(std::move(f)) {
    set_edge(0, base_edge(base));
    const bool hooks_wait = view.history() && view.history()->hooks();
    for (std::size_t i = 0; i < f_->num_edges(); ++i)
      if (!is_overwritten(i) || hooks_wait) set_edge(1 + i, f_->next_edge(i));
    set_metadata(0, base);
    count(Count::RebaseNodes);
  }

  void check_saved(const Wanted* wanted) const override {
    if (!wanted) return f_->check_saved(nullptr);
    const WantedOfWrite inner(*this, *wanted);
    f_->check_saved(&inner);
  }
  void release_saved() noexcept override { f_->release_saved(); }
  void visit_saved(const SavedVisitor& visit) override { f_->visit_saved(visit); }
  bool runs_beside_others() const override { return f_->runs_beside_others(); }

  void apply(Tensor* gradients, Tensor* results, const Wanted& wanted) override {
    Tensor& gradient = gradients[0];
    Ref<Support> support = take_support(gradient);
    const Ref<Support> window_support = support_of_window(support, base_, view_);
    Tensor inner = core_operators->gather_window(gradient, base_, view_);
    if (!thread_state.grad_mode)  // f must not see the buffer that travels on
      inner = core_operators->clone(inner, contiguous_strides(inner.sizes()));
    set_support(inner, window_support);
    apply_inner(inner, results + 1, WantedOfWrite(*this, wanted));
    if (!wanted(0)) return;
    const auto own = static_cast<std::size_t>(1 + overwritten_);
    Tensor into_window;
    if (overwritten_ >= 0 && !next_edge(own)) into_window = std::move(results[own]);
    settle_zeros(into_window);
    if (!into_window.defined() || !(support_of(into_window) == window_support))
      support =
          support_with_window(std::move(support), base_, view_, into_window, gradient.device());
    results[0] = core_operators->replace_window(std::move(gradient), base_, view_, into_window);
    set_support(results[0], std::move(support));
  }

 private:
  /// What the run wants of f.
  class WantedOfWrite final : public Wanted {
   public:
    WantedOfWrite(const RebaseBackward& node, const Wanted& wanted)
        : node_(node), wanted_(wanted) {}
    bool operator()(std::size_t i) const override {
      // Without an edge of its own the old value was constant, though the base is not.
      return wanted_(1 + i) || (node_.is_overwritten(i) && node_.f_->next_edge(i) && wanted_(0));
    }

   private:
    const RebaseBackward& node_;
    const Wanted& wanted_;
  };

  bool is_overwritten(std::size_t i) const { return static_cast<int>(i) == overwritten_; }

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
  int overwritten_;
  NodeRef f_;
};

}  // namespace

NodeRef make_view_backward(const TensorImpl& base, const TensorImpl& view,
                           const char* operator_name, const SourceLocation& at) {
  return NodeRef::adopt(new ViewBackward(base_edge(const_cast<TensorImpl&>(base)), base.geometry(),
                                         view.geometry(), OutputMeta(view), operator_name, at));
}

NodeRef make_rebase(TensorImpl& base, const TensorImpl& view, NodeRef f, int overwritten) {
  return NodeRef::adopt(new RebaseBackward(base, view, std::move(f), overwritten));
}

}  // namespace notape
