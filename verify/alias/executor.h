// The executor: runs a program's statements on the library.
#pragma once
#include <optional>

#include "autograd/forward/dual.h"
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
  Executor(Policy policy, Fault fault) : policy_(policy), fault_(fault) {}
  void reset(Features features = {});

  /// Throws what the library throws. Backward, Grad and GradGrad leave their results to be asked
  /// for below.
  void run(const Statement& s, const Oracle& oracle);

  const Tensor& slot(int i) const { return slots_[static_cast<std::size_t>(i)]; }
  const TensorList& leaves() const { return leaves_; }
  /// The forward-mode tangent of a tensor; undefined for zero.
  Tensor tangent(const Tensor& x) const;
  /// By the last Grad or GradGrad: one per leaf, undefined for zero; then one per input_hooks().
  const variable_list& gradients() const { return gradients_; }
  /// The hooks whose tensors were inputs of the last Grad.
  const std::vector<std::size_t>& input_hooks() const { return input_hooks_; }
  /// What hook h saw during the last Backward or Grad, along direction_value().
  double seen_by(std::size_t h) const { return seen_[h]; }

 private:
  void run_view(const Statement& s);
  void run_function(const Statement& s);
  void run_gradient(const Statement& s, const Oracle& oracle);
  void run_second_gradient(const Statement& s);
  void run_raw_write(const Statement& s);
  bool write_unseen(const Statement& s);
  Tensor& at(uint8_t slot) { return slots_[slot]; }

  Policy policy_;
  Fault fault_;
  std::array<Tensor, kSlots> slots_;
  TensorList leaves_;
  variable_list gradients_;
  std::vector<std::size_t> input_hooks_;
  std::array<double, kHooks> seen_{};
  std::size_t hooks_ = 0;
  std::optional<autograd::forward_ad::DualLevelGuard> level_;
};

/// The element at row-major position i.
double element(const Tensor& x, int64_t i);

}  // namespace notape::verify::alias
