#include "paper_examples/command/install_package.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <ostream>
#include <vector>

#include "paper_examples/data/package_file.h"

namespace notape::command {
namespace {

namespace fs = std::filesystem;

/// Runs a program in a folder; its output is ours. Throws FileError unless it ends with 0.
void run_in(const fs::path& folder, std::vector<std::string> arguments) {
  std::vector<char*> pointers;
  for (std::string& each : arguments) pointers.push_back(each.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  pid_t child = 0;
  const int error = posix_spawnp(&child, pointers[0], &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw FileError("{}: {}", arguments[0], std::strerror(error));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw FileError("{} {} {} failed", arguments[0], arguments[1], arguments[2]);
}

/// A folder beside the packages that goes when this does.
class WorkFolder {
 public:
  explicit WorkFolder(const fs::path& beside) {
    std::string name = (beside / "unfinished-XXXXXX").string();
    if (!mkdtemp(name.data())) throw FileError("{}: {}", name, std::strerror(errno));
    path_ = name;
  }
  ~WorkFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

fs::path only_package_in(const fs::path& folder) {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".deb") return entry.path();
  throw FileError("{}: apt-get download left no package there", folder.string());
}

bool is_there(const std::string& package) {
  try {
    data::find_package_file(package, "usr/share/doc/" + package + "/copyright");
    return true;
  } catch (const data::MissingPackage&) {
    return false;
  }
}

}  // namespace

void install_package(const std::string& package, std::ostream& out) {
  if (is_there(package)) {
    out << package << " is there already\n";
    return;
  }
  const fs::path cache = data::package_cache();
  std::error_code error;
  fs::create_directories(cache, error);
  if (error) throw FileError("{}: cannot be made a folder: {}", cache.string(), error.message());
  const WorkFolder work(cache.parent_path());
  out << "downloading " << package << std::endl;
  run_in(work.path(), {"apt-get", "download", package});
  const fs::path unpacked = work.path() / "unpacked";
  fs::create_directory(unpacked);
  run_in(work.path(), {"dpkg-deb", "-x", only_package_in(work.path()).string(), unpacked.string()});
  fs::copy(unpacked, cache,
           fs::copy_options::recursive | fs::copy_options::overwrite_existing |
               fs::copy_options::copy_symlinks);
  out << "unpacked " << package << " into " << cache.string() << std::endl;
}

}  // namespace notape::command
