#include "verify/alias/executor.h"

#include "autograd/autograd.h"
#include "autograd/forward/tangent.h"
#include "autograd/graph/history.h"
#include "autograd/modes/grad_mode.h"
#include "ops/arithmetic.h"
#include "verify/alias/statement.h"

namespace notape::verify::alias {
namespace {

double* memory(const Tensor& x) { return static_cast<double*>(x.impl().storage()->data()); }

Tensor weights_like(const Tensor& x) { return numbers(x.sizes(), weight_value); }

}  // namespace

std::size_t place(const Tensor& x, int64_t i) {
  const Geometry& geometry = x.impl().geometry();
  int64_t at = geometry.offset();
  for (int d = geometry.dim(); d-- > 0; i /= geometry.size(d))
    at += i % geometry.size(d) * geometry.stride(d);
  return static_cast<std::size_t>(at);
}

double element(const Tensor& x, int64_t i) { return memory(x)[place(x, i)]; }

void Executor::reset(Features features) {
  level_.reset();
  for (Tensor& slot : slots_) slot.reset();
  leaves_.clear();
  gradients_.clear();
  hooks_ = 0;
  if (features.tangents) level_.emplace();
}

void Executor::run(const Statement& s) {
  const AliasPolicyGuard policy(policy_);
  const AutoGradMode mode(!s.no_grad);
  std::visit([&](const auto& kind) { kind.run(*this); }, s.what);
}

Tensor Executor::tangent(const Tensor& x) const {
  const uint64_t level = autograd::forward_ad::current_level();
  const NoGradGuard no_grad;
  const ForwardLevelLimit below(level);
  return tangent_of(x, level);
}

bool Executor::writes_unseen(const Tensor& target) const {
  return fault_ == Fault::NoVersionCheck && GradMode::is_enabled() && !target.is_view() &&
         target.grad_fn();
}

void Executor::write_unseen(Tensor& target, const Tensor& result) {
  for (int64_t i = 0; i < target.numel(); ++i)
    memory(target)[place(target, i)] = element(result, i);
  replace_history(target.impl(), result.grad_fn(), result.output_nr());
}

Tensor Executor::kept(Tensor view) const {
  if (fault_ != Fault::StaleViews) return view;
  const TensorImpl& impl = view.impl();
  Tensor stale(
      Ref<TensorImpl>::adopt(new TensorImpl(impl.storage(), impl.geometry(), impl.dtype())));
  stale.impl().set_history(view.grad_fn(), view.output_nr());
  return stale;
}

void Executor::observe(const Tensor& x, double scale) {
  x.register_hook([this, h = hooks_++, scale](const Tensor& gradient) {
    if (!gradient.defined()) return Tensor();
    for (int i = 0; i < static_cast<int>(gradient.numel()); ++i)
      seen_[h] += direction_value(i) * element(gradient, i);
    return scale == 1 ? Tensor() : gradient * scale;
  });
}

void Executor::forget_gradients() {
  seen_.fill(0);
  gradients_.clear();
  input_hooks_.clear();
}

void Executor::backward(const Tensor& root, bool retains) {
  forget_gradients();
  root.backward(weights_like(root), retains);
}

void Executor::grad(const TensorList& roots, bool retains) {
  forget_gradients();
  TensorList weights, inputs = leaves_;
  for (const Tensor& root : roots) weights.push_back(weights_like(root));
  for (std::size_t h = 0; h < oracle_.hooks().size(); ++h) {
    const int hooked = oracle_.slot_of_hook(oracle_.hooks()[h]);
    if (hooked < 0 || slot(hooked).is_leaf()) continue;
    input_hooks_.push_back(h);
    inputs.push_back(slot(hooked));
  }
  gradients_ = autograd::grad(roots, inputs, weights, retains, false, true);
}

void Executor::grad_of_grad(const Tensor& root, bool retains) {
  forget_gradients();
  const variable_list first =
      autograd::grad({root}, leaves_, {weights_like(root)}, true, /*create_graph=*/true, true);
  TensorList roots, directions;
  int column = 0;
  for (std::size_t l = 0; l < leaves_.size(); column += static_cast<int>(leaves_[l++].numel())) {
    if (!first[l].defined() || !first[l].requires_grad()) continue;
    roots.push_back(first[l]);
    directions.push_back(
        numbers(first[l].sizes(), [&](int i) { return direction_value(column + i); }));
  }
  gradients_.assign(leaves_.size(), Tensor());
  if (!roots.empty()) gradients_ = autograd::grad(roots, leaves_, directions, retains, false, true);
}

}  // namespace notape::verify::alias
