// backward() and grad(): the two ways to ask for gradients (2017 paper, 2 "Interface").
#pragma once
#include <optional>

#include "autograd/tensor/tensor.h"

namespace notape::autograd {

/// Accumulates gradients of `tensors` into the `.grad` of every reachable leaf that requires grad,
/// or, with non-empty `inputs`, into exactly those (interior ones too).
/// `grad_tensors`: one per root, of the root's shape; undefined means ones, for one-element roots.
/// `retain_graph` defaults to `create_graph`; without it saved values are freed as the run goes.
/// Throws NothingRequiresGrad, ImplicitGradient, GradientCount, GraphFreed, SavedTensorModified
/// (all before anything changes), InvalidGradient, HookError, and what user code throws.
void backward(const variable_list& tensors, const variable_list& grad_tensors = {},
              std::optional<bool> retain_graph = {}, bool create_graph = false,
              const variable_list& inputs = {}, SourceLocation at = SourceLocation::current());

/// One gradient of the summed `outputs` per input. Touches no leaf's `.grad` and runs only nodes
/// between outputs and inputs. Throws as backward() does, and EmptyInputs, InputNotDifferentiable,
/// and UnusedInput (unless `allow_unused`, which gives an undefined tensor).
variable_list grad(const variable_list& outputs, const variable_list& inputs,
                   const variable_list& grad_outputs = {}, std::optional<bool> retain_graph = {},
                   bool create_graph = false, bool allow_unused = false,
                   SourceLocation at = SourceLocation::current());

}  // namespace notape::autograd
