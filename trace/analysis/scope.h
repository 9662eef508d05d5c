// Scope: the part of a trace that an analysis looks at, and the metrics it makes about it.
#pragma once
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trace/analysis/metric.h"
#include "trace/model/rows.h"
#include "trace/model/trace_model.h"

namespace notape::trace {

class WholeFile;

/// What a user selects; nothing of it: the whole file.
struct Selection {
  std::optional<int64_t> first_step, last_step;  ///< numbers, both included
  std::optional<int64_t> device, stream;
  bool as_hta = false;  ///< also what HolisticTraceAnalysis would say, by its own rules
  std::optional<int64_t> saturation_depth;  ///< of the launch queue; else found in the data
  int64_t shortest_dependency_ns = 30'000;  ///< a shorter gap between kernels is the hardware's
  bool all_threads = false;                 ///< also host threads that launch nothing
  bool keep_blocked = false;                ///< count blocked launch calls as host work
  bool with_curves = false;                 ///< every change of the allocator's totals
};

/// What a metric needs of a file to be relied on.
enum Needs : unsigned {
  kNeedsNothing = 0,
  kNeedsGpu = 1,
  kNeedsLinks = 2,    ///< of GPU ops to their launches
  kNeedsFinerUs = 4,  ///< is about less than a few us
  kNeedsNoStacks = 8,
  kNeedsMemory = 16,
  kNeedsSteps = 32,
  kNeedsThreeSteps = 64,
  kNeedsOps = 128,
  kNeedsCalls = 256,      ///< of the driver
  kOfAllProcesses = 512,  ///< a count, which several processes do not spoil
};

class Scope {
 public:
  /// Throws ValueError for a step or device that the file has not.
  Scope(const TraceModel& model, const Selection& selection);

  /// The same of one step alone. Both share the facts about the whole file.
  Scope of_step(const ModelStep& step) const;
  /// The same of the whole file, whichever steps are selected.
  Scope of_all_steps() const;

  const TraceModel& model() const { return model_; }
  const Selection& selection() const { return selection_; }
  WholeFile& file() const { return *file_; }
  /// The devices that are selected.
  const std::vector<int64_t>& devices() const { return devices_; }
  /// The steps that are selected; empty if none was.
  const std::vector<const ModelStep*>& steps() const { return steps_; }
  /// The same, or all of the file.
  std::vector<const ModelStep*> steps_or_all() const;

  /// Whether something that the host begins at this time is selected.
  bool has_host_time(int64_t begin) const;
  /// The moments that are selected; empty if all are.
  const IntervalSet& host_time() const { return host_time_; }
  /// From the first moment that is selected to the last.
  Interval span() const;
  /// `visit(row)` for each row that the host begins at such a time, of a list of the model in its
  /// order: the others cost nothing.
  template <typename Row, typename Visit>
  void each(const std::vector<Row>& rows, Visit visit) const {
    if (steps_.empty()) {
      for (const Row& row : rows) visit(row);
      return;
    }
    for (const Interval& part : host_time_.parts())
      for (const Row& row : rows_in(rows, part)) visit(row);
  }
  /// Whether a GPU op is: it belongs to the step that launches it, whenever it runs.
  bool has(const GpuOp& op) const;
  std::vector<const GpuOp*> gpu_ops(int64_t device) const;

  /// A metric about this scope, with the reasons not to rely on it. A value of `n` 0 is left out.
  Metric metric(std::string name, Value value, const char* unit, uint64_t n,
                unsigned needs = kNeedsNothing) const;
  /// One without a value, since something is missing: `why`.
  Metric no_data(std::string name, const char* unit, const std::string& why,
                 unsigned needs = kNeedsNothing) const;
  Metric metric_of_step(const ModelStep& step, std::string name, Value value, const char* unit,
                        uint64_t n, unsigned needs = kNeedsNothing) const;
  /// Why a metric with these needs is not to be relied on; empty if nothing speaks against it.
  std::string doubts(unsigned needs) const;

 private:
  Scope(const Scope& whole, const ModelStep& step);
  Window window_of(const ModelStep& step) const;
  const TraceModel& model_;
  std::shared_ptr<WholeFile> file_;
  Selection selection_;
  IntervalSet host_time_;  // of the steps
  std::vector<int64_t> devices_;
  std::vector<const ModelStep*> steps_;
};

/// From the first start to the last end; without ops empty.
Interval span_of(const std::vector<const GpuOp*>& ops);

/// a / b, or nothing for b = 0.
Value ratio(int64_t a, int64_t b);

}  // namespace notape::trace
