// What an LSTM does entry by entry: with i, f, o = sigmoid and g = tanh of the four parts of z,
// c' = f c + i g, t = tanh(c') and h' = o t.
#pragma once
#include <array>

#include "ops/core/kernel_slot.h"
#include "ops/recurrent/cell.h"

namespace notape {

/// h' and c' of z (N, 4 H), in the order i, f, g, o, and c (N, H). Derivatives of every order.
CellState through_lstm_gates(const Tensor& z, const Tensor& c, At at);

/// h', c' and what derivatives are made of, i, f, g, o, t side by side, (N, 5 H).
using LstmResults = std::array<Tensor, 3>;
/// All row-major and of one floating type.
using LstmGatesKernel =
    Kernel<void(const Operation&, const LstmResults& out, const Tensor& z, const Tensor& c)>;
extern LstmGatesKernel lstm_gates_kernel;
/// The gradients of z and of c, each where it is defined, from those of h' and c', which on a GPU
/// may be undefined: zero.
using LstmGatesGradientKernel =
    Kernel<void(const Operation&, const Tensor& of_z, const Tensor& of_c, const Tensor& grad_h,
                const Tensor& grad_c, const Tensor& c, const Tensor& gates)>;
extern LstmGatesGradientKernel lstm_gates_gradient_kernel;

}  // namespace notape
