// DeviceLines: a device's rows as lines of a trace file, spelled as PyTorch's profiler spells them.
#pragma once
#include <functional>
#include <span>
#include <string>

#include "trace/write/device_timeline.h"

namespace notape::trace {

class DeviceLines {
 public:
  using Write = std::function<void(std::string_view line)>;

  /// `pid`: that of the host's rows. Both must outlive the lines.
  DeviceLines(const Recording& recording, const Timeline& timeline, int64_t pid);

  /// Names of the devices and streams; they stand before every other line.
  void write_names(const Write& write) const;
  /// The lines that stand before a slice of this begin and duration and are not written yet.
  /// `external_ids`: of the timeline's slices, as far as they are written.
  void write_before(int64_t begin_ns, int64_t duration_ns, std::span<const uint64_t> external_ids,
                    const Write& write);
  void write_rest(std::span<const uint64_t> external_ids, const Write& write);

  uint64_t clipped() const { return device_.clipped; }

 private:
  void write_next(std::span<const uint64_t> external_ids, const Write& write);
  void write_range(const StreamRange& range, const Write& write) const;
  void write_slice(const DeviceSlice& slice, std::span<const uint64_t> external_ids,
                   const Write& write) const;
  std::string arguments(const DeviceSlice& slice, std::span<const uint64_t> external_ids) const;
  bool range_is_next() const;

  const Recording& recording_;
  const Timeline& timeline_;
  const int64_t pid_;
  const DeviceTimeline device_;
  std::vector<bool> has_flow_;  // by place: the call and its one op are both there
  std::size_t slice_ = 0, range_ = 0;
};

}  // namespace notape::trace
