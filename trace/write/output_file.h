// OutputFile: a file that appears whole or not at all; compressed if its name ends in ".gz".
#pragma once
#include <string>
#include <string_view>

#include "autograd/interchange/output_file.h"
#include "autograd/interchange/zlib.h"

namespace notape::trace {

class OutputFile {
 public:
  /// Throws FileError if the file cannot be made. Without commit() nothing is left behind.
  explicit OutputFile(std::string path);
  /// Throws FileError, also for a full disk, like commit().
  void write(std::string_view text);
  /// Puts the finished file in its place.
  void commit();

 private:
  [[noreturn]] void fail(std::string_view what) const;

  interchange::OutputFile file_;
  interchange::GzFile packer_;  // writes to file_
};

/// The whole file as text, unpacked if it is compressed. Throws FileError.
std::string read_file(const std::string& path);

}  // namespace notape::trace
