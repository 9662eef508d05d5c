// The executor: runs a program's statements on the library.
#pragma once
#include <optional>

#include "autograd/forward/dual.h"
#include "autograd/tensor/factories.h"
#include "verify/alias/oracle.h"

namespace notape::verify::alias {

/// Faults the campaign plants to see that it would find them. They live here: the library is asked
/// to do something else than the program says.
enum class Fault : uint8_t {
  None,
  NoVersionCheck,  ///< writes to bases happen behind the version counter's back
  StaleViews,      ///< views keep the history they were made with
};

class Executor {
 public:
  /// `oracle` runs the same program.
  Executor(Policy policy, Fault fault, const Oracle& oracle)
      : policy_(policy), fault_(fault), oracle_(oracle) {}
  void reset(Features features = {});

  /// Throws what the library throws. A Gradient leaves its results to be asked for below.
  void run(const Statement& s);

  const Tensor& slot(int i) const { return slots_[at(i)]; }
  Tensor& held(Slot slot) { return slots_[slot]; }
  const TensorList& leaves() const { return leaves_; }
  /// The forward-mode tangent of a tensor; undefined for zero.
  Tensor tangent(const Tensor& x) const;
  /// By the last Gradient: one per leaf, undefined for zero; then one per input_hooks().
  const variable_list& gradients() const { return gradients_; }
  /// The hooks whose tensors were inputs of the last Gradient.
  const std::vector<std::size_t>& input_hooks() const { return input_hooks_; }
  /// What hook h saw during the last Gradient, along direction_value().
  double seen_by(std::size_t h) const { return seen_[h]; }

  // For the kinds of statements.
  void add_leaf(const Tensor& leaf) { leaves_.push_back(leaf); }
  /// With the fault planted: whether `target` is to get the result of the out-of-place form.
  bool writes_unseen(const Tensor& target) const;
  static void write_unseen(Tensor& target, const Tensor& result);
  /// A view as the fault leaves it.
  Tensor kept(Tensor view) const;
  void observe(const Tensor& x, double scale);
  void backward(const Tensor& root, bool retains);
  void grad(const TensorList& roots, bool retains);
  /// The derivative of direction · gradient.
  void grad_of_grad(const Tensor& root, bool retains);

 private:
  void forget_gradients();

  Policy policy_;
  Fault fault_;
  const Oracle& oracle_;
  std::array<Tensor, kSlots> slots_;
  TensorList leaves_;
  variable_list gradients_;
  std::vector<std::size_t> input_hooks_;
  std::array<double, kHooks> seen_{};
  std::size_t hooks_ = 0;
  std::optional<autograd::forward_ad::DualLevelGuard> level_;
};

/// Where element i is, in elements of the storage.
std::size_t place(const Tensor& x, int64_t i);
/// The element at row-major position i.
double element(const Tensor& x, int64_t i);
/// A tensor of these numbers, by row-major position.
template <typename F>
Tensor numbers(IntArrayRef sizes, F number) {
  Tensor result = empty(sizes, kFloat64);
  auto* memory = static_cast<double*>(result.impl().storage()->data());
  for (int i = 0; i < static_cast<int>(result.numel()); ++i) memory[i] = number(i);
  return result;
}

}  // namespace notape::verify::alias
