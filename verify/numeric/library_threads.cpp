#include "verify/numeric/library_threads.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <mutex>
#include <string>

#include "ops/cpu/blas_library.h"

namespace notape::verify {
namespace {

struct Names {
  const char *count, *set;
};
constexpr Names kKnown[] = {{"openblas_get_num_threads", "openblas_set_num_threads"},
                            {"omp_get_max_threads", "omp_set_num_threads"}};

/// How many libraries were ever loaded.
unsigned long long loaded_so_far() {
  unsigned long long count = 0;
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* found) {
        *static_cast<unsigned long long*>(found) = info->dlpi_adds;
        return 1;
      },
      &count);
  return count;
}

/// Libraries that were opened for one user alone are found by their files only.
std::vector<std::string> files() {
  std::vector<std::string> names;
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* found) {
        if (info->dlpi_name && *info->dlpi_name)
          static_cast<std::vector<std::string>*>(found)->emplace_back(info->dlpi_name);
        return 0;
      },
      &names);
  return names;
}

std::vector<LibraryThreads> look() {
  std::vector<LibraryThreads> all;
  const auto add = [&](void* handle, const Names& names) {
    const LibraryThreads one{reinterpret_cast<int (*)()>(::dlsym(handle, names.count)),  // NOLINT
                             reinterpret_cast<void (*)(int)>(::dlsym(handle, names.set))};
    const auto same = [&](const LibraryThreads& other) { return other.set == one.set; };
    if (one.count && one.set && std::none_of(all.begin(), all.end(), same)) all.push_back(one);
  };
  for (const Names& names : kKnown) add(RTLD_DEFAULT, names);
  for (const std::string& file : files()) {
    void* handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_NOLOAD);
    if (!handle) continue;
    for (const Names& names : kKnown) add(handle, names);
    ::dlclose(handle);  // it stays loaded: somebody else holds it
  }
  return all;
}

}  // namespace

std::vector<LibraryThreads> libraries_with_threads() {
  static std::mutex mutex;
  static unsigned long long looked_at = 0;
  static std::vector<LibraryThreads> found;
  const std::lock_guard lock(mutex);
  if (const auto now = loaded_so_far(); now != looked_at) {
    found = look();
    looked_at = now;
  }
  return found;
}

OneThreadOnly::OneThreadOnly() : of_operators_(blas::opened_library.load() != nullptr) {
  for (const LibraryThreads& one : libraries_with_threads()) {
    const int count = one.count();
    if (count <= 1) continue;
    before_.push_back({one, count});
    one.set(1);
  }
}

OneThreadOnly::~OneThreadOnly() {
  for (const auto& [library, count] : before_) library.set(count);
}

}  // namespace notape::verify
