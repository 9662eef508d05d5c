// Recordings for tests: made by hand, or of a few lines of program.
#pragma once
#include <functional>

#include "trace/record/recorder.h"
#include "trace/write/timeline.h"

namespace notape::trace::testing {

/// Runs `program` under the recorder.
Recording record(const std::function<void()>& program, Recorder::Options options = {});

/// A recording that started at 0 and stopped at 1,000,000 ns.
Recording recording_of(std::vector<ThreadRecording> threads);

/// An event; children name the position of their parent.
Event event(EventKind kind, const char* name, int64_t begin_ns, int64_t end_ns,
            uint32_t parent = kNoEvent);
/// An operator during which `nodes` nodes were recorded, the first with this number.
Event operation(const char* name, int64_t begin_ns, int64_t end_ns, uint64_t number, uint32_t nodes,
                uint32_t parent = kNoEvent);
/// A backward node of an operator that thread `recorded_by` ran.
Event node(const char* name, int64_t begin_ns, int64_t end_ns, uint64_t number,
           uint32_t recorded_by);

std::vector<std::string> names_of(const Timeline& timeline, EventKind kind);
/// The first slice of this name; a failing test if there is none.
const Slice& slice_named(const Timeline& timeline, std::string_view name);

/// A fresh file name in the temporary directory; the file is removed at the end of the scope.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view ending);
  ~TemporaryFile();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace notape::trace::testing
