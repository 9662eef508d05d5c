// Which BLAS computes products, for records of what they cost.
#pragma once
#include <string>

namespace notape::blas {

/// What OpenBLAS says of itself, its core included, and the threads that call it; "missing" where
/// it cannot be opened.
std::string description();

}  // namespace notape::blas
