// Loads libraries while the program is running, as plug-ins and interpreters do, after thirty
// others. glibc keeps some 1.6 KB for thread-local data of libraries that come late, for all of
// them together, so none may want more than 1 KB of it. Arguments: a library to be one of the
// crowd, a folder for copies of it, and ours, in order.
#include <dlfcn.h>
#include <link.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>

namespace {

constexpr int kCrowd = 30;
constexpr std::size_t kMostBytes = 1024;

bool load(const std::string& file) {
  if (dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return true;
  std::fprintf(stderr, "%s\n", dlerror());
  return false;
}

/// The thread-local bytes of libraries of ours; false if one has too many.
int check_size(dl_phdr_info* info, std::size_t, void* modest) {
  const std::string name = info->dlpi_name;
  if (name.find("libnotape") == name.npos) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type != PT_TLS) continue;
    const std::size_t bytes = info->dlpi_phdr[i].p_memsz;
    std::printf("%5zu bytes of thread-local data in %s\n", bytes, name.c_str());
    if (bytes >= kMostBytes) *static_cast<bool*>(modest) = false;
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  namespace fs = std::filesystem;
  if (count < 4) return 2;
  const fs::path folder = arguments[2];
  fs::create_directories(folder);
  for (int i = 0; i < kCrowd; ++i) {
    // Another file is another library.
    const fs::path copy = folder / ("crowd" + std::to_string(i) + ".so");
    fs::copy_file(arguments[1], copy, fs::copy_options::overwrite_existing);
    if (!load(copy.string())) return 1;
  }
  for (int i = 3; i < count; ++i)
    if (!load(arguments[i])) return 1;
  bool modest = true;
  dl_iterate_phdr(check_size, &modest);
  if (!modest) std::fprintf(stderr, "that is too much: at most %zu\n", kMostBytes);
  return modest ? 0 : 1;
}
