// The files a run leaves in --out. They are opened before anything runs: a run of minutes must not
// end with "permission denied".
#pragma once
#include <fstream>

#include "verify/command/arguments.h"

namespace notape::verify {

/// Opens a file in a directory, which it makes if need be. Throws UsageError.
std::ofstream open_output(const std::string& directory, const std::string& name);

class OutputFiles {
 public:
  /// Throws UsageError if a wanted file cannot be written.
  explicit OutputFiles(const Arguments& arguments);
  /// Throws UsageError if writing fails.
  void write(const std::vector<Record>& records, const Gates& gates);

 private:
  std::string directory_;
  std::vector<std::pair<Format, std::ofstream>> files_;
};

}  // namespace notape::verify
