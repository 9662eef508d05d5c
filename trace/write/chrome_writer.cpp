#include "trace/write/chrome_writer.h"

#include <algorithm>
#include <numeric>

#include "autograd/error.h"
#include "trace/write/chrome_rows.h"
#include "trace/write/device_lines.h"
#include "trace/write/output_file.h"
#include "trace/write/trace_metadata.h"

namespace notape::trace {
namespace {

class Writer {
 public:
  Writer(const Recording& recording, const Timeline& timeline, OutputFile& file)
      : recording_(recording),
        timeline_(timeline),
        file_(file),
        device_(recording, timeline, rows_.pid()),
        external_ids_(timeline.slices.size()) {}

  void write(std::string_view trace_name) {
    file_.write(trace_head(recording_.started, trace_metadata(recording_, totals())));
    rows_.add_process();
    for (const ThreadRow& thread : timeline_.threads) rows_.add_thread(thread.tid, thread.name);
    device_.write_names(write_line_);
    write_slices();
    write_memory();
    flush();
    file_.write(trace_tail(trace_name, ""));
  }

 private:
  TraceTotals totals() const {
    TraceTotals totals;
    for (const ThreadRow& thread : timeline_.threads)
      if (thread.dropped) totals.dropped.emplace_back(thread.tid, thread.dropped);
    totals.events = timeline_.slices.size();
    totals.threads = timeline_.threads.size();
    totals.unfinished = timeline_.unfinished;
    totals.clipped = timeline_.clipped + device_.clipped();
    return totals;
  }

  void flush() {
    file_.write(rows_.text());
    rows_.clear();
  }

  /// By (ts, -dur), parents before children; links right after the later of their slices.
  void write_slices() {
    const auto& slices = timeline_.slices;
    std::vector<std::size_t> order(slices.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      if (slices[a].begin_ns != slices[b].begin_ns) return slices[a].begin_ns < slices[b].begin_ns;
      return slices[a].duration_ns() > slices[b].duration_ns();
    });
    constexpr std::size_t kNone = SIZE_MAX;
    std::vector<std::size_t> recorded_by(slices.size(), kNone);
    for (const BackwardLink& link : timeline_.links) recorded_by[link.backward] = link.forward;
    for (const std::size_t place : order) {
      device_.write_before(slices[place].begin_ns, slices[place].duration_ns(), external_ids_,
                           write_line_);
      write_slice(slices[place]);
      external_ids_[place] = rows_.operations();
      if (recorded_by[place] != kNone) {
        const Slice &from = slices[recorded_by[place]], &to = slices[place];
        rows_.add_link(tid(from), from.begin_ns, tid(to), to.begin_ns);
      }
      if (rows_.text().size() > 1 << 16) flush();
    }
    device_.write_rest(external_ids_, write_line_);
  }

  void write_slice(const Slice& slice) {
    rows_.add_slice({slice.kind, slice.name, slice.step, tid(slice), slice.begin_ns,
                     slice.duration_ns(), slice.sequence_nr, slice.forward_tid, slice.unfinished,
                     &slice.operands});
  }

  void write_memory() {
    const int64_t zero = recording_.started.monotonic_ns;
    for (const ThreadRecording& thread : recording_.threads)
      for (const RecordedMemory& memory : thread.memory) {
        rows_.add_memory(memory, thread.tid, std::max<int64_t>(memory.time_ns - zero, 0));
        if (rows_.text().size() > 1 << 16) flush();
      }
  }

  int64_t tid(const Slice& slice) const { return timeline_.threads[slice.thread].tid; }

  const Recording& recording_;
  const Timeline& timeline_;
  OutputFile& file_;
  ChromeRows rows_;
  DeviceLines device_;
  const DeviceLines::Write write_line_ = [this](std::string_view line) { rows_.add_line(line); };
  std::vector<uint64_t> external_ids_;  // by slice, as far as they are written
};

}  // namespace

bool is_trace_path(std::string_view path) {
  return path.ends_with(".json") || path.ends_with(".json.gz");
}

void write_chrome_trace(const Recording& recording, const Timeline& timeline,
                        const std::string& path) {
  if (!is_trace_path(path))
    throw ValueError("{}: the name of a trace ends in .json or .json.gz", path);
  OutputFile file(path);
  Writer(recording, timeline, file).write(path.substr(path.find_last_of('/') + 1));
  file.commit();
}

}  // namespace notape::trace
