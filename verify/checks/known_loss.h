// How far a derivative may be off because its row declares that the operator knows it only as well
// as its rounded result tells (ops/spec/known_by_result.h).
#pragma once
#include "verify/checks/subject.h"

namespace notape::verify {

/// For sum_j v_j D^n_j u1_j u2_j ..., the n-th derivative along n directions; 0 for rows that
/// declare nothing.
Wide known_loss(const Subject& subject, const Numbers& v,
                std::initializer_list<const Direction*> u);

}  // namespace notape::verify
