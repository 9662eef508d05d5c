#include "ops/recurrent/cell.h"

#include "ops/arithmetic.h"
#include "ops/core/autocast.h"
#include "ops/core/composite.h"
#include "ops/core/promotion.h"
#include "ops/linalg.h"
#include "ops/shape.h"

namespace notape {
namespace {

void check_size(const Operation& op, const char* name, const Tensor& tensor, IntArrayRef expected) {
  if (!(tensor.sizes() == expected))
    op.fail<ShapeError>("{} should have size {}, but has {}", name, to_string(expected),
                        to_string(tensor.sizes()));
}

}  // namespace

void check_cell(const Operation& op, const CellKind& kind, const Tensor& input, int64_t input_size,
                const CellState& state, const CellWeights& weights) {
  check_operands(op, {&input, &state.h, &weights.w_ih, &weights.w_hh});
  if (!input.is_floating_point())
    op.fail<DtypeError>("expected floating operands, got {}", name_of(input.dtype()));
  if (state.h.dim() == 0) op.fail<ShapeError>("hx should have dimensions");
  const int64_t hidden = state.h.size(-1);
  const int64_t cell =
      kind.has_cell && state.c.defined() && state.c.dim() > 0 ? state.c.size(-1) : hidden;
  const int64_t rows = kind.gates * cell;
  check_size(op, "w_ih", weights.w_ih, {rows, input_size});
  check_size(op, "w_hh", weights.w_hh, {rows, hidden});
  for (const Tensor* bias : {&weights.b_ih, &weights.b_hh})
    if (bias->defined()) check_size(op, bias == &weights.b_ih ? "b_ih" : "b_hh", *bias, rows);
  if (weights.w_hr.defined()) check_size(op, "w_hr", weights.w_hr, {hidden, cell});
  if (!weights.w_hr.defined() && cell != hidden)
    op.fail<ShapeError>("h and c of hx should have one size, but have {} and {}",
                        to_string(state.h.sizes()), to_string(state.c.sizes()));
  for (const Tensor* other : {&state.h, &state.c, &weights.w_ih, &weights.w_hh, &weights.b_ih,
                              &weights.b_hh, &weights.w_hr})
    if (other->defined()) {
      check_operands(op, {&input, other});
      check_same_type(op, input, *other);
    }
}

Tensor with_state_gates(const Tensor& input_gates, const Tensor& h, const CellWeights& w, At at) {
  if (w.b_hh.defined()) return add(input_gates, linear(h, w.w_hh, w.b_hh, at), 1, at);
  return addmm(input_gates, h, t(w.w_hh, at), 1, 1, at);
}

CellState to_type(const CellState& state, ScalarType type, At at) {
  return {to_type(state.h, type, at), to_type(state.c, type, at)};
}
CellWeights to_type(const CellWeights& w, ScalarType type, At at) {
  return {to_type(w.w_ih, type, at), to_type(w.w_hh, type, at), to_type(w.b_ih, type, at),
          to_type(w.b_hh, type, at), to_type(w.w_hr, type, at)};
}
Tensor to_type(const Tensor& tensor, ScalarType type, At at) {
  return tensor.defined() ? to(tensor, type, at) : tensor;
}

CellState run_cell(const Operation& op, const CellKind& kind, const Tensor& input,
                   const CellState& state, const CellWeights& weights) {
  if (in_autocast(input)) [[unlikely]]
    return autocast_to_low(
        op.at,
        [&](const Tensor& x, const TensorList& t) {
          return run_cell(op, kind, x, {t[0], t[1]}, {t[2], t[3], t[4], t[5], t[6]});
        },
        input,
        TensorList{state.h, state.c, weights.w_ih, weights.w_hh, weights.b_ih, weights.b_hh,
                   weights.w_hr});
  check_operands(op, {&input, &state.h});
  if (input.dim() != 2 || state.h.dim() != 2)
    op.fail<ShapeError>("expected input and hx to be matrices, but they have sizes {} and {}",
                        to_string(input.sizes()), to_string(state.h.sizes()));
  if (kind.has_cell) check_operand(op, state.c);
  check_cell(op, kind, input, input.size(1), state, weights);
  check_size(op, "hx", state.h, {input.size(0), state.h.size(1)});
  if (kind.has_cell) check_size(op, "c of hx", state.c, state.h.sizes());
  const Composite composite(
      {&input, &state.h, &state.c, &weights.w_ih, &weights.w_hh, &weights.b_ih, &weights.b_hh});
  if (is_reduced_floating_point(input.dtype())) {
    const CellState after =
        run_cell(op, kind, to(input, kFloat32, op.at), to_type(state, kFloat32, op.at),
                 to_type(weights, kFloat32, op.at));
    return to_type(after, input.dtype(), op.at);
  }
  return kind.step(linear(input, weights.w_ih, weights.b_ih, op.at), state, weights, op.at);
}

}  // namespace notape
