#include "autograd/interchange/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "autograd/error.h"

namespace notape::interchange {

void ByteSource::check_remaining(std::size_t bytes, const char* what) const {
  if (bytes > remaining_)
    throw FileError("{}: truncated: {} takes {} bytes, but only {} are left", name_, what, bytes,
                    remaining_);
}

void ByteSource::read(void* target, std::size_t bytes, const char* what) {
  check_remaining(bytes, what);
  if (bytes > 0) read_some(target, bytes);
  remaining_ -= bytes;
}

std::string ByteSource::read_text(std::size_t bytes, const char* what) {
  check_remaining(bytes, what);  // before the memory is asked for
  std::string text(bytes, '\0');
  read(text.data(), bytes, what);
  return text;
}

InputFile::InputFile(const std::string& path)
    : path_(path), descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (descriptor_ < 0) throw FileError("{}: cannot be opened: {}", path, std::strerror(errno));
  struct stat status {};
  if (fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
    close(descriptor_);
    throw FileError("{}: cannot be read: it is not a regular file", path);
  }
  size_ = static_cast<uint64_t>(status.st_size);
}

InputFile::~InputFile() { close(descriptor_); }

void InputFile::read_at(uint64_t offset, void* target, std::size_t bytes) const {
  constexpr std::size_t kAtOnce = std::size_t{1} << 30;
  auto* to = static_cast<char*>(target);
  while (bytes > 0) {
    const ssize_t count =
        pread(descriptor_, to, std::min(bytes, kAtOnce), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw FileError("{}: byte {}: {}", path_, offset, std::strerror(errno));
    if (count == 0) throw FileError("{}: byte {}: the file has become shorter", path_, offset);
    to += count;
    offset += static_cast<uint64_t>(count);
    bytes -= static_cast<std::size_t>(count);
  }
}

std::string InputFile::read_all() const {
  std::string bytes(size_, '\0');
  read_at(0, bytes.data(), bytes.size());
  return bytes;
}

}  // namespace notape::interchange
