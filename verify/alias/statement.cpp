#include "verify/alias/statement.h"

namespace notape::verify::alias {

Slot Statement::out() const {
  Statement copy = *this;
  const Parts parts = copy.parts();
  return parts.out ? *parts.out : kNoSlot;
}

std::array<Slot, 2> Statement::operands() const {
  Statement copy = *this;
  const auto [a, b] = copy.parts().operands;
  return {a ? *a : kNoSlot, b ? *b : kNoSlot};
}

bool Statement::writes() const {
  return std::visit(
      [](const auto& kind) {
        if constexpr (requires { kind.writes(); }) return kind.writes();
        return false;
      },
      what);
}

Features features_of(const Program& program) {
  Features result;
  for (const Statement& s : program)
    std::visit(
        [&](const auto& kind) {
          if constexpr (requires { kind.need(result); }) kind.need(result);
        },
        s.what);
  return result;
}

}  // namespace notape::verify::alias
