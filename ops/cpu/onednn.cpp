#include "ops/cpu/onednn.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <vector>

#include "autograd/warning.h"
#include "ops/cpu/blas_core.h"
#include "ops/cpu/lanes.h"

namespace notape::blas {
namespace {

/// What is used of its interface, which versions 2 and 3 share; its header need not be there.
struct OneDnn {
  struct Version {
    int major, minor, patch;
  };
  int (*sgemm)(char, char, int64_t, int64_t, int64_t, float, const float*, int64_t, const float*,
               int64_t, float, float*, int64_t) = nullptr;
  const Version* (*version)() = nullptr;
  int (*get_max_threads)() = nullptr;  // of OpenMP, which has a number of its own for each thread
  void (*set_num_threads)(int) = nullptr;

  bool is_complete() const { return sgemm && version && get_max_threads && set_num_threads; }
};

/// The names of its files, one of which is opened.
std::vector<std::string> onednn_files() {
  const char* users = std::getenv("NOTAPE_ONEDNN");
  if (users && users == std::string("off")) return {};
  if (users && *users) return {users};
  return {"libdnnl.so.2", "libdnnl.so.3"};
}

OneDnn open_onednn() {
  OneDnn found;
  void* handle = nullptr;
  for (const std::string& file : onednn_files())
    if (!handle) handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) return found;
  const auto look_for = [&]<typename Function>(const char* name, Function& function) {
    function = reinterpret_cast<Function>(::dlsym(handle, name));  // NOLINT
  };
  look_for("dnnl_sgemm", found.sgemm);
  look_for("dnnl_version", found.version);
  look_for("omp_get_max_threads", found.get_max_threads);
  look_for("omp_set_num_threads", found.set_num_threads);
  return found;
}

const OneDnn& onednn() {
  static const OneDnn opened = open_onednn();
  return opened;
}

void multiply_by_onednn(CBLAS_ORDER order, CBLAS_TRANSPOSE left, CBLAS_TRANSPOSE right, blasint m,
                        blasint n, blasint k, float alpha, const float* a, blasint a_row,
                        const float* b, blasint b_row, float beta, float* c, blasint c_row) {
  const OneDnn& library = onednn();
  const int threads = library.get_max_threads();
  if (threads != 1) library.set_num_threads(1);
  const int status = library.sgemm(left == CblasTrans ? 'T' : 'N', right == CblasTrans ? 'T' : 'N',
                                   m, n, k, alpha, a, a_row, b, b_row, beta, c, c_row);
  if (threads != 1) library.set_num_threads(threads);
  if (status != 0)  // it had no memory, and has written nothing
    blas::library().sgemm(order, left, right, m, n, k, alpha, a, a_row, b, b_row, beta, c, c_row);
}

/// Whether it is there and wanted.
bool has_onednn() {
  if (float_lanes() != 16 || onednn_files().empty()) return false;
  if (onednn().is_complete()) return true;
  if (const char* users = std::getenv("NOTAPE_ONEDNN"); users && *users)
    throw BlasMissing("NOTAPE_ONEDNN names '{}', which cannot be opened as a oneDNN on OpenMP",
                      users);
  return false;
}

FloatGemm find_onednn() {
  if (!has_onednn()) return nullptr;
  if (multiplies_right(multiply_by_onednn)) return multiply_by_onednn;
  warn("oneDNN multiplies wrong on this processor; OpenBLAS is used", SourceLocation::current());
  return nullptr;
}

}  // namespace

FloatGemm onednn_sgemm() {
  static const FloatGemm found = find_onednn();
  return found;
}

std::string onednn_version() {
  if (!has_onednn()) return "";
  const OneDnn::Version& version = *onednn().version();
  return fmt::format("oneDNN {}.{}.{}", version.major, version.minor, version.patch);
}

}  // namespace notape::blas
