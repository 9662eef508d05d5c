// A program of the alias campaign: a list of plain statements over numbered tensor slots. It has no
// pointers, and hardly any shapes of its own, so that any statement can be removed: those that then
// make no sense are skipped by everyone in the same way.
//
// A kind of statement is a struct in kinds/, which has everything about it:
//   propose  one that makes sense, or nearly, drawn at random
//   expect   what the rules say about it before it runs
//   apply    what it does to the oracle's cells, derivatives and aliases
//   run      what it asks of the library
//   text     its C++
//   parts    its fields, for whoever takes all kinds alike
//   simpler  if it is so, other ones that a failing program may do with
// A new kind is that, its name in Kind, and its chances in generator.cpp.
#pragma once
#include <variant>

#include "verify/alias/kinds/binary.h"
#include "verify/alias/kinds/call.h"
#include "verify/alias/kinds/cat.h"
#include "verify/alias/kinds/detach.h"
#include "verify/alias/kinds/drop.h"
#include "verify/alias/kinds/dual.h"
#include "verify/alias/kinds/gradient.h"
#include "verify/alias/kinds/hook.h"
#include "verify/alias/kinds/make.h"
#include "verify/alias/kinds/matmul.h"
#include "verify/alias/kinds/put.h"
#include "verify/alias/kinds/put_at.h"
#include "verify/alias/kinds/raw_write.h"
#include "verify/alias/kinds/set_data.h"
#include "verify/alias/kinds/sum.h"
#include "verify/alias/kinds/take.h"
#include "verify/alias/kinds/unary.h"
#include "verify/alias/kinds/view.h"

namespace notape::verify::alias {

using Kind = std::variant<Make, Unary, Binary, View, Matmul, Sum, Cat, Take, Put, PutAt, Detach,
                          SetData, Call, Hook, Dual, RawWrite, Drop, Gradient>;

struct Statement {
  Kind what = Drop{};
  bool no_grad = false;  ///< inside a NoGradGuard

  Parts parts() {
    return std::visit([](auto& kind) { return kind.parts(); }, what);
  }
  /// Where its result goes, or kNoSlot.
  Slot out() const;
  /// Operands as in Parts, kNoSlot where there are fewer than two.
  std::array<Slot, 2> operands() const;
  bool writes() const;
  template <typename K>
  const K* as() const {
    return std::get_if<K>(&what);
  }
  bool operator==(const Statement&) const = default;
};

using Program = std::vector<Statement>;

Features features_of(const Program& program);

}  // namespace notape::verify::alias
