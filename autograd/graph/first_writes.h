// FirstWrites: what tensors held before a function first wrote to them unrecorded: running
// statistics, counters, a cache. With that a second run can begin where the first began.
#pragma once
#include <unordered_map>
#include <vector>

#include "autograd/modes/thread_state.h"
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

  /// In its scope the writes of this thread are noted, in outer scopes, too.
  class Scope {
   public:
    explicit Scope(FirstWrites& writes);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    friend FirstWrites;
    FirstWrites& writes_;
    Scope* outer_;
  };
  /// In its scope all these tensors hold what they held before, then again what they hold now.
  /// Writes are not noted. No version changes; no other thread may use the tensors meanwhile.
  class Undone {
   public:
    explicit Undone(const FirstWrites& writes);
    ~Undone();
    Undone(const Undone&) = delete;
    Undone& operator=(const Undone&) = delete;

   private:
    using Copies = std::vector<std::pair<const Before*, Tensor>>;
    explicit Undone(Copies now);

    Copies now_;
    Scope* scope_;
  };
  /// `target` is about to be written. Throws OutOfMemory. Scopes stand where saved-tensor hooks do.
  static void note(const TensorImpl& target) {
    if (thread_state.saved_hooks) [[unlikely]]
      note_in_scopes(target);
  }

 private:
  static void note_in_scopes(const TensorImpl& target);

  static constinit thread_local Scope* innermost_;

  std::unordered_map<const Storage*, Before> state_;
  std::size_t next_sweep_ = 16;
};

}  // namespace notape
