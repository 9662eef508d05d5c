// What libnotape_cusolver.so offers to libnotape_cuda.so, which opens it at the first
// decomposition: these slots' implementations.
#pragma once
#include "cuda/library/open_part.h"
#include "ops/linalg/decompositions.h"

namespace notape::cuda {

/// All are null where it is absent.
struct DecompositionLibrary {
  std::string version;  ///< cuSOLVER's, "12.0.4", or "absent", and why
  LuKernel::Function lu = nullptr;
  SolveKernel::Function solve = nullptr;
  TriangularSolveKernel::Function triangular_solve = nullptr;
  CholeskyKernel::Function cholesky = nullptr;
  QrKernel::Function qr = nullptr;
  EighKernel::Function eigh = nullptr;
  SvdKernel::Function svd = nullptr;
};

inline DecompositionLibrary open_decomposition_library(const char* file) {
  return open_part<DecompositionLibrary>(file, "notape_describe_cusolver", "NOTAPE_NO_CUSOLVER");
}

}  // namespace notape::cuda
