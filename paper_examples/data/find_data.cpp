#include "paper_examples/data/find_data.h"

#include <dlfcn.h>

#include <cstdlib>
#include <vector>

#include "autograd/error.h"

namespace notape::data {
namespace {

namespace fs = std::filesystem;

/// PREFIX/share/notape for a library in PREFIX/lib.
fs::path installed_data_folder() {
  Dl_info library{};
  if (!::dladdr(reinterpret_cast<const void*>(&find_data), &library)) return {};
  std::error_code error;
  const fs::path file = fs::canonical(library.dli_fname, error);
  return (file.parent_path() / NOTAPE_DATA_BESIDE_LIBRARY).lexically_normal();
}

}  // namespace

fs::path find_data(const std::string& name) {
  std::vector<fs::path> places;
  if (const char* chosen = std::getenv("NOTAPE_DATA"); chosen && *chosen) {
    std::error_code error;
    places = {fs::is_directory(chosen, error) ? fs::path(chosen) / name : fs::path(chosen)};
  } else {
    places = {fs::path(NOTAPE_DATA_SOURCE_FOLDER) / name, installed_data_folder() / name,
              fs::path("/usr/lib/python3/dist-packages/sklearn/datasets/data") / name};
  }
  std::string looked_at;
  for (const fs::path& place : places) {
    std::error_code error;
    if (fs::exists(place, error)) return place;
    looked_at += (looked_at.empty() ? "" : ", ") + place.string();
  }
  throw FileError("no {}: looked for {}; NOTAPE_DATA may name the file or its folder", name,
                  looked_at);
}

}  // namespace notape::data
