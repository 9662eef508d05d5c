#include "verify/command/files.h"

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace notape::verify {
namespace {

std::ofstream open(const std::filesystem::path& path) {
  errno = 0;
  std::ofstream file(path);
  if (!file) throw UsageError("cannot write {}: {}", path.string(), std::strerror(errno));
  return file;
}

}  // namespace

OutputFiles::OutputFiles(const Arguments& arguments) : directory_(arguments.out) {
  if (directory_.empty()) return;
  std::error_code failed;
  std::filesystem::create_directories(directory_, failed);
  if (failed) throw UsageError("cannot make directory {}: {}", directory_, failed.message());
  for (const Format format : arguments.formats)
    if (!file_of(format).empty())
      files_.emplace_back(format, open(std::filesystem::path(directory_) / file_of(format)));
}

void OutputFiles::write(const std::vector<Record>& records, const Gates& gates) {
  for (auto& [format, file] : files_) {
    file << render(format, records, gates);
    file.close();
    if (!file) throw UsageError("writing to {} failed", directory_);
  }
}

}  // namespace notape::verify
