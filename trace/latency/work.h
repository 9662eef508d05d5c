// What is measured, written once for every library: `T` is its Tensor. It includes nothing of
// notape, so that a program with LibTorch compiles the same lines (bench/latency).
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace notape::trace {

/// A tensor operation: nothing is recorded. A differentiable one: a node is recorded, and dropped
/// with the result. A backward node: a chain of kChain operations runs backward and is dropped.
enum class WorkClass : uint8_t { Tensor, Differentiable, Backward };

inline constexpr WorkClass kWorkClasses[] = {WorkClass::Tensor, WorkClass::Differentiable,
                                             WorkClass::Backward};
inline constexpr std::string_view kWorkNames[] = {"tensor", "differentiable", "backward"};
inline constexpr std::string_view kWorkOperations[] = {"add", "mul"};
inline constexpr int64_t kChain = 100;

inline constexpr std::string_view name_of(WorkClass work) {
  return kWorkNames[static_cast<std::size_t>(work)];
}

/// Operations that one call of a class makes.
inline constexpr int64_t operations_of(WorkClass work) {
  return work == WorkClass::Backward ? kChain : 1;
}

/// All of one size (n), filled with ones; `g` and `h` require gradients.
template <typename T>
struct WorkOperands {
  T a, b, g, h, gradient;
};

/// What `now` counts (ns, instructions) while `apply(left, right)` runs `calls` times.
template <typename T, typename Apply, typename Now>
int64_t counted_forward(const T& left, const T& right, Apply apply, int64_t calls, Now now) {
  const int64_t begin = now();
  for (int64_t i = 0; i < calls; ++i) const T result = apply(left, right);
  return now() - begin;
}

/// The same of backward, from the end of forward until the graph is gone.
template <typename T, typename Apply, typename Now>
int64_t counted_backward(const WorkOperands<T>& with, Apply apply, int64_t calls, Now now) {
  int64_t counted = 0;
  for (int64_t i = 0; i < calls; ++i) {
    T result = with.g;
    for (int64_t link = 0; link < kChain; ++link) result = apply(result, with.b);
    const int64_t begin = now();
    result.backward(with.gradient);
    result.reset();
    counted += now() - begin;
  }
  return counted;
}

template <typename T, typename Apply, typename Now>
int64_t counted_class(WorkClass work, const WorkOperands<T>& with, Apply apply, int64_t calls,
                      Now now) {
  switch (work) {
    case WorkClass::Tensor:
      return counted_forward(with.a, with.b, apply, calls, now);
    case WorkClass::Differentiable:
      return counted_forward(with.g, with.h, apply, calls, now);
    case WorkClass::Backward:
      return counted_backward(with, apply, calls, now);
  }
  return 0;
}

/// `operation` is one of kWorkOperations.
template <typename T, typename Now>
int64_t counted_work(std::string_view operation, WorkClass work, const WorkOperands<T>& with,
                     int64_t calls, Now now) {
  if (operation == "mul")
    return counted_class(
        work, with, [](const T& a, const T& b) { return a * b; }, calls, now);
  return counted_class(
      work, with, [](const T& a, const T& b) { return a + b; }, calls, now);
}

}  // namespace notape::trace
