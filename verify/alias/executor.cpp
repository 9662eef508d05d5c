#include "verify/alias/executor.h"

#include "autograd/autograd.h"
#include "autograd/forward/tangent.h"
#include "autograd/graph/history.h"
#include "autograd/graph/write_ticket.h"
#include "autograd/modes/grad_mode.h"

namespace notape::verify::alias {
namespace {

std::size_t place(const Tensor& x, int64_t i) {
  const Geometry& geometry = x.impl().geometry();
  int64_t at = geometry.offset();
  for (int d = geometry.dim(); d-- > 0; i /= geometry.size(d))
    at += i % geometry.size(d) * geometry.stride(d);
  return static_cast<std::size_t>(at);
}

double* memory(const Tensor& x) { return static_cast<double*>(x.impl().storage()->data()); }

template <typename F>
Tensor numbers(IntArrayRef sizes, F number) {
  Tensor result = empty(sizes, kFloat64);
  for (int i = 0; i < static_cast<int>(result.numel()); ++i) memory(result)[i] = number(i);
  return result;
}

Tensor weights_like(const Tensor& x) { return numbers(x.sizes(), weight_value); }

std::vector<int64_t> positions(const Statement& s) { return {s.n.begin(), s.n.begin() + s.n[5]}; }

}  // namespace

double element(const Tensor& x, int64_t i) { return memory(x)[place(x, i)]; }

void Executor::reset(Features features) {
  level_.reset();
  for (Tensor& slot : slots_) slot.reset();
  leaves_.clear();
  gradients_.clear();
  hooks_ = 0;
  if (features.tangents) level_.emplace();
}

Tensor Executor::tangent(const Tensor& x) const {
  const uint64_t level = autograd::forward_ad::current_level();
  const NoGradGuard no_grad;
  const ForwardLevelLimit below(level);
  return tangent_of(x, level);
}

/// With the fault planted: the result of the out-of-place form, put into the target's memory.
bool Executor::write_unseen(const Statement& s) {
  Tensor& target = at(s.a);
  if (fault_ != Fault::NoVersionCheck || s.no_grad || target.is_view() || !target.grad_fn())
    return false;
  Tensor result;
  if (s.code == Code::UnaryWrite && unary_ops()[s.which].call)
    result = unary_ops()[s.which].call(target, s.n[0]);
  else if (s.code == Code::BinaryWrite && binary_ops()[s.which].call)
    result = binary_ops()[s.which].call(target, at(s.b), s.n[0]);
  else
    return false;
  for (int64_t i = 0; i < target.numel(); ++i)
    memory(target)[place(target, i)] = element(result, i);
  replace_history(target.impl(), result.grad_fn(), result.output_nr());
  return true;
}

void Executor::run_view(const Statement& s) {
  const ViewKind& kind = view_kinds()[s.which];
  const auto keep = [&](Tensor view) -> Tensor {
    if (fault_ != Fault::StaleViews) return view;
    const TensorImpl& impl = view.impl();
    Tensor stale(
        Ref<TensorImpl>::adopt(new TensorImpl(impl.storage(), impl.geometry(), impl.dtype())));
    stale.impl().set_history(view.grad_fn(), view.output_nr());
    return stale;
  };
  if (!kind.call_all) {
    at(s.out) = keep(kind.call(at(s.a), s.n));
    return;
  }
  const std::vector<Tensor> all = kind.call_all(at(s.a), s.n);
  at(s.out) = keep(all[static_cast<std::size_t>(s.n[4])]);
  if (s.b != kNoSlot) at(s.b) = keep(all[static_cast<std::size_t>(s.n[5])]);
}

void Executor::run_function(const Statement& s) {
  const FunctionKind& kind = function_kinds()[s.which];
  const variable_list outputs = kind.call(at(s.a), kind.takes_two() ? at(s.b) : Tensor());
  if (kind.outputs > 0) at(s.out) = outputs[0];
  if (kind.outputs > 1) at(static_cast<uint8_t>(s.n[0])) = outputs[1];
}

void Executor::run_gradient(const Statement& s, const Oracle& oracle) {
  seen_.fill(0);
  gradients_.clear();
  input_hooks_.clear();
  const bool retain = s.which != 0;
  const Tensor& root = at(s.a);
  if (s.code == Code::Backward) return root.backward(weights_like(root), retain);
  TensorList roots = {root}, weights = {weights_like(root)}, inputs = leaves_;
  if (s.b != kNoSlot) {
    roots.push_back(at(s.b));
    weights.push_back(weights_like(at(s.b)));
  }
  for (std::size_t h = 0; h < oracle.hooks().size(); ++h) {
    const int slot = oracle.slot_of_hook(oracle.hooks()[h]);
    if (slot < 0 || slots_[static_cast<std::size_t>(slot)].is_leaf()) continue;
    input_hooks_.push_back(h);
    inputs.push_back(slots_[static_cast<std::size_t>(slot)]);
  }
  gradients_ = autograd::grad(roots, inputs, weights, retain, false, true);
}

/// The derivative of direction · gradient.
void Executor::run_second_gradient(const Statement& s) {
  seen_.fill(0);
  input_hooks_.clear();
  const Tensor& root = at(s.a);
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
  if (!roots.empty())
    gradients_ = autograd::grad(roots, leaves_, directions, s.which != 0, false, true);
}

void Executor::run_raw_write(const Statement& s) {
  const Tensor& target = at(s.a);
  const auto write = [&](double* data) {
    for (int i = 0; i < static_cast<int>(target.numel()); ++i)
      data[place(target, i) - static_cast<std::size_t>(target.storage_offset())] =
          pattern_value(s.n[0], i);
  };
  if (s.which == 0) {
    const WriteTicket ticket(target);
    write(static_cast<double*>(ticket.data()));
  } else {
    write(s.which == 1 ? target.mutable_data_ptr<double>() : target.data_ptr<double>());
  }
}

void Executor::run(const Statement& s, const Oracle& oracle) {
  const AliasPolicyGuard policy(policy_);
  const AutoGradMode mode(!s.no_grad);
  switch (s.code) {
    case Code::Leaf:
    case Code::Constant: {
      const std::vector<int64_t> sizes = positions(s);
      at(s.out) = numbers(sizes, [&](int i) { return pattern_value(s.n[4], i); });
      if (s.code == Code::Constant) return;
      at(s.out).requires_grad_();
      leaves_.push_back(at(s.out));
      return;
    }
    case Code::Unary:
      at(s.out) = unary_ops()[s.which].call(at(s.a), s.n[0]);
      return;
    case Code::UnaryWrite:
      if (!write_unseen(s)) unary_ops()[s.which].write(at(s.a), s.n[0]);
      return;
    case Code::Binary:
      at(s.out) = binary_ops()[s.which].call(at(s.a), at(s.b), s.n[0]);
      return;
    case Code::BinaryWrite:
      if (!write_unseen(s)) binary_ops()[s.which].write(at(s.a), at(s.b), s.n[0]);
      return;
    case Code::View:
      return run_view(s);
    case Code::Matmul:
      at(s.out) = at(s.a).matmul(at(s.b));
      return;
    case Code::Sum:
      at(s.out) = s.n[0] < 0 ? at(s.a).sum() : at(s.a).sum({s.n[0]});
      return;
    case Code::Cat:
      at(s.out) = cat({at(s.a), at(s.b)}, 0);
      return;
    case Code::Take:
      at(s.out) = at(s.a).index({tensor(positions(s), kInt64)});
      return;
    case Code::Put:
      if (s.which == 0)
        at(s.a).index_put_({int64_t{s.n[0]}}, at(s.b));
      else
        at(s.a).index_put_({indexing::Slice(s.n[0], s.n[1])}, at(s.b));
      return;
    case Code::PutAt:
      at(s.a).index_put_({tensor(positions(s), kInt64)}, at(s.b));
      return;
    case Code::Detach:
      at(s.out) = at(s.a).detach();
      return;
    case Code::DetachWrite:
      at(s.a).detach_();
      return;
    case Code::Data:
      at(s.out) = at(s.a).data();
      return;
    case Code::SetData:
      at(s.a).set_data(at(s.b));
      return;
    case Code::Function:
      return run_function(s);
    case Code::Hook: {
      const std::size_t h = hooks_++;
      const double scale = s.n[0];
      at(s.a).register_hook([this, h, scale](const Tensor& gradient) {
        if (!gradient.defined()) return Tensor();
        for (int i = 0; i < static_cast<int>(gradient.numel()); ++i)
          seen_[h] += direction_value(i) * element(gradient, i);
        return scale == 1 ? Tensor() : gradient * scale;
      });
      return;
    }
    case Code::Dual:
      at(s.out) = autograd::forward_ad::make_dual(
          at(s.a), numbers(at(s.a).sizes(), [&](int i) { return pattern_value(s.n[0], i); }));
      return;
    case Code::RawWrite:
      return run_raw_write(s);
    case Code::Drop:
      at(s.a).reset();
      return;
    case Code::Backward:
    case Code::Grad:
      return run_gradient(s, oracle);
    case Code::GradGrad:
      return run_second_gradient(s);
  }
}

}  // namespace notape::verify::alias
