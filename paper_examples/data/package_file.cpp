#include "paper_examples/data/package_file.h"

#include <cstdlib>
#include <vector>

namespace notape::data {
namespace {

namespace fs = std::filesystem;

/// Empty if the variable is not set.
fs::path from_environment(const char* variable) {
  const char* value = std::getenv(variable);
  return value ? value : "";
}

fs::path cache_or_nowhere() {
  const fs::path chosen = from_environment("XDG_CACHE_HOME"), home = from_environment("HOME");
  if (chosen.is_absolute()) return chosen / "notape/packages";
  return home.empty() ? fs::path() : home / ".cache/notape/packages";
}

}  // namespace

MissingPackage::MissingPackage(const std::string& name, const std::string& message)
    : ErrorOf("{}", message), package(name) {}

fs::path package_cache() {
  const fs::path cache = cache_or_nowhere();
  if (cache.empty())
    throw FileError("no folder for packages: neither XDG_CACHE_HOME nor HOME is set");
  return cache;
}

fs::path find_package_file(const std::string& package, const std::string& path) {
  std::vector<fs::path> roots;
  if (const fs::path chosen = from_environment("NOTAPE_DATA"); !chosen.empty())
    roots.push_back(chosen);
  roots.push_back("/");
  if (const fs::path cache = cache_or_nowhere(); !cache.empty()) roots.push_back(cache);
  std::string looked_at;
  for (const fs::path& root : roots) {
    const fs::path place = root / path;
    std::error_code error;
    if (fs::exists(place, error)) return place;
    looked_at += (looked_at.empty() ? "" : ", ") + place.string();
  }
  throw MissingPackage(
      package,
      format_message("the Debian package {} is not installed: looked for {}; apt install {}, "
                     "or --install-data unpacks it for this user alone",
                     {package, looked_at, package}));
}

}  // namespace notape::data
