#include "verify/command/files.h"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "verify/report/json.h"
#include "verify/report/junit.h"

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
  const std::filesystem::path directory(directory_);
  if (arguments.json) json_ = open(directory / "certificates.jsonl");
  if (arguments.junit) junit_ = open(directory / "junit.xml");
}

void OutputFiles::write(const std::vector<Certificate>& certificates, const Options& options) {
  if (json_.is_open()) {
    for (const Certificate& certificate : certificates)
      json_ << certificate_json(certificate, options) << '\n';
    json_.close();
  }
  if (junit_.is_open()) {
    junit_ << junit_xml(certificates);
    junit_.close();
  }
  if (!json_ || !junit_) throw UsageError("writing to {} failed", directory_);
}

}  // namespace notape::verify
