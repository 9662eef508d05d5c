// KnownByResult: what a row declares whose operator saves its rounded result instead of its input.
// Its derivative is then known only as well as the result tells it, and where the operator
// saturates that is less than a number of the type could hold. Everywhere else, and for every other
// row, verify/ asks for a few units in the last place.
#pragma once
#include <string_view>

#include "ops/spec/reference.h"

namespace notape {

struct KnownByResult {
  std::string_view row;
  /// The slope as the result y tells it, a smooth function. What a last place of y is worth there
  /// is what may be lost.
  Wide (*slope)(Wide y);
  /// Why the result is saved, and where it tells too little: a part of a sentence.
  const char* reason;
};

/// How far a last place of y, of size `place`, moves the derivative of this order: 1 or more.
Wide loss_of(const KnownByResult& known, int order, Wide y, Wide place);

/// What the row of this name declares; null if its derivative is known everywhere.
const KnownByResult* known_by_result(std::string_view row);

/// Declares it, at namespace scope beside the row.
class RegisterKnownByResult {
 public:
  RegisterKnownByResult(KnownByResult declared);
  RegisterKnownByResult(const RegisterKnownByResult&) = delete;
  RegisterKnownByResult& operator=(const RegisterKnownByResult&) = delete;

 private:
  KnownByResult declared_;
};

}  // namespace notape
