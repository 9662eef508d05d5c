// FirstWrites: what tensors held before a function first wrote to them unrecorded: running
// statistics, counters, a cache. With that a second run can begin where the first began.
//
// A recorded write cannot be undone: it has changed the tensor's history, too. So that no second
// run writes it again, storages remember the first run that has seen one. What a second run makes
// itself is younger than that run; what is older was there before it, and is not its own.
#pragma once
#include <functional>
#include <unordered_map>
#include <vector>

#include "autograd/modes/thread_state.h"
#include "autograd/observer.h"
#include "autograd/tensor/tensor.h"

namespace notape {

/// Keeps a storage and counts as a reader, not as one of its tensors.
class StorageReader {
 public:
  explicit StorageReader(Ref<Storage> storage) : storage_(std::move(storage)) {
    storage_->add_reader();
  }
  StorageReader(StorageReader&&) = default;
  StorageReader& operator=(StorageReader&&) = delete;
  ~StorageReader() { reset(); }

  void reset() {
    if (storage_) storage_->remove_reader();
    storage_.reset();
  }
  /// Null after reset().
  const Ref<Storage>& get() const { return storage_; }

 private:
  Ref<Storage> storage_;
};

class FirstWrites {
  struct Before {
    StorageReader storage;
    Tensor bytes;
  };

 public:
  bool contains(const Storage* storage) const { return state_.contains(storage); }
  /// Forgets what no tensor shows any more: the function's temporaries.
  void forget_dead();
  /// How many writes were recorded.
  std::size_t recorded() const { return recorded_; }

  /// In its scope, a first run, the writes of this thread are noted, in outer scopes, too.
  class Scope {
   public:
    explicit Scope(FirstWrites& writes);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    friend FirstWrites;
    explicit Scope(const std::function<void()>& before_recorded);

    FirstWrites* writes_ = nullptr;                           // of a first run
    const std::function<void()>* before_recorded_ = nullptr;  // of a second one
    const uint64_t run_;  // its number; later ones have larger ones
    Scope* outer_;
  };
  /// In its scope, a second run, all these tensors hold what they held before, then again what they
  /// hold now. Writes are not noted in outer scopes; `before_recorded` is called before each
  /// recorded one. No version changes; no other thread may use the tensors meanwhile.
  class Undone {
   public:
    Undone(const FirstWrites& writes, const std::function<void()>& before_recorded);
    ~Undone();
    Undone(const Undone&) = delete;
    Undone& operator=(const Undone&) = delete;

   private:
    using Copies = std::vector<std::pair<const Before*, Tensor>>;
    Undone(Copies now, const std::function<void()>& before_recorded);

    Copies now_;
    Scope scope_;
  };
  /// `target` is about to be written by `op`. Throws OutOfMemory; CheckpointMismatch if a second
  /// run would record a write to what was there before it. Scopes stand where saved-tensor hooks
  /// do.
  static void note(const Operation& op, const TensorImpl& target, bool is_recorded) {
    if (thread_state.saved_hooks) [[unlikely]]
      note_in_scopes(op, target, is_recorded);
  }

 private:
  static void note_in_scopes(const Operation& op, const TensorImpl& target, bool is_recorded);
  static void note_recorded(const Operation& op, Storage& storage);

  static constinit thread_local Scope* innermost_;

  std::unordered_map<const Storage*, Before> state_;
  std::size_t next_sweep_ = 16;
  std::size_t recorded_ = 0;
};

}  // namespace notape
