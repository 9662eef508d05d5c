// ByteSource: a file from front to back, unpacked on the way if it is compressed.
#pragma once
#include <cstddef>
#include <string>

#include "autograd/interchange/zlib.h"

namespace notape::trace {

class ByteSource {
 public:
  /// Throws FileError if the file cannot be opened.
  explicit ByteSource(std::string path);

  /// Reads up to `room` bytes; 0 at the end. Throws FileError if the file cannot be read or its
  /// compressed data are damaged. A compressed file that was cut ends where it was cut.
  std::size_t read(char* to, std::size_t room);
  /// The end came before the end of the compressed data.
  bool is_cut() const { return is_cut_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  interchange::GzFile file_;  // passes uncompressed files on as they are
  bool is_cut_ = false;
};

}  // namespace notape::trace
