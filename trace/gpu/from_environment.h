// What the environment asks a program to record. NOTAPE_TRACE names the file; libnotape, in
// which there is no recorder, loads this library for it (autograd/observer_from_environment.cpp).
#pragma once
#include <string>

#include "trace/record/recorder.h"

namespace notape::trace {

struct EnvironmentRequest {
  std::string path;
  Recorder::Options options;
};

/// NOTAPE_TRACE=FILE.json[.gz], in which "%p" becomes the process's id, and NOTAPE_TRACE_OPTIONS,
/// some of "shapes", "memory" and "events=N" with commas between. Throws ValueError for others. A
/// process that another one, which records, has started gets its own file: FILE.<pid>.json.
EnvironmentRequest request_of(std::string path, std::string_view options,
                              std::string_view recorded_process);

}  // namespace notape::trace

/// Records the process until it ends, if NOTAPE_TRACE is set. An error is one line on standard
/// error; the program continues.
extern "C" void notape_record_from_environment();
