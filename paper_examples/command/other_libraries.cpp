#include "paper_examples/command/other_libraries.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "autograd/error.h"

#include "trace/latency/pytorch_program.h"

namespace notape::command {
namespace {

bool asks_for(const OtherLibraryWords& words, const char* kind) {
  return std::any_of(words.against.begin(), words.against.end(),
                     [&](const std::string& word) { return word == kind || word == "all"; });
}

/// Programs of bench/latency: beside the command, and in bin/ there, where a build has them.
std::vector<std::string> programs_beside_command() {
  std::error_code ignored;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  std::vector<std::string> found;
  for (const char* name : {"latency_torch", "latency_pytorch"})
    for (const auto& place : {folder / name, folder / "bin" / name})
      if (access(place.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(place, ignored)) {
        found.push_back(place);
        break;
      }
  return found;
}

/// Of a path; a name without a slash is looked for on PATH, and may not be there.
void refuse_a_wrong_path(const char* option, const std::string& path) {
  if (path.find('/') != std::string::npos && access(path.c_str(), X_OK) != 0)
    throw ValueError("{} {}: {}", option, path, std::strerror(errno));
}

/// The one that `./run bench` takes.
std::string usual_python() {
  const char* named = std::getenv("NOTAPE_TORCH_PYTHON");
  return named && *named ? named : "python3";
}

std::string numbered(const char* key, std::size_t place) {
  return place == 0 ? key : std::string(key) + "_" + std::to_string(place + 1);
}

}  // namespace

std::vector<trace::OtherLibrary> other_libraries(const OtherLibraryWords& words) {
  for (const std::string& path : words.programs) refuse_a_wrong_path("--libtorch", path);
  for (const std::string& path : words.pythons) refuse_a_wrong_path("--python", path);
  std::vector<trace::OtherLibrary> libraries;
  if (asks_for(words, "libtorch") || !words.programs.empty()) {
    const auto programs = words.programs.empty() ? programs_beside_command() : words.programs;
    for (std::size_t i = 0; i < programs.size(); ++i)
      libraries.push_back({numbered("libtorch", i), "LibTorch", {programs[i]}});
    if (programs.empty())
      libraries.push_back({"libtorch",
                           "LibTorch",
                           {},
                           "there is no latency_torch beside this command (cmake --build build "
                           "--target latency_torch, with LibTorch installed; or --libtorch)"});
  }
  if (asks_for(words, "pytorch") || !words.pythons.empty()) {
    const auto pythons = words.pythons.empty() ? std::vector{usual_python()} : words.pythons;
    for (std::size_t i = 0; i < pythons.size(); ++i)
      libraries.push_back(
          {numbered("pytorch", i), "PyTorch", {pythons[i], "-c", trace::kPytorchProgram}});
  }
  return libraries;
}

}  // namespace notape::command
