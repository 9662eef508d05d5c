// OutputFile: a file that appears whole or not at all.
#pragma once
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace notape::interchange {

/// Writes beside the target, which stays as it was until commit() puts the finished file in its
/// place; pipes and devices are written directly. Where the file system can do that, the unfinished
/// file has no name, so nothing remains however the process ends; elsewhere it is called
/// `NAME.partial-PID-N`, and the next one for NAME removes it if its writer has ended. Keeps the
/// permissions of a file that it replaces, and replaces none that is write-protected. Every
/// function throws FileError, naming the path, also for a full disk.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  /// Without commit() no file remains, and the earlier file is untouched.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  const std::string& path() const { return path_; }
  void write(const void* data, std::size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }
  uint64_t written() const { return written_; }
  /// For a library that writes to a descriptor; it stays this object's.
  int descriptor() const { return descriptor_; }
  /// All of it is on the disk, though not in its place yet: of several files that belong together
  /// all are finished before the first is committed.
  void finish();
  /// Puts the finished file in its place.
  void commit();

 private:
  [[noreturn]] void fail(int reason) const;
  void open_beside();
  void drop();

  std::string path_, target_;
  std::string partial_path_;  // its name until it is in its place; empty for pipes and devices
  bool nameless_ = false;     // it has that name for a moment only, in commit()
  int descriptor_ = -1;
  int slot_ = -1;  // where remove_partial_files() finds its name
  pid_t owner_ = -1;
  uint64_t written_ = 0;
};

/// Removes what unfinished OutputFiles of this process have put under a name. Safe in a handler of
/// a signal that is about to end the process.
void remove_partial_files() noexcept;

}  // namespace notape::interchange
