// FunctionRow: any function at given inputs as a row that checks can run on. Arguments are the
// inputs that require grad; the others stay as they are.
#pragma once
#include "verify/gradcheck.h"

namespace notape::verify {

class FunctionRow {
 public:
  /// Throws ValueError if no input requires grad, or inputs of several dtypes do.
  FunctionRow(TensorFunction f, const variable_list& inputs, CheckOptions options,
              std::source_location at = {});
  FunctionRow(const FunctionRow&) = delete;  // the row points into it
  FunctionRow& operator=(const FunctionRow&) = delete;

  const OpSpec& spec() const { return spec_; }
  ScalarType dtype() const { return dtype_; }
  Device device() const { return device_; }

 private:
  OpCase one_case() const;
  /// Whether f gives numbers where every input is at the nearer end of its domain.
  bool is_finite_at_ends() const;
  void grow_constants(variable_list& constants,
                      const std::vector<std::vector<int64_t>>& sizes) const;
  /// What call() puts beside arguments of these sizes.
  variable_list constants_beside(const std::vector<std::vector<int64_t>>& sizes,
                                 ScalarType dtype) const;
  /// The reference as a function of the arguments; it is written for all inputs.
  Reference reference_of_arguments() const;
  Tensor call(const variable_list& x) const;
  variable_list inputs_around(const variable_list& x) const;
  /// What the surrogate makes of the arguments; it is written for all inputs.
  variable_list surrogate(const variable_list& x, const Tensor& incoming) const;

  TensorFunction f_;
  CheckOptions options_;
  variable_list constants_;          // undefined where an argument goes
  std::vector<std::size_t> active_;  // where arguments go
  std::vector<Argument> arguments_;
  ScalarType dtype_ = kFloat64;
  Device device_ = {};
  OpSpec spec_;
};

}  // namespace notape::verify
