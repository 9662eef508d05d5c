// What the programs that a failure prints are written in: include this, link the library.
#pragma once
#include <iostream>

#include "notape/notape.h"
#include "verify/alias/keeping_functions.h"
#include "verify/alias/patterns.h"

namespace notape::verify::alias {

inline Tensor make(const std::vector<int64_t>& sizes, const std::vector<double>& values) {
  return tensor(values, kFloat64).reshape(sizes).clone().detach();
}
template <typename F>
Tensor numbers_like(const Tensor& x, F number) {
  std::vector<double> values;
  for (int i = 0; i < static_cast<int>(x.numel()); ++i) values.push_back(number(i));
  return make(x.sizes().vec(), values);
}
/// The incoming gradient of every backward pass.
inline Tensor weights(const Tensor& x) { return numbers_like(x, weight_value); }
inline Tensor pattern(const Tensor& x, int p) {
  return numbers_like(x, [p](int i) { return pattern_value(p, i); });
}
inline Tensor above(const Tensor& x, double k) { return x.data() > k; }
/// Writes a pattern where x's first element lies at `memory`.
inline void put(void* memory, const Tensor& x, int p) {
  for (int64_t i = 0; i < x.numel(); ++i) {
    int64_t at = 0, rest = i;
    for (int64_t d = x.dim(); d-- > 0; rest /= x.size(d)) at += rest % x.size(d) * x.stride(d);
    static_cast<double*>(memory)[at] = pattern_value(p, static_cast<int>(i));
  }
}

inline variable_list grad(const TensorList& roots, const TensorList& inputs, bool retain) {
  TensorList incoming;
  for (const Tensor& root : roots) incoming.push_back(weights(root));
  return autograd::grad(roots, inputs, incoming, retain, false, true);
}
/// The gradient of direction · (gradient of root).
inline variable_list second_grad(const Tensor& root, const TensorList& inputs, bool retain) {
  const variable_list first = autograd::grad({root}, inputs, {weights(root)}, true, true, true);
  TensorList roots, directions;
  int column = 0;
  for (std::size_t l = 0; l < first.size(); column += static_cast<int>(inputs[l++].numel())) {
    if (!first[l].defined() || !first[l].requires_grad()) continue;
    roots.push_back(first[l]);
    directions.push_back(
        numbers_like(first[l], [column](int i) { return direction_value(column + i); }));
  }
  if (roots.empty()) return {};
  return autograd::grad(roots, inputs, directions, retain, false, true);
}

inline void show(const variable_list& tensors) {
  for (const Tensor& one : tensors) {
    if (!one.defined()) {
      std::cout << "undefined\n";
      continue;
    }
    std::cout << one << "\n";
    if (thread_state.forward_levels == 0) continue;
    const Tensor tangent = autograd::forward_ad::unpack_dual(one).tangent;
    if (tangent.defined()) std::cout << "with tangent " << tangent << "\n";
  }
}

}  // namespace notape::verify::alias
