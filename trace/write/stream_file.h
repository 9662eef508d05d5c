// StreamFile: a file that is written while a program runs. Until commit() it has another name,
// which it keeps if the process is killed; everything that was flushed can be read.
#pragma once
#include <string>
#include <string_view>

#include "autograd/interchange/zlib.h"

namespace notape::trace {

/// "a/trace.json.gz" -> "a/trace.<what>.json.gz". Throws ValueError unless the name is that of a
/// trace.
std::string beside(const std::string& path, std::string_view what);

class StreamFile {
 public:
  /// Throws ValueError for a name that is none of a trace, and FileError if it cannot be written.
  explicit StreamFile(const std::string& path);
  /// Without commit() the file is removed.
  ~StreamFile();
  StreamFile(const StreamFile&) = delete;
  StreamFile& operator=(const StreamFile&) = delete;

  /// Throws FileError, also for a full disk, like flush() and commit().
  void write(std::string_view text);
  /// What was written so far outlives the process.
  void flush();
  /// Puts the finished file in its place, or in that of another name.
  void commit(const std::string& path);
  void commit() { commit(path_); }
  /// Removes the file. Call it on the thread that writes: perhaps no other thread blocks the
  /// signals of full disks.
  void discard() noexcept;
  const std::string& path() const { return path_; }

 private:
  [[noreturn]] void fail() const;

  const std::string path_;
  std::string partial_path_;  // empty: what `path` names is no regular file, and is written itself
  interchange::GzFile packer_;
};

}  // namespace notape::trace
