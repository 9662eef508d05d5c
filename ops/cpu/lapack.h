// LAPACK, which OpenBLAS brings along, by the names of its Fortran functions. Matrices are
// column-major; characters have their lengths behind all other arguments.
#pragma once
#include <cblas.h>

#include <cstddef>

#include "autograd/observer.h"
#include "autograd/tensor/scalar_type.h"

namespace notape::lapack {

using Int = const blasint*;
using Letter = const char*;
using Length = std::size_t;

template <typename T>
struct Library {
  void (*trsm)(Letter side, Letter uplo, Letter trans, Letter diag, Int m, Int n, const T* alpha,
               const T* a, Int lda, T* b, Int ldb, Length, Length, Length, Length) = nullptr;
  void (*getrf)(Int m, Int n, T* a, Int lda, blasint* pivots, blasint* info) = nullptr;
  void (*getrs)(Letter trans, Int n, Int columns, const T* lu, Int lda, Int pivots, T* b, Int ldb,
                blasint* info, Length) = nullptr;
  void (*potrf)(Letter uplo, Int n, T* a, Int lda, blasint* info, Length) = nullptr;
  void (*geqrf)(Int m, Int n, T* a, Int lda, T* tau, T* work, Int lwork, blasint* info) = nullptr;
  void (*orgqr)(Int m, Int n, Int k, T* a, Int lda, const T* tau, T* work, Int lwork,
                blasint* info) = nullptr;
  void (*syevd)(Letter jobz, Letter uplo, Int n, T* a, Int lda, T* values, T* work, Int lwork,
                blasint* iwork, Int liwork, blasint* info, Length, Length) = nullptr;
  void (*gesdd)(Letter jobz, Int m, Int n, T* a, Int lda, T* s, T* u, Int ldu, T* vt, Int ldvt,
                T* work, Int lwork, blasint* iwork, blasint* info, Length) = nullptr;
};

/// Those for float or double. Throws NoKernel, naming the operator, if this machine's BLAS has no
/// LAPACK, and BlasMissing if there is no BLAS.
template <typename T>
const Library<T>& library(const Operation& op);
extern template const Library<float>& library<float>(const Operation& op);
extern template const Library<double>& library<double>(const Operation& op);

}  // namespace notape::lapack
