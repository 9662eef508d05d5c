// Elementwise operations of two tensors that broadcast, in place or not.
#pragma once
#include "verify/alias/kinds/kind.h"
#include "verify/alias/operations.h"

namespace notape::verify::alias {

/// out = op(a, b, alpha), or a.op_(b, alpha)
struct Binary {
  Slot out = kNoSlot, a = kNoSlot, b = kNoSlot;
  uint8_t op = 0;  ///< in binary_ops()
  int8_t alpha = 0;
  bool in_place = false;

  static Binary propose(Draws& draws, Slot a) {
    Binary one{.a = a};
    draw_op(draws, one);
    one.out = draws.slot_for_result();
    return one;
  }

  static Binary propose_in_place(Draws& draws, Slot) {
    Binary one{.a = draws.slot_to_write(), .in_place = true};
    draw_op(draws, one);
    return one;
  }

  Expectation expect(const Oracle& oracle, bool no_grad) const {
    const BinaryOp& op = binary_ops()[this->op];
    if (!oracle.is_defined(b) || !oracle.affordable(bits_of(*this, oracle))) return kSkip;
    const Alias &x = oracle.alias(a), &y = oracle.alias(b);
    Window shape;
    if (!broadcast(x.window, y.window, shape)) return kSkip;
    if (!in_place) return op.call ? oracle.expect_read(out, a, b, no_grad) : kSkip;
    if (!op.call && a == b) return kSkip;  // x.copy_(x) is no write
    if (!shape.same_shape(x.window)) return kSkip;
    return oracle.expect_write(x, &y, op.multiplies, no_grad);
  }

  void apply(Oracle& oracle, bool no_grad) const {
    const Alias x = oracle.alias(a), y = oracle.alias(b);
    const bool records =
        !no_grad && ((in_place ? oracle.needs(x) : oracle.says(x)) || oracle.says(y));
    Window shape;
    broadcast(x.window, y.window, shape);
    const Elements elements = computed(*this, oracle, shape, no_grad);
    oracle.grow_by(bits_of(*this, oracle));
    if (records && binary_ops()[op].saves == Saves::Input) {
      if (!in_place) oracle.save(x, Oracle::When::Before);
      oracle.save(y, Oracle::When::Before);
    }
    oracle.family_of(x).used = oracle.family_of(y).used = true;
    if (in_place) return oracle.write(x, elements, records, !no_grad);
    oracle.set(out, oracle.make_fresh(shape, records, elements, &x, &y));
  }

  void run(Executor& executor) const {
    const BinaryOp& op = binary_ops()[this->op];
    Tensor& x = executor.held(a);
    const Tensor& y = executor.held(b);
    if (!in_place)
      executor.held(out) = op.call(x, y, alpha);
    else if (op.call && executor.writes_unseen(x))
      Executor::write_unseen(x, op.call(x, y, alpha));
    else
      op.write(x, y, alpha);
  }

  std::string text() const {
    const BinaryOp& op = binary_ops()[this->op];
    return fmt::format("{}t{}.{}{}(t{}{});", in_place ? "" : fmt::format("t{} = ", out), a, op.name,
                       in_place ? "_" : "", b, op.takes_number ? fmt::format(", {}", alpha) : "");
  }

  Parts parts() { return {&out, {&a, &b}, {}, {&alpha}}; }
  bool writes() const { return in_place; }
  bool operator==(const Binary&) const = default;

 private:
  static void draw_op(Draws& draws, Binary& one) {
    one.b = draws.partner_of(one.a);
    one.op = draws.row_of(binary_ops());
    one.alpha = small(binary_ops()[one.op].takes_number ? 1 + draws.below(2) : 0);
  }

  static double bits_of(const Binary& one, const Oracle& oracle) {
    return binary_ops()[one.op].multiplies ? oracle.bits_of_product(one.a, one.b) : 1;
  }

  static Elements computed(const Binary& one, const Oracle& oracle, const Window& shape,
                           bool no_grad) {
    const BinaryOp& op = binary_ops()[one.op];
    const Alias &a = oracle.alias(one.a), &b = oracle.alias(one.b);
    const Cells x = oracle.read(a, !no_grad,
                                one.in_place ? Oracle::As::Target : Oracle::As::Operand),
                y = oracle.read(b, !no_grad);
    const bool same = a.window.same_shape(b.window);
    const bool bends = op.multiplies && oracle.features().curves();
    const double k = one.alpha;
    Elements elements;
    const int numel = shape.numel();
    for (int n = 0; n < numel; ++n) {
      const auto i = at(same ? n : broadcast_position(shape, a.window, n));
      const auto j = at(same ? n : broadcast_position(shape, b.window, n));
      Element& result = elements[at(n)];
      const double left = x.value[i], right = y.value[j];
      result.value = op.value(left, right, k);
      oracle.add_slope(result, x, i, op.slope_x(left, right, k), bends ? y.along[j] : 0);
      oracle.add_slope(result, y, j, op.slope_y(left, right, k), bends ? x.along[i] : 0);
    }
    return elements;
  }
};

}  // namespace notape::verify::alias
