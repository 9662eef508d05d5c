#include "autograd/graph/first_writes.h"

#include "autograd/tensor/core_operators.h"

namespace notape {
namespace {

Tensor bytes_of(const Ref<Storage>& storage) {
  return Tensor(Ref<TensorImpl>::adopt(
      new TensorImpl(storage, Geometry({static_cast<int64_t>(storage->bytes())}, {1}, 0), kByte)));
}

Tensor copy_of(const Tensor& bytes) { return core_operators->clone(bytes, {1}); }

void overwrite(const Ref<Storage>& storage, const Tensor& value) {
  if (storage->is_pinned()) storage->finish_copies();
  core_operators->copy_into(bytes_of(storage), value);
}

}  // namespace

constinit thread_local FirstWrites::Scope* FirstWrites::innermost_ = nullptr;

FirstWrites::Scope::Scope(FirstWrites& writes)
    : writes_(writes), outer_(std::exchange(innermost_, this)) {}
FirstWrites::Scope::~Scope() { innermost_ = outer_; }

void FirstWrites::note_in_scopes(const TensorImpl& target) {
  const Ref<Storage>& storage = target.storage();
  if (!innermost_ || storage->bytes() == 0 || target.device().is_batched()) return;
  for (Scope* scope = innermost_; scope; scope = scope->outer_) {
    FirstWrites& writes = scope->writes_;
    if (writes.contains(storage.get())) continue;
    if (writes.state_.size() >= writes.next_sweep_) {
      writes.forget_dead();
      writes.next_sweep_ = 16 + 2 * writes.state_.size();
    }
    Tensor bytes = copy_of(bytes_of(storage));
    writes.state_.emplace(storage.get(), Before{StorageReader(storage), std::move(bytes)});
  }
}

void FirstWrites::forget_dead() {
  std::erase_if(state_, [](const auto& one) { return one.second.storage.get()->tensors() == 0; });
}

FirstWrites::Undone::Undone(Copies now)
    : now_(std::move(now)), scope_(std::exchange(innermost_, nullptr)) {}

FirstWrites::Undone::Undone(const FirstWrites& writes)
    : Undone([&] {
        Copies now;
        for (const auto& [storage, before] : writes.state_)
          now.emplace_back(&before, copy_of(bytes_of(before.storage.get())));
        return now;
      }()) {
  for (const auto& [before, value] : now_) overwrite(before->storage.get(), before->bytes);
}

FirstWrites::Undone::~Undone() {
  innermost_ = scope_;
  for (const auto& [before, value] : now_) overwrite(before->storage.get(), value);
}

}  // namespace notape
