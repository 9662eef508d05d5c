// HookList: hooks that users can take out again, in order of registration.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "autograd/error.h"

namespace notape {

/// A handle that stands for hooks in several places sets it, and they are gone.
using HookRemoved = std::shared_ptr<const std::atomic<bool>>;

/// Takes up at most twice as much memory as there are hooks, however many there have been. Each has
/// a number that no other one gets: removing a hook a second time does nothing to those registered
/// meanwhile.
template <typename Hook>
class HookList {
 public:
  struct Entry {
    uint32_t number;
    Hook hook;
    HookRemoved removed;  // null: by its number alone
  };

  /// Its number. Throws HookError once there have been 2^32 of them. What a handle has removed goes
  /// to `garbage`, which is better destroyed without a lock.
  uint32_t add(Hook hook, HookRemoved removed, std::vector<Entry>& garbage) {
    if (next_ == UINT32_MAX) throw HookError("too many hooks have been registered here");
    if (has_handles_) take_out_removed(garbage);
    has_handles_ |= removed != nullptr;
    entries_.push_back({next_, std::move(hook), std::move(removed)});
    return next_++;
  }

  /// Takes the hook out; an empty one if it has been before. Throws HookError if there never was
  /// one.
  Hook remove(uint32_t number) {
    if (number >= next_) throw HookError("Invalid index, no hook at position {}", number);
    const auto at = place_of(number);
    if (at == entries_.end()) return {};
    Hook hook = std::exchange(at->hook, Hook());
    const auto is_empty = [](const Entry& entry) { return !entry.hook; };
    while (!entries_.empty() && is_empty(entries_.back())) entries_.pop_back();
    // To move all that follow each time would take quadratic time to remove many.
    if (2 * ++empty_ > entries_.size()) {
      std::erase_if(entries_, is_empty);
      empty_ = 0;
    }
    return hook;
  }

  /// An empty one if there is none any more.
  Hook find(uint32_t number) const {
    const auto at = const_cast<HookList*>(this)->place_of(number);
    return at == entries_.end() ? Hook() : at->hook;
  }

  /// Some may be empty.
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  void take_out_removed(std::vector<Entry>& garbage) {
    const auto gone =
        std::stable_partition(entries_.begin(), entries_.end(),
                              [](const Entry& entry) { return !entry.removed || !*entry.removed; });
    garbage.assign(std::move_iterator(gone), std::move_iterator(entries_.end()));
    entries_.erase(gone, entries_.end());
    has_handles_ = std::any_of(entries_.begin(), entries_.end(),
                               [](const Entry& entry) { return entry.removed != nullptr; });
  }

  typename std::vector<Entry>::iterator place_of(uint32_t number) {
    if (number < entries_.size() && entries_[number].number == number)  // none has been taken out
      return entries_.begin() + number;
    const auto at =
        std::lower_bound(entries_.begin(), entries_.end(), number,
                         [](const Entry& entry, uint32_t wanted) { return entry.number < wanted; });
    return at != entries_.end() && at->number == number ? at : entries_.end();
  }

  std::vector<Entry> entries_;  // by number
  std::size_t empty_ = 0;       // at most so many removed ones wait among them
  uint32_t next_ = 0;
  bool has_handles_ = false;
};

}  // namespace notape
