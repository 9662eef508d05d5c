#include "trace/testing/recordings.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>

namespace notape::trace::testing {

Recording record(const std::function<void()>& program, Recorder::Options options) {
  Recorder::instance().start(options);
  program();
  return Recorder::instance().stop();
}

Recording recording_of(std::vector<ThreadRecording> threads) {
  Recording recording;
  recording.threads = std::move(threads);
  recording.started = {1'700'000'000'000'000'000, 0};
  recording.stopped = {1'700'000'000'001'000'000, 1'000'000};
  recording.events_per_thread = 1000;
  return recording;
}

Event event(EventKind kind, const char* name, int64_t begin_ns, int64_t end_ns, uint32_t parent) {
  return {name, begin_ns, end_ns, 0, parent, 0, 0, kind};
}

Event operation(const char* name, int64_t begin_ns, int64_t end_ns, uint64_t number, uint32_t nodes,
                uint32_t parent) {
  return {name, begin_ns, end_ns, number, parent, nodes, 0, EventKind::Operator};
}

Event node(const char* name, int64_t begin_ns, int64_t end_ns, uint64_t number,
           uint32_t recorded_by) {
  return {name, begin_ns, end_ns, number, kNoEvent, 0, recorded_by, EventKind::Node};
}

std::vector<std::string> names_of(const Timeline& timeline, EventKind kind) {
  std::vector<std::string> names;
  for (const Slice& slice : timeline.slices)
    if (slice.kind == kind) names.emplace_back(slice.name);
  return names;
}

const Slice& slice_named(const Timeline& timeline, std::string_view name) {
  for (const Slice& slice : timeline.slices)
    if (slice.name == name) return slice;
  ADD_FAILURE() << "no slice named " << name;
  static const Slice none{EventKind::Range, "none"};
  return none;
}

TemporaryFile::TemporaryFile(std::string_view ending) {
  static std::atomic<int> count{0};
  path_ = std::filesystem::temp_directory_path() /
          ("notape-" + std::to_string(getpid()) + "-" + std::to_string(count++));
  path_ += ending;
}
TemporaryFile::~TemporaryFile() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

}  // namespace notape::trace::testing
