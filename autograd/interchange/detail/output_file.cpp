// OutputFile: a file that appears whole or not at all.
#include "autograd/interchange/detail/output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "autograd/error.h"

namespace notape::interchange {

void OutputFile::fail(int reason) const {
  throw FileError("{}: cannot be written: {}", path_, std::strerror(reason));
}

OutputFile::OutputFile(const std::string& path) : path_(path), target_(path) {
  static std::atomic<unsigned> files{0};
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (std::filesystem::is_directory(status)) fail(EISDIR);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    descriptor_ = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    // Of a symbolic link the file it leads to is replaced, not the link.
    if (std::filesystem::is_symlink(std::filesystem::symlink_status(path, ignored)))
      if (const auto real = std::filesystem::canonical(path, ignored); !ignored)
        target_ = real.string();
    partial_path_ = target_ + ".partial-" + std::to_string(getpid()) + "-" +
                    std::to_string(files.fetch_add(1, std::memory_order_relaxed));
    descriptor_ = open(partial_path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  }
  if (descriptor_ < 0) fail(errno);
}

OutputFile::~OutputFile() {
  if (descriptor_ < 0) return;
  close(descriptor_);
  if (!partial_path_.empty()) unlink(partial_path_.c_str());
}

void OutputFile::write(const void* data, std::size_t bytes) {
  constexpr std::size_t kAtOnce = std::size_t{1} << 30;
  const auto* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t count = ::write(descriptor_, from, std::min(bytes, kAtOnce));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(errno);
    from += count;
    bytes -= static_cast<std::size_t>(count);
    written_ += static_cast<uint64_t>(count);
  }
}

void OutputFile::commit() {
  int reason = close(std::exchange(descriptor_, -1)) == 0 ? 0 : errno;
  if (partial_path_.empty()) {
    if (reason != 0) fail(reason);
    return;
  }
  if (reason == 0 && std::rename(partial_path_.c_str(), target_.c_str()) != 0) reason = errno;
  if (reason == 0) return;
  unlink(partial_path_.c_str());
  fail(reason);
}

}  // namespace notape::interchange
