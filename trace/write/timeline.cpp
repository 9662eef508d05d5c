#include "trace/write/timeline.h"

#include <algorithm>
#include <map>

namespace notape::trace {
namespace {

constexpr uint64_t kNoSequenceNr = UINT64_MAX;  // what accumulators have instead of a number

/// Who recorded a node: the thread's number and the node's.
using NodeKey = std::pair<uint32_t, uint64_t>;
using Recorders = std::map<NodeKey, std::size_t>;

/// Strict nesting: no slice is empty, siblings do not overlap, a parent covers its children.
class Nesting {
 public:
  explicit Nesting(Timeline& timeline) : timeline_(timeline) {}

  /// Takes the next slice in the order of beginnings.
  void add(std::size_t place) {
    Slice& slice = timeline_.slices[place];
    while (!open_.empty() && static_cast<int64_t>(open_.back()) != slice.parent) close();
    const int64_t begin = std::max(slice.begin_ns, free_from_);
    const int64_t end = std::max(slice.end_ns, begin + 1);
    if (begin != slice.begin_ns || end != slice.end_ns) ++timeline_.clipped;
    slice.begin_ns = free_from_ = begin;
    slice.end_ns = end;
    open_.push_back(place);
  }
  void finish() {
    while (!open_.empty()) close();
  }

 private:
  void close() {
    const Slice& slice = timeline_.slices[open_.back()];
    open_.pop_back();
    free_from_ = slice.end_ns;
    if (slice.parent < 0) return;
    Slice& parent = timeline_.slices[static_cast<std::size_t>(slice.parent)];
    parent.children_ns += slice.duration_ns();
    if (parent.end_ns >= slice.end_ns) return;
    parent.end_ns = slice.end_ns;
    ++timeline_.clipped;
  }

  Timeline& timeline_;
  std::vector<std::size_t> open_;
  int64_t free_from_ = 0;
};

/// Of the nodes recorded while an operator ran, those that no operator inside it recorded are its
/// own. Operators inside come later in the list.
void claim_nodes(Timeline& timeline, const ThreadRecording& thread, std::size_t first,
                 Recorders& recorders) {
  for (std::size_t i = thread.events.size(); i-- > 0;) {
    const Event& event = thread.events[i];
    if (event.kind != EventKind::Operator) continue;
    Slice& slice = timeline.slices[first + i];
    for (uint64_t number = event.number; number < event.number + event.nodes_recorded; ++number)
      if (recorders.try_emplace({thread.number, number}, first + i).second && slice.sequence_nr < 0)
        slice.sequence_nr = static_cast<int64_t>(number);
  }
}

void add_thread(Timeline& timeline, const Recording& recording, const ThreadRecording& thread,
                Recorders& recorders) {
  const std::size_t first = timeline.slices.size();
  const int64_t zero = recording.started.monotonic_ns;
  for (const Event& event : thread.events) {
    Slice slice{event.kind, event.name};
    slice.operands = event.operands;
    slice.thread = timeline.threads.size();
    slice.begin_ns = std::max<int64_t>(event.begin_ns - zero, 0);
    slice.unfinished = event.end_ns == 0;
    slice.end_ns = (slice.unfinished ? recording.stopped.monotonic_ns : event.end_ns) - zero;
    if (event.parent != kNoEvent) slice.parent = static_cast<int64_t>(first + event.parent);
    if (event.kind == EventKind::Step) slice.step = event.number;
    if (event.kind == EventKind::Node && event.number != kNoSequenceNr)
      slice.sequence_nr = static_cast<int64_t>(event.number);
    timeline.unfinished += slice.unfinished;
    timeline.slices.push_back(std::move(slice));
  }
  Nesting nesting(timeline);
  for (std::size_t i = first; i < timeline.slices.size(); ++i) nesting.add(i);
  nesting.finish();
  claim_nodes(timeline, thread, first, recorders);
  timeline.threads.push_back({thread.tid, thread.name, thread.dropped});
}

void link_nodes(Timeline& timeline, const Recording& recording, const Recorders& recorders) {
  std::size_t place = 0;
  for (const ThreadRecording& thread : recording.threads) {
    for (const Event& event : thread.events) {
      Slice& slice = timeline.slices[place];
      if (slice.kind == EventKind::Node && slice.sequence_nr >= 0) {
        const auto found = recorders.find({event.recorded_by, event.number});
        if (found != recorders.end()) {
          const std::size_t forward_thread = timeline.slices[found->second].thread;
          slice.forward_tid = timeline.threads[forward_thread].tid;
          timeline.links.push_back({found->second, place});
        }
      }
      ++place;
    }
  }
}

}  // namespace

Timeline make_timeline(const Recording& recording) {
  Timeline timeline;
  timeline.slices.reserve(recording.events());
  Recorders recorders;
  for (const ThreadRecording& thread : recording.threads)
    add_thread(timeline, recording, thread, recorders);
  link_nodes(timeline, recording, recorders);
  return timeline;
}

}  // namespace notape::trace
