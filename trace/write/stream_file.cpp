#include "trace/write/stream_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "autograd/error.h"

namespace notape::trace {

std::string beside(const std::string& path, std::string_view what) {
  for (const std::string_view ending : {".json.gz", ".json"})
    if (path.ends_with(ending))
      return fmt::format("{}.{}{}", path.substr(0, path.size() - ending.size()), what, ending);
  throw ValueError("{}: the name of a trace ends in .json or .json.gz", path);
}

StreamFile::StreamFile(const std::string& path)
    : path_(path), partial_path_(beside(path, fmt::format("partial-{}", getpid()))) {
  struct stat old {};
  const bool exists = stat(path.c_str(), &old) == 0;
  int descriptor = -1;
  if (exists && S_ISDIR(old.st_mode)) {
    errno = EISDIR;
  } else if (exists && !S_ISREG(old.st_mode)) {
    partial_path_.clear();
    descriptor = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  } else if (!exists || access(path.c_str(), W_OK) == 0) {
    descriptor = open(partial_path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  }
  if (descriptor < 0) fail();
  packer_ = interchange::gz_writer(descriptor, path.ends_with(".gz") ? 3 : 0);
  if (!packer_) fail();
}

StreamFile::~StreamFile() { discard(); }

void StreamFile::discard() noexcept {
  packer_.reset();
  if (!partial_path_.empty()) unlink(partial_path_.c_str());
  partial_path_.clear();
}

void StreamFile::fail() const {
  throw FileError("{}: cannot be written: {}", path_, std::strerror(errno));
}

void StreamFile::write(std::string_view text) {
  if (!text.empty() && gzwrite(packer_.get(), text.data(), static_cast<unsigned>(text.size())) <= 0)
    fail();
}

void StreamFile::flush() {
  if (gzflush(packer_.get(), Z_SYNC_FLUSH) != Z_OK) fail();
}

void StreamFile::commit(const std::string& path) {
  errno = 0;
  if (gzclose(packer_.release()) != Z_OK) fail();
  if (partial_path_.empty()) return;
  if (std::rename(partial_path_.c_str(), path.c_str()) != 0) fail();
  partial_path_.clear();
}

}  // namespace notape::trace
