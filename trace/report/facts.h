// Facts: what all sections of a report ask of a trace, found once.
#pragma once
#include <optional>
#include <vector>

#include "trace/analysis/iteration_causes.h"
#include "trace/analysis/saturation.h"
#include "trace/analysis/scope.h"

namespace notape::trace {

/// What a host thread does, in the order in which a moment that fits several is counted.
enum class HostState : unsigned char {
  Allocator,  ///< a call of the driver's memory management
  Sync,       ///< waits for the device
  Blocked,    ///< a launch call that waits for a place in a full queue
  Setup,      ///< first use of a kernel, initialisation
  Call,       ///< any other API call, mostly launches
  Loading,    ///< loads data
  Op,         ///< inside an operator, in none of these
};
constexpr std::size_t kHostStates = 7;
const char* state_label(HostState state);
/// The CSS class of its colour.
const char* state_class(HostState state);

struct HostRow {
  uint32_t thread = 0;
  bool launches = false;
  IntervalSet states[kHostStates] = {};  ///< apart from each other
  int64_t busy_ns = 0;
};

class Facts {
 public:
  explicit Facts(const TraceModel& model);

  const TraceModel& model() const { return model_; }
  /// All of the file, on the page's device.
  const Scope& whole() const { return whole_; }
  /// The device with most ops, which the page is about; nothing if there is none.
  std::optional<int64_t> device() const { return whole_.selection().device; }
  /// The first steps and others from the rest, at most 16; empty if the file marks none.
  const std::vector<const ModelStep*>& steps() const { return steps_; }
  /// The one of median length among those after the first; null without steps.
  const ModelStep* typical_step() const { return typical_; }
  /// What a user would select with --step.
  Scope scope_of(const ModelStep& step) const;
  const Saturation& saturation() const { return saturation_; }
  const IterationCauses& causes() const { return causes_; }

  /// The host threads that launch, or if none does those with most work, busiest first; at most 4.
  const std::vector<HostRow>& host_rows() const { return host_rows_; }
  std::size_t left_out_threads() const { return left_out_threads_; }
  std::string thread_label(uint32_t thread) const;
  /// From the first to the last moment of what host_rows() and the device do.
  Interval active_time() const;

  /// When kernels ran; when only copies and fills did.
  const IntervalSet& kernel_time() const { return kernels_; }
  const IntervalSet& copy_time() const { return copies_; }

 private:
  void choose_steps();
  void find_host_rows();

  const TraceModel& model_;
  Scope whole_;
  std::vector<const ModelStep*> steps_;
  const ModelStep* typical_ = nullptr;
  Saturation saturation_;
  IterationCauses causes_;
  std::vector<HostRow> host_rows_;
  std::size_t left_out_threads_ = 0;
  IntervalSet kernels_, copies_;
};

/// From a step's mark to the next one.
inline Interval span_of_step(const ModelStep& step) { return {step.time.begin, step.mark_end}; }

}  // namespace notape::trace
