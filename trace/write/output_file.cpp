#include "trace/write/output_file.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "autograd/error.h"

namespace notape::trace {
namespace {

gzFile as_gz(void* file) { return static_cast<gzFile>(file); }

}  // namespace

OutputFile::OutputFile(std::string path) : file_(path) {
  const int descriptor = fcntl(file_.descriptor(), F_DUPFD_CLOEXEC, 0);
  // "T" writes as it is, without compression.
  packer_ = gzdopen(descriptor, path.ends_with(".gz") ? "wb6" : "wbT");
  if (!packer_) {
    if (descriptor >= 0) close(descriptor);
    fail("cannot be written");
  }
  gzbuffer(as_gz(packer_), 1 << 18);
}

OutputFile::~OutputFile() {
  if (packer_) gzclose(as_gz(packer_));
}

void OutputFile::fail(std::string_view what) const {
  throw FileError("{}: {}: {}", file_.path(), what, std::strerror(errno));
}

void OutputFile::write(std::string_view text) {
  if (text.empty()) return;
  if (gzwrite(as_gz(packer_), text.data(), static_cast<unsigned>(text.size())) <= 0)
    fail("cannot be written to the end");
}

void OutputFile::commit() {
  if (gzclose(as_gz(std::exchange(packer_, nullptr))) != Z_OK) fail("cannot be written to the end");
  file_.commit();
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
