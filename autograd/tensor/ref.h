// Ref<T>: an intrusive reference-counted pointer; RefCount: the count inside the object.
// 2019 paper, 5.5: memory is freed exactly when the last reference goes, so counts, not a
// collector.
#pragma once
#include <atomic>
#include <cstdint>
#include <utility>

namespace notape {

/// A count that starts at one. A sole owner gives up its reference without a read-modify-write:
/// nothing else can raise the count of an object to which it has the only reference.
class RefCount {
 public:
  void increment() noexcept { count_.fetch_add(1, std::memory_order_relaxed); }

  /// True if this was the last reference.
  bool decrement() noexcept {
    if (count_.load(std::memory_order_acquire) == 1) return true;
    return decrement_shared();
  }

  /// As decrement(), for objects that also have weak observers (see increment_unless_zero).
  bool decrement_shared() noexcept { return count_.fetch_sub(1, std::memory_order_acq_rel) == 1; }

  /// Takes a reference only while the object is alive; the observer must keep the memory valid.
  bool increment_unless_zero() noexcept {
    uint32_t seen = count_.load(std::memory_order_relaxed);
    while (seen != 0) {
      if (count_.compare_exchange_weak(seen, seen + 1, std::memory_order_acq_rel)) return true;
    }
    return false;
  }

  uint32_t get() const noexcept { return count_.load(std::memory_order_acquire); }

 private:
  std::atomic<uint32_t> count_{1};
};

/// T provides `void retain() noexcept` and `void release() noexcept`.
template <typename T>
class Ref {
 public:
  Ref() noexcept = default;
  Ref(std::nullptr_t) noexcept {}
  Ref(const Ref& other) noexcept : object_(other.object_) {
    if (object_) object_->retain();
  }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  template <typename U>
  requires std::is_convertible_v<U*, T*> Ref(Ref<U> other)
  noexcept : object_(other.leak()) {}
  ~Ref() {
    if (object_) object_->release();
  }
  Ref& operator=(const Ref& other) noexcept {
    Ref(other).swap(*this);
    return *this;
  }
  Ref& operator=(Ref&& other) noexcept {
    Ref(std::move(other)).swap(*this);
    return *this;
  }

  /// Takes over a reference that the caller owns.
  static Ref adopt(T* object) noexcept {
    Ref result;
    result.object_ = object;
    return result;
  }
  /// Adds a reference to an object that somebody else owns.
  static Ref share(T* object) noexcept {
    if (object) object->retain();
    return adopt(object);
  }
  /// Gives the reference away; the caller must adopt it again.
  T* leak() noexcept { return std::exchange(object_, nullptr); }

  void reset() noexcept { Ref().swap(*this); }
  void swap(Ref& other) noexcept { std::swap(object_, other.object_); }
  T* get() const noexcept { return object_; }
  T* operator->() const noexcept { return object_; }
  T& operator*() const noexcept { return *object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }
  friend bool operator==(const Ref& a, const Ref& b) noexcept { return a.object_ == b.object_; }

 private:
  T* object_ = nullptr;
};

}  // namespace notape
