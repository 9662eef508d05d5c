#include "trace/output_file.h"

#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "autograd/error.h"

namespace notape::trace {
namespace {

gzFile as_gz(void* file) { return static_cast<gzFile>(file); }

}  // namespace

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path_, ignored);
  const bool in_place =
      std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
  if (!in_place) partial_path_ = path_ + ".partial-" + std::to_string(getpid());
  // "T" writes as it is, without compression.
  file_ =
      gzopen((in_place ? path_ : partial_path_).c_str(), path_.ends_with(".gz") ? "wb6" : "wbT");
  if (!file_) fail("cannot be written");
  gzbuffer(as_gz(file_), 1 << 18);
}

OutputFile::~OutputFile() {
  if (!file_) return;
  gzclose(as_gz(file_));
  if (!partial_path_.empty()) unlink(partial_path_.c_str());
}

void OutputFile::fail(std::string_view what) const {
  throw FileError("{} {}: {}", path_, what, std::strerror(errno));
}

void OutputFile::write(std::string_view text) {
  if (text.empty()) return;
  if (gzwrite(as_gz(file_), text.data(), static_cast<unsigned>(text.size())) <= 0)
    fail("cannot be written to the end");
}

void OutputFile::commit() {
  const int status = gzclose(as_gz(std::exchange(file_, nullptr)));
  if (status != Z_OK ||
      (!partial_path_.empty() && std::rename(partial_path_.c_str(), path_.c_str()) != 0)) {
    const int reason = errno;
    if (!partial_path_.empty()) unlink(partial_path_.c_str());
    errno = reason;
    fail("cannot be written to the end");
  }
}

std::string read_file(const std::string& path) {
  const gzFile file = gzopen(path.c_str(), "rb");
  if (!file) throw FileError("{} cannot be read: {}", path, std::strerror(errno));
  std::string text;
  char buffer[1 << 16];
  int count = 0;
  while ((count = gzread(file, buffer, sizeof buffer)) > 0)
    text.append(buffer, static_cast<std::size_t>(count));
  const int status = gzclose_r(file);
  if (count < 0 || status != Z_OK) throw FileError("{} cannot be read to the end", path);
  return text;
}

}  // namespace notape::trace
