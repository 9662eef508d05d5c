#include "verify/command/files.h"

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace notape::verify {

std::ofstream open_output(const std::string& directory, const std::string& name) {
  std::error_code failed;
  std::filesystem::create_directories(directory, failed);
  if (failed) throw UsageError("cannot make directory {}: {}", directory, failed.message());
  const std::filesystem::path path = std::filesystem::path(directory) / name;
  errno = 0;
  std::ofstream file(path);
  if (!file) throw UsageError("cannot write {}: {}", path.string(), std::strerror(errno));
  return file;
}

OutputFiles::OutputFiles(const Arguments& arguments) : directory_(arguments.out) {
  if (directory_.empty()) return;
  for (const Format format : arguments.formats)
    if (!file_of(format).empty())
      files_.emplace_back(format, open_output(directory_, std::string(file_of(format))));
}

void OutputFiles::write(const std::vector<Record>& records, const Gates& gates) {
  for (auto& [format, file] : files_) {
    file << render(format, records, gates);
    file.close();
    if (!file) throw UsageError("writing to {} failed", directory_);
  }
}

}  // namespace notape::verify
