#include "autograd/functional/region_grad.h"

#include "autograd/functional/backward.h"
#include "autograd/tensor/core_operators.h"

namespace notape::autograd {
namespace {

Tensor base_of(const Tensor& view) { return view.is_view() ? view._base() : view; }

Tensor region_of(const Tensor& gradient, const Tensor& base, const Tensor& view) {
  if (!gradient.defined() || base.is_same(view)) return gradient;
  return core_operators->gather_window(gradient, base.impl().geometry(), view.impl().geometry());
}

}  // namespace

variable_list grad_by_region(const variable_list& outputs, const variable_list& views,
                             const variable_list& grad_outputs, std::optional<bool> retain_graph,
                             bool create_graph, bool allow_unused, SourceLocation at) {
  variable_list bases;
  for (const Tensor& view : views) bases.push_back(base_of(view));
  variable_list gradients =
      grad(outputs, bases, grad_outputs, retain_graph, create_graph, allow_unused, at);
  for (std::size_t i = 0; i < views.size(); ++i)
    gradients[i] = region_of(gradients[i], bases[i], views[i]);
  return gradients;
}

Tensor view_grad(const Tensor& view) {
  const Tensor base = base_of(view);
  return region_of(base.grad(), base, view);
}

}  // namespace notape::autograd
