// OpenBLAS, opened when first needed. It takes memory for every thread there could be as soon as it
// is loaded, which programs that multiply no large matrices should not pay, and which a small limit
// on address space does not allow.
#pragma once
#include <cblas.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "autograd/error.h"

namespace notape::blas {

/// OpenBLAS is not there, or cannot be loaded.
struct BlasMissing : ErrorOf<"BlasMissing"> {
  using ErrorOf::ErrorOf;
};

struct Library {
  decltype(&cblas_sgemm) sgemm = nullptr;
  decltype(&cblas_dgemm) dgemm = nullptr;
  decltype(&cblas_sgemv) sgemv = nullptr;
  decltype(&cblas_dgemv) dgemv = nullptr;
  decltype(&openblas_get_num_threads) get_num_threads = nullptr;  ///< null: another BLAS
  decltype(&openblas_set_num_threads) set_num_threads = nullptr;
  decltype(&openblas_get_corename) get_corename = nullptr;
  decltype(&openblas_get_config) get_config = nullptr;
  void* handle = nullptr;  ///< what dlopen gave; null where it is linked

  /// Of OpenBLAS's kernels; empty: another BLAS.
  std::string core() const { return get_corename ? get_corename() : ""; }
};

extern std::atomic<const Library*> opened_library;
/// Throws BlasMissing; the next call tries again.
const Library& open_library();

/// The file that $NOTAPE_OPENBLAS names; else that of PyPI's scipy-openblas32 beside `notape`, the
/// file that holds this code, or beside its Python package, which is newer than a distribution's;
/// else the one that the linker would find; else the one this was built with.
std::vector<std::string> files_to_open(const std::filesystem::path& notape);

/// The first of files_to_open() that can be opened.
inline const Library& library() {
  const Library* opened = opened_library.load(std::memory_order_acquire);
  return opened ? *opened : open_library();
}

/// Another function of the file that was opened; null if it has none of that name, or was linked.
void* symbol(const char* name);

}  // namespace notape::blas
