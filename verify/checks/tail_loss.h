// What a row declares to be lost of its derivative (ops/spec/known_by_result.h) has to be lost.
#pragma once
#include <optional>

#include "verify/checks/tail_sweep.h"

namespace notape::verify {

/// A sentence about where the row declares a loss that there is not: all inputs with the result
/// that a point has, whose derivatives the operator cannot tell apart, have derivatives so near
/// each other that it could be as good as others. None if there is no such place.
std::optional<std::string> pretended_loss(const Subject& subject,
                                          const std::vector<TailEntry>& entries);

}  // namespace notape::verify
