// The command with its surroundings as arguments, so that tests can give it their own.
#pragma once
#include <cstdio>

#include "verify/runner/runner.h"

namespace notape::verify {

struct Session {
  SpecList specs;
  std::FILE* out;
  std::FILE* err;
  const char* rc_params = nullptr;
  std::string program = {};  ///< the command's own file, to run it in a new process; empty: none
};

/// Whether the device is not there; then a line on `session.err` says why. If this process is going
/// to fork workers, another one asks: a GPU that was used before a fork cannot be used behind it.
bool is_missing(Device device, const Session& session, bool forks = false);

/// Runs the command and returns its exit code; errors are one line on `session.err`.
int run_session(const std::vector<std::string>& words, const Session& session);

}  // namespace notape::verify
