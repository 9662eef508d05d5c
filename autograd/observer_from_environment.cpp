// A program that is started with NOTAPE_TRACE in its environment is recorded without any code of
// its own: libnotape_trace.so, which lies beside this library, is loaded and asked to begin. It
// also reads the variable (trace/README.md).
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace notape {
namespace {

bool start_recorder() {
  if (!secure_getenv("NOTAPE_TRACE")) return false;
  void* const library = dlopen("libnotape_trace.so", RTLD_NOW | RTLD_LOCAL);
  void* const begin = library ? dlsym(library, "notape_record_from_environment") : nullptr;
  if (!begin) {
    std::fprintf(stderr, "notape: NOTAPE_TRACE: there is no recorder: %s\n", dlerror());
    return false;
  }
  reinterpret_cast<void (*)()>(begin)();
  return true;
}

[[maybe_unused]] const bool is_recorded = start_recorder();

}  // namespace
}  // namespace notape
