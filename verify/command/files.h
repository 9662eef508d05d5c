// The files a run leaves in --out: whole or not at all, and made sure of before anything runs,
// since a run of minutes must not end with "permission denied".
#pragma once
#include <memory>

#include "autograd/interchange/output_file.h"
#include "verify/command/arguments.h"

namespace notape::verify {

/// Where the results of an interrupted run go, so that they take no complete ones' place:
/// "report/certificates.jsonl.gz" -> "report/certificates.interrupted.jsonl.gz".
std::string interrupted_name(const std::string& path);

/// A directory that was made for results, and goes again if none came.
class MadeDirectory {
 public:
  explicit MadeDirectory(std::string path) : path_(std::move(path)) {}
  ~MadeDirectory();
  MadeDirectory(const MadeDirectory&) = delete;
  MadeDirectory& operator=(const MadeDirectory&) = delete;

 private:
  const std::string path_;
};

/// Files that belong together.
class ResultFiles {
 public:
  /// A file in a directory, which is made if need be. Throws UsageError if it cannot be written.
  void add(const std::string& directory, const std::string& name);
  bool empty() const { return files_.empty(); }
  /// A text for each, in the order of add(); that of a NAME.gz is compressed. All are on the disk
  /// before the first gets its place; a complete run removes what an interrupted one left. Throws
  /// FileError.
  void publish(const std::vector<std::string>& texts, bool interrupted);

 private:
  std::vector<std::unique_ptr<MadeDirectory>> made_;  // goes after what is written in it
  std::vector<std::unique_ptr<interchange::OutputFile>> files_;
};

/// The one file of a command that writes only JSON, or none if neither --format nor --out is given.
/// Throws UsageError if one is missing, or the format another.
ResultFiles json_file(const std::string& format, const std::string& directory,
                      const std::string& name);

/// The files that --format asks for, and the cases that replay commands name.
class OutputFiles {
 public:
  /// Throws UsageError if a wanted file cannot be written.
  explicit OutputFiles(const Arguments& arguments);
  /// Throws FileError.
  void write(const std::vector<Record>& records, const Gates& gates, bool interrupted);

 private:
  std::vector<Format> formats_;
  ResultFiles files_;
};

}  // namespace notape::verify
