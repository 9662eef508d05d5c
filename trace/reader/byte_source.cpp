#include "trace/reader/byte_source.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "autograd/error.h"

namespace notape::trace {

ByteSource::ByteSource(std::string path)
    : path_(std::move(path)), file_(gzopen(path_.c_str(), "rb")) {
  if (!file_) throw FileError("{} cannot be read: {}", path_, std::strerror(errno));
  gzbuffer(file_.get(), 1 << 17);
}

std::size_t ByteSource::read(char* to, std::size_t room) {
  const auto most = static_cast<unsigned>(std::min<std::size_t>(room, 1 << 20));
  errno = 0;
  const int count = gzread(file_.get(), to, most);
  if (count > 0) return static_cast<std::size_t>(count);
  int status = Z_OK;
  const char* text = gzerror(file_.get(), &status);
  if (status == Z_BUF_ERROR) {
    is_cut_ = true;
    return 0;
  }
  if (status == Z_ERRNO) throw FileError("{} cannot be read: {}", path_, std::strerror(errno));
  if (count < 0 || (status != Z_OK && status != Z_STREAM_END))
    throw FileError("{} cannot be unpacked: {}", path_, text);
  return 0;
}

}  // namespace notape::trace
