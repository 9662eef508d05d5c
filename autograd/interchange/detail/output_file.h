// OutputFile: a file that appears whole or not at all.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace notape::interchange {

/// Writes to a temporary file beside the target, which commit() renames; pipes and devices are
/// written directly. Every function throws FileError, naming the path, also for a full disk.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  /// Without commit() nothing is left behind, and what was there before is untouched.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(const void* data, std::size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }
  uint64_t written() const { return written_; }
  /// Puts the finished file in its place.
  void commit();

 private:
  [[noreturn]] void fail(int reason) const;

  std::string path_, target_;
  std::string partial_path_;  // renamed to target_ at the end; empty for pipes and devices
  int descriptor_ = -1;
  uint64_t written_ = 0;
};

}  // namespace notape::interchange
