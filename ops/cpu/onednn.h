// oneDNN's product of float matrices, if it is installed: with AVX-512 it takes less time than
// OpenBLAS's.
#pragma once
#include <cblas.h>

#include <string>

namespace notape::blas {

using FloatGemm = decltype(&cblas_sgemm);

/// cblas_sgemm by oneDNN, for row-major matrices and on the thread that calls it. Null where it is
/// not installed or not wanted ($NOTAPE_ONEDNN=off), without AVX-512, and, with a warning, where it
/// multiplies wrong. The first call opens it and lets it make its machine code, which takes tens of
/// milliseconds. Throws BlasMissing if the file that $NOTAPE_ONEDNN names cannot be used.
FloatGemm onednn_sgemm();

/// As "oneDNN 2.6.3"; empty where it is not there or not wanted. Multiplies nothing, so that
/// telling versions takes no time.
std::string onednn_version();

}  // namespace notape::blas
