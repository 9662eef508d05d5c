#include "ops/cpu/blas_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <initializer_list>
#include <string>

namespace notape::blas {

constinit std::atomic<const Library*> opened_library = nullptr;

#ifdef NOTAPE_OPENBLAS_FILE

namespace {

template <typename Function>
void look_for(void* handle, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(handle, name));  // NOLINT
}
template <typename Function>
void find(void* handle, const char* name, Function& function) {
  look_for(handle, name, function);
  if (!function) throw BlasMissing("the OpenBLAS that was opened has no {}", name);
}

void* open_first(std::initializer_list<const char*> files) {
  std::string why;
  for (const char* file : files) {
    if (!file || !*file) continue;
    if (void* handle = ::dlopen(file, RTLD_NOW | RTLD_LOCAL)) return handle;
    const char* message = ::dlerror();
    if (why.empty()) why = message ? message : file;
  }
  throw BlasMissing(
      "products of large matrices are OpenBLAS's work, and it cannot be opened: {}; install it "
      "(Debian: libopenblas0-pthread), or name its file in NOTAPE_OPENBLAS",
      why);
}

}  // namespace

const Library& open_library() {
  // One thread opens it; where that throws, the next call tries again.
  static const Library opened = [] {
    const char* wanted = std::getenv("NOTAPE_OPENBLAS");
    void* handle = wanted && *wanted ? open_first({wanted})
                                     : open_first({NOTAPE_OPENBLAS_NAME, NOTAPE_OPENBLAS_FILE});
    Library found;
    find(handle, "cblas_sgemm", found.sgemm);
    find(handle, "cblas_dgemm", found.dgemm);
    find(handle, "cblas_sgemv", found.sgemv);
    find(handle, "cblas_dgemv", found.dgemv);
    look_for(handle, "openblas_get_num_threads", found.get_num_threads);
    look_for(handle, "openblas_set_num_threads", found.set_num_threads);
    found.handle = handle;
    return found;
  }();
  opened_library.store(&opened, std::memory_order_release);
  return opened;
}

void* symbol(const char* name) { return ::dlsym(library().handle, name); }

#else  // a static OpenBLAS is linked

const Library& open_library() {
  static constexpr Library kLinked{&cblas_sgemm,
                                   &cblas_dgemm,
                                   &cblas_sgemv,
                                   &cblas_dgemv,
                                   &openblas_get_num_threads,
                                   &openblas_set_num_threads};
  opened_library.store(&kLinked, std::memory_order_release);
  return kLinked;
}

void* symbol(const char*) { return nullptr; }

#endif

}  // namespace notape::blas
