// Products of attention in which a mask hides pairs: what is hidden is not read, so that NaN there
// reaches nothing. Each is bilinear, and their derivatives are these two again, to every order.
#pragma once
#include "ops/at.h"

namespace notape {

/// left (.., L, S) times right (.., S, E) without the terms of hidden pairs (.., L, S), whose left
/// factors are 0 or NaN. An undefined `hidden` hides nothing.
Tensor seen_product(const Tensor& left, const Tensor& right, const Tensor& hidden, At at);

/// left (.., L, E) times the transpose of right (.., S, E); 0 at hidden pairs.
Tensor seen_scores(const Tensor& left, const Tensor& right, const Tensor& hidden, At at);

}  // namespace notape
