#include "ops/cpu/blas_library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <unistd.h>

#include <cstdlib>
#include <list>
#include <string>
#include <utility>
#include <vector>

#include "ops/cpu/blas_core.h"
#include "ops/cpu/blas_description.h"
#include "ops/parallel.h"

namespace notape::blas {

constinit std::atomic<const Library*> opened_library = nullptr;

#ifdef NOTAPE_OPENBLAS_FILE

namespace {

void* address_of(void* handle, const char* name) {
  void* address = ::dlsym(handle, name);
  return address ? address : ::dlsym(handle, (std::string("scipy_") + name).c_str());  // PyPI's
}
template <typename Function>
void look_for(void* handle, const char* name, Function& function) {
  function = reinterpret_cast<Function>(address_of(handle, name));  // NOLINT
}
template <typename Function>
void find_blas_library(void* handle, const char* name, Function& function) {
  look_for(handle, name, function);
  if (function) return;
  const link_map* map = nullptr;
  ::dlinfo(handle, RTLD_DI_LINKMAP, &map);
  throw BlasMissing("'{}' was opened as OpenBLAS and has no {}; is another file meant?",
                    map ? map->l_name : "", name);
}

void* open_first(const std::vector<std::string>& files) {
  std::string why;
  for (const std::string& file : files) {
    if (file.empty()) continue;
    if (void* handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
    const char* message = ::dlerror();
    if (why.empty()) why = message ? message : file;
  }
  throw BlasMissing(
      "products of large matrices are OpenBLAS's work, and it cannot be opened: {}; install it "
      "(Debian: libopenblas0-pthread), or name its file in NOTAPE_OPENBLAS",
      why);
}

/// In its scope getenv() finds that core. setenv() may free a list of variables that another thread
/// is reading; here another list takes its place, which is kept.
class CoreInEnvironment {
 public:
  explicit CoreInEnvironment(const char* core) : before_(environ), ours_(environ) {
    if (!core) return;
    static auto& kept = *new std::list<std::pair<std::string, std::vector<char*>>>;
    auto& [variable, list] =
        kept.emplace_back(std::string("OPENBLAS_CORETYPE=") + core, std::vector<char*>());
    list.push_back(variable.data());
    for (char** other = before_; other && *other; ++other) list.push_back(*other);
    list.push_back(nullptr);
    environ = ours_ = list.data();
  }
  ~CoreInEnvironment() {
    if (ours_ == before_) return;
    if (environ == ours_)
      environ = before_;
    else  // another thread has set a variable and has so made a list of its own
      ::unsetenv("OPENBLAS_CORETYPE");
  }
  CoreInEnvironment(const CoreInEnvironment&) = delete;
  CoreInEnvironment& operator=(const CoreInEnvironment&) = delete;

 private:
  char **before_, **ours_;
};

}  // namespace

std::vector<std::string> files_to_open(const std::filesystem::path& notape) {
  const char* users = std::getenv("NOTAPE_OPENBLAS");
  if (users && *users) return {users};
  std::vector<std::string> files;
  for (const char* pypi : {"libscipy_openblas.so", "../scipy_openblas32/lib/libscipy_openblas.so",
                           "../../scipy_openblas32/lib/libscipy_openblas.so"})
    if (std::error_code none; std::filesystem::exists(notape.parent_path() / pypi, none))
      files.push_back((notape.parent_path() / pypi).string());
  files.insert(files.end(), {NOTAPE_OPENBLAS_NAME, NOTAPE_OPENBLAS_FILE});
  return files;
}

Library open_with_core(const Library& before, const char* core) {
  if (before.handle) ::dlclose(before.handle);
  const CoreInEnvironment environment(core);
  Library found;
  Dl_info here{};
  ::dladdr(&opened_library, &here);
  found.handle = open_first(files_to_open(here.dli_fname ? here.dli_fname : ""));
  find_blas_library(found.handle, "cblas_sgemm", found.sgemm);
  find_blas_library(found.handle, "cblas_dgemm", found.dgemm);
  find_blas_library(found.handle, "cblas_sgemv", found.sgemv);
  find_blas_library(found.handle, "cblas_dgemv", found.dgemv);
  look_for(found.handle, "openblas_get_num_threads", found.get_num_threads);
  look_for(found.handle, "openblas_set_num_threads", found.set_num_threads);
  look_for(found.handle, "openblas_get_corename", found.get_corename);
  look_for(found.handle, "openblas_get_config", found.get_config);
  return found;
}

void* symbol(const char* name) { return address_of(library().handle, name); }

#else  // a static OpenBLAS is linked

std::vector<std::string> files_to_open(const std::filesystem::path&) { return {}; }

Library open_with_core(const Library&, const char*) {
  return {&cblas_sgemm,
          &cblas_dgemm,
          &cblas_sgemv,
          &cblas_dgemv,
          &openblas_get_num_threads,
          &openblas_set_num_threads,
          &openblas_get_corename,
          &openblas_get_config};
}

void* symbol(const char*) { return nullptr; }

#endif

const Library& open_library() {
  // One thread opens it; where that throws, the next call tries again.
  static const Library opened =
      choose_core(best_core(), std::getenv("OPENBLAS_CORETYPE") != nullptr, open_with_core);
  opened_library.store(&opened, std::memory_order_release);
  return opened;
}

std::string description() try {
  const std::string other = onednn_version();
  return fmt::format("{}{}; {} threads call it",
                     library().get_config ? library().get_config() : "another BLAS",
                     other.empty() ? "" : ", " + other, get_num_threads());
} catch (const BlasMissing&) {
  return "missing";
}

}  // namespace notape::blas
