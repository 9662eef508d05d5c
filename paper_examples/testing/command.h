// Runs the built program as a user does.
#pragma once
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "autograd/testing/temporary_folder.h"
#include "trace/write/output_file.h"

namespace notape {

struct Outcome {
  int status = -1;
  std::string out, error;

  std::ptrdiff_t error_lines() const { return std::count(error.begin(), error.end(), '\n'); }
};

/// What a shell in that folder makes of the line, which may send its output elsewhere.
inline Outcome outcome_of(const std::string& line, const testing::TemporaryFolder& folder = {}) {
  const int status = std::system(
      ("cd " + folder.path().string() + " && (" + line + ") >out 2>error </dev/null").c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, trace::read_file(folder / "out"),
          trace::read_file(folder / "error")};
}

/// A folder of its own for each test, in which its commands run.
class CommandTest : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_ / name; }
  std::string program(const std::string& name, const std::string& text) const {
    std::filesystem::permissions(folder_.write(name, "#!/bin/sh\n" + text),
                                 std::filesystem::perms::owner_all);
    return path(name);
  }
  Outcome shell(const std::string& line) const { return outcome_of(line, folder_); }
  Outcome run(const std::string& words) const { return shell(NOTAPE_COMMAND " " + words); }

  const testing::TemporaryFolder folder_;
};

}  // namespace notape
