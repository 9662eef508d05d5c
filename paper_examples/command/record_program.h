// notape trace record -- PROGRAM ARGUMENTS: any program that uses libnotape.so, recorded.
#pragma once
#include <string>
#include <vector>

#include "trace/record/recorder.h"

namespace notape::command {

struct ProgramRecording {
  std::vector<std::string> words;  ///< the program and its arguments
  std::string path;                ///< of the trace; empty: PROGRAM.json.gz
  trace::Recorder::Options options;
};

/// Runs the program with NOTAPE_TRACE in its environment, hands signals on to it, says on standard
/// error what was written, and returns its exit status (128 and the signal's number if a signal
/// ended it), or 2 for one that was fine and recorded nothing. Throws ValueError and FileError
/// before anything runs.
int record_program(const ProgramRecording& recording);

}  // namespace notape::command
