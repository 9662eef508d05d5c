#include "autograd/graph/first_writes.h"

#include <atomic>

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

uint64_t new_run() {
  static constinit std::atomic<uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

constinit thread_local FirstWrites::Scope* FirstWrites::innermost_ = nullptr;

FirstWrites::Scope::Scope(FirstWrites& writes)
    : writes_(&writes), run_(new_run()), outer_(std::exchange(innermost_, this)) {}
FirstWrites::Scope::Scope(const std::function<void()>& before_recorded)
    : before_recorded_(&before_recorded),
      run_(new_run()),
      outer_(std::exchange(innermost_, this)) {}
FirstWrites::Scope::~Scope() { innermost_ = outer_; }

void FirstWrites::note_recorded(const Operation& op, Storage& storage) {
  const uint64_t first = storage.first_recorded_in();
  if (first == 0) storage.set_first_recorded_in(innermost_->run_);
  for (Scope* scope = innermost_; scope; scope = scope->outer_) {
    if (scope->writes_) {
      ++scope->writes_->recorded_;
      continue;
    }
    if (first != 0 && first < scope->run_)
      op.fail<CheckpointMismatch>(
          "a checkpointed function that runs again would write a second time, in place and "
          "recorded, to a tensor that it did not make itself. Do this write outside the "
          "checkpointed function, or let it write to a clone() and return that");
    return (*scope->before_recorded_)();
  }
}

void FirstWrites::note_in_scopes(const Operation& op, const TensorImpl& target, bool is_recorded) {
  const Ref<Storage>& storage = target.storage();
  if (!innermost_ || storage->bytes() == 0) return;
  if (is_recorded) return note_recorded(op, *storage);
  if (target.device().is_batched()) return;
  for (Scope* scope = innermost_; scope && scope->writes_; scope = scope->outer_) {
    FirstWrites& writes = *scope->writes_;
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

FirstWrites::Undone::Undone(Copies now, const std::function<void()>& before_recorded)
    : now_(std::move(now)), scope_(before_recorded) {}

FirstWrites::Undone::Undone(const FirstWrites& writes, const std::function<void()>& before_recorded)
    : Undone(
          [&] {
            Copies now;
            for (const auto& [storage, before] : writes.state_)
              now.emplace_back(&before, copy_of(bytes_of(before.storage.get())));
            return now;
          }(),
          before_recorded) {
  for (const auto& [before, value] : now_) overwrite(before->storage.get(), before->bytes);
}

FirstWrites::Undone::~Undone() {
  for (const auto& [before, value] : now_) overwrite(before->storage.get(), value);
}

}  // namespace notape
