// Observer: sees operators and backward nodes begin and end, and where backward runs begin. Off, it
// costs one load and one test per operator; trace/ implements it.
#pragma once
#include <atomic>

#include "autograd/error.h"

namespace notape {

class Node;
class Tensor;

class Observer {
 public:
  virtual ~Observer() = default;
  /// `sequence_nr` is the number the next recorded node of this thread will get. Must not throw.
  virtual void operator_begin(const char* name, uint64_t sequence_nr) noexcept = 0;
  virtual void operator_end(const char* name, uint64_t sequence_nr) noexcept = 0;
  virtual void node_begin(const Node& node) noexcept = 0;
  virtual void node_end(const Node& node) noexcept = 0;
  /// The tensors that the innermost operator of this thread was called with, while it runs; some
  /// may be undefined. If called again, the first call counts. Called where ThreadState::watched
  /// has kObserved, which operator_begin() may set.
  virtual void operands(const Tensor* const* /*tensors*/, std::size_t /*count*/) noexcept {}
  /// backward() or grad() was called with these tensors; neither saved values have been checked nor
  /// nodes run.
  virtual void backward_begin(const Tensor* /*roots*/, std::size_t /*count*/) noexcept {}
};

extern std::atomic<Observer*> active_observer;

/// Installs an observer for the whole process (nullptr: none) and returns the one before. The
/// caller keeps it alive until no operator that saw it can still be running.
Observer* set_observer(Observer* observer) noexcept;

/// Stands at the top of every public operator: its name and the user's line, for errors, nodes and
/// observers.
class Operation {
 public:
  Operation(const char* operator_name, const SourceLocation& where)
      : name(operator_name), at(where), observer_(active_observer.load(std::memory_order_relaxed)) {
    if (observer_) [[unlikely]]
      begin();
  }
  ~Operation() {
    if (observer_) [[unlikely]]
      end();
  }
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  /// Throws E with "name: message (at file.cpp:12)".
  template <typename E, typename... Parts>
  [[noreturn, gnu::noinline, gnu::cold]] void fail(std::string_view pattern,
                                                   const Parts&... parts) const {
    throw E("{}: {}{}", name, format_message(pattern, {MessagePart(parts)...}), in_brackets(at));
  }

  const char* const name;
  const SourceLocation at;

 private:
  void begin() noexcept;
  void end() noexcept;
  static std::string in_brackets(const SourceLocation& at);

  Observer* observer_;
  uint64_t sequence_nr_ = 0;
};

}  // namespace notape
