// What a user function's call does about the tangents of its arguments.
#pragma once
#include "autograd/function.h"

namespace notape::autograd {

/// The levels on which an argument has a tangent, ascending.
std::vector<uint64_t> levels_of(const std::vector<FunctionArgument>& arguments);
/// Throws ForwardNotImplemented if an argument has a tangent.
void refuse_duals(const FunctionVTable& function, const std::vector<FunctionArgument>& arguments);

/// Forward runs without tangents: what it computes from dual arguments has lost its own, and a
/// backward that needs it must not be silently wrong while the level is open.
class LostTangents {
 public:
  /// `needs_gradient`: of each tensor argument, before the call.
  /// `call`: the number of the forward.
  LostTangents(const std::vector<FunctionArgument>& arguments,
               const std::vector<bool>& needs_gradient, uint32_t call);
  /// To be called with every saved value that is no output.
  void mark(SavedVariable& saved, const Tensor& value) const;
  /// The same for values that are kept without a graph, for jvp alone.
  void mark(Tensor& value) const;

 private:
  bool has_lost(const Tensor& value) const;
  Tensor without_tangents(const Tensor& value) const;

  const std::vector<FunctionArgument>& arguments_;
  uint32_t call_;
  std::vector<uint64_t> levels_;
  bool unmarked_ = false;  // an argument has a tangent and needs no gradient
};

}  // namespace notape::autograd
