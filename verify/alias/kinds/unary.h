// Elementwise operations of one tensor, in place or not.
#pragma once
#include <cmath>

#include "verify/alias/kinds/kind.h"
#include "verify/alias/operations.h"

namespace notape::verify::alias {

/// out = op(a, number), or a.op_(number)
struct Unary {
  Slot out = kNoSlot, a = kNoSlot;
  uint8_t op = 0;  ///< in unary_ops()
  int8_t number = 0;
  bool in_place = false;

  static Unary propose(Draws& draws, Slot a) {
    Unary one{.a = a};
    draw_op(draws, one);
    one.out = draws.slot_for_result();
    return one;
  }

  static Unary propose_in_place(Draws& draws, Slot) {
    Unary one{.a = draws.slot_to_write(), .in_place = true};
    draw_op(draws, one);
    return one;
  }

  Expectation expect(const Oracle& oracle, bool no_grad) const {
    const UnaryOp& op = unary_ops()[this->op];
    if (!(in_place ? op.write != nullptr : op.call != nullptr) || !is_affordable(*this, oracle))
      return kSkip;
    if (!in_place) return oracle.expect_read(out, a, no_grad);
    return oracle.expect_write(oracle.alias(a), nullptr, op.saves == Saves::Input, no_grad);
  }

  void apply(Oracle& oracle, bool no_grad) const {
    const Alias x = oracle.alias(a);
    const UnaryOp& op = unary_ops()[this->op];
    // A cut view as target is refused: expect_write().
    const bool records = !no_grad && (in_place ? oracle.needs(x) : oracle.says(x));
    const bool keeps_input = op.saves == Saves::Input;
    const bool keeps_output = op.saves == Saves::Output;
    const Elements elements = computed(*this, oracle, x, no_grad);
    oracle.grow_by(bits_of(*this, oracle));
    if (records && keeps_input && !in_place) oracle.save(x, Oracle::When::Before);
    oracle.family_of(x).used = true;
    if (in_place)
      oracle.write(x, elements, records, !no_grad);
    else
      oracle.set(out, oracle.make_fresh(x.window, records, elements, &x));
    if (records && keeps_output) oracle.save(in_place ? x : oracle.alias(out), Oracle::When::After);
  }

  void run(Executor& executor) const {
    const UnaryOp& op = unary_ops()[this->op];
    Tensor& x = executor.held(a);
    if (!in_place)
      executor.held(out) = op.call(x, number);
    else if (op.call && executor.writes_unseen(x))
      Executor::write_unseen(x, op.call(x, number));
    else
      op.write(x, number);
  }

  std::string text() const {
    const UnaryOp& op = unary_ops()[this->op];
    const std::string x = fmt::format("t{}", a);
    return fmt::format("{}{}.{}{}({});", in_place ? "" : fmt::format("t{} = ", out), x, op.name,
                       in_place ? "_" : "",
                       op.takes_number ? fmt::format(fmt::runtime(op.text), x, number) : "");
  }

  Parts parts() { return {&out, {&a}, {}, {&number}}; }
  bool writes() const { return in_place; }
  bool operator==(const Unary&) const = default;

 private:
  // In unary_ops().
  static constexpr uint8_t kMul = 2, kDiv = 3;
  static constexpr double kLargestArgument = 4;

  static void draw_op(Draws& draws, Unary& one) {
    one.op = draws.row_of(unary_ops());
    if (unary_ops()[one.op].real_only && draws.oracle().field() == Field::Exact) one.op = kMul;
    if (unary_ops()[one.op].takes_number)
      one.number = one.op == kDiv ? 2 : small(draws.below(5) - 1);
  }

  static double bits_of(const Unary& one, const Oracle& oracle) {
    const UnaryOp& op = unary_ops()[one.op];
    return op.grows_by_square ? std::log2(oracle.largest(oracle.alias(one.a))) + 1
           : op.takes_number  ? std::log2(std::abs(one.number) + 1)
                              : 0;
  }

  static bool is_affordable(const Unary& one, const Oracle& oracle) {
    const UnaryOp& op = unary_ops()[one.op];
    if (!std::isfinite(op.slope(1, 1, one.number))) return false;  // x / 0
    if (oracle.field() == Field::Real && op.real_only &&
        oracle.largest(oracle.alias(one.a)) > kLargestArgument)
      return false;
    return oracle.affordable(bits_of(one, oracle));
  }

  static Elements computed(const Unary& one, const Oracle& oracle, const Alias& a, bool no_grad) {
    const UnaryOp& op = unary_ops()[one.op];
    const bool curves = oracle.features().curves();
    const Cells x =
        oracle.read(a, !no_grad, one.in_place ? Oracle::As::Target : Oracle::As::Operand);
    const double k = one.number;
    Elements elements;
    for (std::size_t i = 0; i < at(a.numel); ++i) {
      Element& result = elements[i];
      result.value = op.value(x.value[i], k);
      if (op.forgets) continue;
      oracle.add_slope(result, x, i, op.slope(x.value[i], result.value, k),
                       curves ? op.bend(x.value[i], result.value, k) * x.along[i] : 0);
    }
    return elements;
  }
};

}  // namespace notape::verify::alias
