// Derivatives of functions (LibTorch's torch.autograd.functional). A function maps a list of
// tensors to a list; inputs are detached first and become fresh leaves, so no `.grad` and no flag
// of the caller changes. With `create_graph`, results can be differentiated further, also with
// respect to the caller's tensors.
#pragma once
#include <functional>

#include "autograd/tensor/tensor.h"

namespace notape::autograd::functional {

using ListFunction = std::function<variable_list(const variable_list&)>;
using TensorFunction = std::function<Tensor(const Tensor&)>;

enum class Strategy : uint8_t {
  Reverse,  ///< one backward per output element
  Forward,  ///< one dual number per input element
};

struct Options {
  bool create_graph = false;
  /// An output that does not depend on an input is an error (UnusedInput) instead of zeros.
  bool strict = false;
  Strategy strategy = Strategy::Reverse;
  /// jacobian, hessian: all rows (columns) in one backward (one call of f) under vmap, instead of
  /// one after the other. Throws BatchingNotImplemented for operators without a batching rule.
  bool vectorize = false;
};

struct Product {
  variable_list outputs, product;
};
struct TensorProduct {
  Tensor output, product;
};

/// v^T J: one product per input. `v` has the outputs' shapes; left out for a one-element output.
Product vjp(const ListFunction& f, const variable_list& inputs, const variable_list& v = {},
            const Options& options = {});
TensorProduct vjp(const TensorFunction& f, const Tensor& input, const Tensor& v = {},
                  const Options& options = {});

/// J v by forward mode: one product per output. `v` has the inputs' shapes.
Product jvp(const ListFunction& f, const variable_list& inputs, const variable_list& v,
            const Options& options = {});
TensorProduct jvp(const TensorFunction& f, const Tensor& input, const Tensor& v,
                  const Options& options = {});

/// [output][input], each of the output's shape followed by the input's.
std::vector<variable_list> jacobian(const ListFunction& f, const variable_list& inputs,
                                    const Options& options = {});
Tensor jacobian(const TensorFunction& f, const Tensor& input, const Options& options = {});

/// Second derivatives of a one-element output: [i][j], of input i's shape followed by input j's.
std::vector<variable_list> hessian(const ListFunction& f, const variable_list& inputs,
                                   const Options& options = {});
Tensor hessian(const TensorFunction& f, const Tensor& input, const Options& options = {});

/// H v, forward over reverse. f has a one-element output.
Product hvp(const ListFunction& f, const variable_list& inputs, const variable_list& v,
            const Options& options = {});
TensorProduct hvp(const TensorFunction& f, const Tensor& input, const Tensor& v,
                  const Options& options = {});
/// v^T H, reverse over reverse.
Product vhp(const ListFunction& f, const variable_list& inputs, const variable_list& v,
            const Options& options = {});
TensorProduct vhp(const TensorFunction& f, const Tensor& input, const Tensor& v,
                  const Options& options = {});

}  // namespace notape::autograd::functional
