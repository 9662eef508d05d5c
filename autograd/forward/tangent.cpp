#include "autograd/forward/tangent.h"

#include <algorithm>

#include "autograd/forward/drop_tangents.h"
#include "autograd/forward/unknown_tangent.h"
#include "autograd/tensor/core_operators.h"
#include "autograd/tensor/covers.h"
#include "autograd/tensor/factories.h"
#include "autograd/tensor/tensor_extra.h"

namespace notape {

void throw_unknown_tangent() {
  throw ForwardNotImplemented(
      "Trying to use forward AD with a value that a custom Function computed from dual numbers "
      "in its forward and saved: its tangent is not known");
}

OpenLevels& open_levels() {
  static thread_local OpenLevels own;
  // A backward run that moves to another thread takes the levels of its caller along.
  if (!thread_state.open_levels) thread_state.open_levels = &own;
  return *thread_state.open_levels;
}

namespace {

OpenLevel* find_level(uint64_t level) {
  for (OpenLevel& open : open_levels())
    if (open.id == level) return &open;
  return nullptr;
}

Tangents* tangents_of(const TensorImpl& tensor) {
  return tensor.extra() ? tensor.extra()->tangents.get() : nullptr;
}

Tangents& make_tangents(TensorImpl& tensor) {
  auto& tangents = tensor.make_extra().tangents;
  if (!tangents) tangents = std::make_unique<Tangents>();
  tensor.set(TensorImpl::kTangent, true);
  return *tangents;
}

Tangent* own_tangent(const TensorImpl& tensor, uint64_t level) {
  if (Tangents* tangents = tangents_of(tensor))
    for (Tangent& tangent : tangents->own)
      if (tangent.level == level) return &tangent;
  return nullptr;
}

/// The tensor whose tangents show here, if it is not this one alone.
TensorImpl* tangent_base(TensorImpl& tensor) {
  const Tangents* tangents = tangents_of(tensor);
  if (tangents && tangents->base) {
    TensorImpl* base = tangents->base.get();
    while (base && base->extra() && base->extra()->family_nr != tangents->family_nr)
      base = base->extra()->base.get();
    return base;
  }
  return tensor.has(TensorImpl::kView) ? &family_base(tensor) : nullptr;
}

/// Who has the tangent of this level that the tensor shows; null if nobody has one.
TensorImpl* find_holder(TensorImpl& tensor, uint64_t level) {
  for (TensorImpl* one = &tensor; one; one = tangent_base(*one))
    if (own_tangent(*one, level)) return one;
  return nullptr;
}

/// The value that a tensor's own tangent has now.
const Tensor& value_of(const Tangent& own) {
  if (!own.value) throw_unknown_tangent();
  return *own.value;
}

std::shared_ptr<Tensor> make_cell(OpenLevel& level, Tensor value) {
  auto cell = std::make_shared<Tensor>(std::move(value));
  auto& all = level.tangents;
  if (all.size() == all.capacity())
    std::erase_if(all, [](const std::weak_ptr<Tensor>& one) { return one.expired(); });
  all.push_back(cell);
  return cell;
}

void set_own_tangent(TensorImpl& tensor, uint64_t level, Tensor value) {
  OpenLevel* open = find_level(level);
  if (!open) return;
  std::shared_ptr<Tensor> cell = make_cell(*open, std::move(value));
  if (Tangent* own = own_tangent(tensor, level)) {
    own->value = std::move(cell);
    return;
  }
  auto& all = make_tangents(tensor).own;
  std::erase_if(all, [](const Tangent& one) { return !find_level(one.level); });
  all.push_back({level, std::move(cell)});
}

void check_tangent(const Tensor& tensor, const Tensor& tangent) {
  if (!(tangent.sizes() == tensor.sizes()))
    throw TangentError(
        "Trying to set a forward gradient that has a different size than that of the original "
        "Tensor: {} instead of {}",
        to_string(tangent.sizes()), to_string(tensor.sizes()));
  if (tangent.dtype() != tensor.dtype() ||
      tangent.device().of_samples() != tensor.device().of_samples())
    throw TangentError("the tangent is {} on {}, but the tensor is {} on {}",
                       name_of(tangent.dtype()), to_string(tangent.device()),
                       name_of(tensor.dtype()), to_string(tensor.device()));
}

}  // namespace

Tensor tangent_of(const Tensor& tensor, uint64_t level) {
  if (!may_have_tangent(tensor) || !find_level(level)) return {};
  TensorImpl* holder = find_holder(tensor.impl(), level);
  if (!holder) return {};
  const Tensor& value = value_of(*own_tangent(*holder, level));
  if (!value.defined() || holder == &tensor.impl()) return value;
  if (holder->extra()->lost_cells && !covers(holder->geometry(), tensor.impl().geometry()))
    throw TangentError(
        "a view of size {} shows memory that its base, of size {}, does not show any more: its "
        "tangent is not known",
        to_string(tensor.sizes()), to_string(holder->geometry().sizes()));
  return core_operators->gather_window(value, holder->geometry(), tensor.impl().geometry());
}

bool owns_tangent(const Tensor& tensor, uint64_t level) {
  return own_tangent(tensor.impl(), level) != nullptr;
}

void set_tangent(const Tensor& tensor, uint64_t level, Tensor tangent) {
  TensorImpl& impl = tensor.impl();
  if (tangent.defined())
    check_tangent(tensor, tangent);
  else if (!find_holder(impl, level))
    return;
  set_own_tangent(impl, level, std::move(tangent));
}

void set_unknown_tangent(const Tensor& tensor, uint64_t level) {
  auto& all = make_tangents(tensor.impl()).own;
  std::erase_if(all, [level](const Tangent& one) { return one.level == level; });
  all.push_back({level, nullptr});
}

void write_tangent(const Tensor& target, uint64_t level, Tensor tangent) {
  TensorImpl& impl = target.impl();
  TensorImpl* holder = find_holder(impl, level);
  if (!holder) {
    if (!tangent.defined()) return;
    holder = &impl;
    while (TensorImpl* base = tangent_base(*holder)) holder = base;
  }
  if (holder == &impl) return set_tangent(target, level, std::move(tangent));
  const Tangent* own = own_tangent(*holder, level);
  Tensor before = own ? value_of(*own) : Tensor();
  if (!before.defined())
    before =
        zeros(holder->geometry().sizes(), TensorOptions(holder->dtype()).device(holder->device()));
  set_own_tangent(*holder, level,
                  core_operators->replace_window(std::move(before), holder->geometry(),
                                                 impl.geometry(), tangent));
}

namespace {

bool is_seen(const OpenLevel& level) {
  return level.id < thread_state.forward_level_limit && level.id > thread_state.forward_level_floor;
}

}  // namespace

bool sees_a_level() { return std::any_of(open_levels().begin(), open_levels().end(), is_seen); }

std::vector<uint64_t> levels_of_tangents(Operands operands) {
  std::vector<uint64_t> levels;
  for (const OpenLevel& level : open_levels()) {
    if (!is_seen(level)) continue;
    const bool active = operands.any([&](const Tensor& operand) {
      return may_have_tangent(operand) && find_holder(operand.impl(), level.id);
    });
    if (active) levels.push_back(level.id);
  }
  return levels;
}

void share_tangents(TensorImpl& alias, const Tensor& source) {
  TensorImpl* base = &source.impl();
  while (!tangents_of(*base) || tangents_of(*base)->own.empty()) {
    TensorImpl* next = tangent_base(*base);
    if (!next) break;
    base = next;
  }
  Tangents& tangents = make_tangents(alias);
  tangents.base = Ref<TensorImpl>::share(base);
  tangents.family_nr = base->extra() ? base->extra()->family_nr : 0;
}

bool has_hidden_tangent(const Tensor& tensor) {
  if (!may_have_tangent(tensor)) return false;
  return std::any_of(open_levels().begin(), open_levels().end(), [&](const OpenLevel& level) {
    return level.id <= thread_state.forward_level_floor && find_holder(tensor.impl(), level.id);
  });
}

void drop_tangents(TensorImpl& tensor, TensorImpl* stand_in) {
  if (!tangents_of(tensor)) return;
  if (stand_in) make_tangents(*stand_in) = std::move(*tensor.extra()->tangents);
  tensor.extra()->tangents.reset();
  tensor.set(TensorImpl::kTangent, false);
}

Tensor detach_keeping_tangents(const Tensor& tensor) {
  Tensor result = tensor.detach();
  if (thread_state.forward_levels != 0) share_tangents(result.impl(), tensor);
  return result;
}

std::shared_ptr<const std::vector<Tangent>> snapshot_of_tangents(const Tensor& tensor) {
  if (!may_have_tangent(tensor)) return nullptr;
  std::vector<Tangent> snapshot;
  for (OpenLevel& level : open_levels()) {
    TensorImpl* holder = find_holder(tensor.impl(), level.id);
    if (!holder) continue;
    const ForwardLevelLimit below(level.id);
    snapshot.push_back({level.id, holder == &tensor.impl()
                                      ? own_tangent(*holder, level.id)->value
                                      : make_cell(level, tangent_of(tensor, level.id))});
  }
  if (snapshot.empty()) return nullptr;
  return std::make_shared<const std::vector<Tangent>>(std::move(snapshot));
}

void set_tangents(const Tensor& tensor, const std::vector<Tangent>& snapshot) {
  for (const Tangent& tangent : snapshot)
    if (find_level(tangent.level)) make_tangents(tensor.impl()).own.push_back(tangent);
}

}  // namespace notape
