#include "trace/write/device_timeline.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "trace/record/event_number.h"

namespace notape::trace {
namespace {

/// Slices by the number their event had while it ran.
class SliceFinder {
 public:
  SliceFinder(const Recording& recording, const Timeline& timeline) {
    uint32_t thread_number = 0, operations = 0, ranges = 0;
    std::size_t thread = SIZE_MAX;
    for (std::size_t i = 0; i < timeline.slices.size(); ++i) {
      const Slice& slice = timeline.slices[i];
      if (slice.thread != thread) {
        thread = slice.thread;
        thread_number = recording.threads[thread].number;
        operations = ranges = 0;
      }
      const bool is_range = slice.kind == EventKind::Range || slice.kind == EventKind::Step;
      auto& known = is_range ? ranges_ : operations_;
      known[event_number(thread_number, is_range ? ranges++ : operations++)] =
          static_cast<int64_t>(i);
    }
  }

  int64_t operation(uint64_t number) const { return find(operations_, number); }
  int64_t range(uint64_t number) const { return find(ranges_, number); }

 private:
  using Known = std::map<uint64_t, int64_t>;
  static int64_t find(const Known& known, uint64_t number) {
    const auto found = number ? known.find(number) : known.end();
    return found == known.end() ? -1 : found->second;
  }

  Known operations_, ranges_;
};

bool comes_before(int64_t begin_a, int64_t end_a, int64_t begin_b, int64_t end_b) {
  return begin_a != begin_b ? begin_a < begin_b : end_a > end_b;
}

/// Moves calls so that they nest strictly: into the slice that made them, and in the slices and
/// calls around them.
class CallNesting {
 public:
  CallNesting(const Timeline& timeline, DeviceTimeline& result)
      : timeline_(timeline), result_(result) {}

  void run() {
    std::map<int64_t, std::vector<Item>> rows;  // by tid
    for (const Slice& slice : timeline_.slices)
      rows[timeline_.threads[slice.thread].tid].push_back({slice.begin_ns, slice.end_ns, nullptr});
    for (DeviceSlice& call : result_.slices) {
      if (!call.row->is_call()) continue;
      if (call.operation >= 0)
        enter(call, timeline_.slices[static_cast<std::size_t>(call.operation)]);
      rows[call.row->tid].push_back({call.begin_ns, call.end_ns, &call});
    }
    for (auto& [tid, items] : rows) nest(items);
  }

 private:
  struct Item {
    int64_t begin, end;
    DeviceSlice* call;  // null: a slice of the timeline, which stays as it is
  };

  void move(DeviceSlice& call, int64_t begin, int64_t end) {
    end = std::max(end, begin + 1);
    result_.clipped += begin != call.begin_ns || end != call.end_ns;
    call.begin_ns = begin;
    call.end_ns = end;
  }

  /// Into the operation, unless the clocks differ so much that no part of the call lies there.
  void enter(DeviceSlice& call, const Slice& operation) {
    if (call.end_ns <= operation.begin_ns || call.begin_ns >= operation.end_ns) return;
    move(call, std::max(call.begin_ns, operation.begin_ns),
         std::min(call.end_ns, operation.end_ns));
  }

  void nest(std::vector<Item>& items) {
    std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
      return comes_before(a.begin, a.end, b.begin, b.end);
    });
    std::vector<const Item*> open;
    for (std::size_t i = 0; i < items.size(); ++i) {
      Item& item = items[i];
      while (!open.empty() && open.back()->end <= item.begin) open.pop_back();
      if (item.call) {
        // A slice that begins inside the call and ends after it: the call ends there.
        if (!open.empty()) item.end = std::min(item.end, open.back()->end);
        for (std::size_t next = i + 1; next < items.size() && items[next].begin < item.end; ++next)
          if (!items[next].call && items[next].end > item.end) item.end = items[next].begin;
        move(*item.call, item.begin, item.end);
      }
      open.push_back(&item);
    }
  }

  const Timeline& timeline_;
  DeviceTimeline& result_;
};

void add_stream_ranges(const Timeline& timeline, DeviceTimeline& result) {
  std::map<std::tuple<int64_t, int32_t, int64_t>, StreamRange> spans;
  for (const DeviceSlice& slice : result.slices) {
    if (!slice.row->is_work()) continue;
    for (int64_t range = slice.range; range >= 0;) {
      const Slice& on_host = timeline.slices[static_cast<std::size_t>(range)];
      // Steps are left out: tools that look for the last step by name would find the GPU's.
      if (on_host.kind == EventKind::Range) {
        const DeviceRow& row = *slice.row;
        StreamRange& span = spans
                                .try_emplace({range, row.device, row.stream},
                                             StreamRange{range, row.device, row.stream,
                                                         slice.begin_ns, slice.end_ns})
                                .first->second;
        span.begin_ns = std::min(span.begin_ns, slice.begin_ns);
        span.end_ns = std::max(span.end_ns, slice.end_ns);
      }
      range = on_host.parent;
    }
  }
  for (const auto& [key, span] : spans) result.ranges.push_back(span);
  std::stable_sort(result.ranges.begin(), result.ranges.end(),
                   [](const StreamRange& a, const StreamRange& b) {
                     return comes_before(a.begin_ns, a.end_ns, b.begin_ns, b.end_ns);
                   });
}

}  // namespace

DeviceTimeline make_device_timeline(const Recording& recording, const Timeline& timeline) {
  DeviceTimeline result;
  const SliceFinder finder(recording, timeline);
  const int64_t zero = recording.started.monotonic_ns;
  std::map<uint64_t, const DeviceRow*> call_of;
  for (const DeviceRow& row : recording.device.rows)
    if (row.is_call() && row.correlation) call_of.try_emplace(row.correlation, &row);
  for (const DeviceRow& row : recording.device.rows) {
    if (row.begin_ns < zero) continue;  // the session had not begun
    DeviceSlice slice{&row, row.begin_ns - zero, std::max(row.end_ns, row.begin_ns + 1) - zero};
    const DeviceRow* asked = &row;
    if (!row.is_call()) {
      const auto call = row.correlation ? call_of.find(row.correlation) : call_of.end();
      if (call != call_of.end()) asked = call->second;
    }
    slice.operation = finder.operation(asked->operation);
    slice.range = asked->range ? finder.range(asked->range) : slice.operation;
    result.slices.push_back(slice);
  }
  CallNesting(timeline, result).run();
  std::stable_sort(result.slices.begin(), result.slices.end(),
                   [](const DeviceSlice& a, const DeviceSlice& b) {
                     return comes_before(a.begin_ns, a.end_ns, b.begin_ns, b.end_ns);
                   });
  add_stream_ranges(timeline, result);
  return result;
}

}  // namespace notape::trace
