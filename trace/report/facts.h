// Facts: what all sections of a report ask of a trace, found once.
#pragma once
#include <optional>
#include <vector>

#include "trace/analysis/scope.h"
#include "trace/analysis/whole_file.h"

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
  /// Of what is selected the steps and the device count.
  explicit Facts(const TraceModel& model, const Selection& selection = {});
  Facts(const Facts&) = delete;
  Facts& operator=(const Facts&) = delete;

  const TraceModel& model() const { return model_; }
  /// What the page is about: all of the file, or the selected steps, on one device.
  const Scope& whole() const { return whole_; }
  bool is_of_chosen_device() const { return is_of_chosen_device_; }
  bool is_of_steps() const { return !whole_.steps().empty(); }
  /// Of the host: the file's, or from the first selected step to the last.
  Interval window() const { return whole_.span(); }
  /// The device with most ops, which the page is about; nothing if there is none.
  std::optional<int64_t> device() const { return whole_.selection().device; }
  /// All that the page is about; empty if the file marks none.
  const std::vector<const ModelStep*>& all_steps() const { return all_steps_; }
  /// Those that pictures and tables show, at most 16: if there are more, the first ones, the
  /// slowest, and those of about median length.
  const std::vector<const ModelStep*>& steps() const { return steps_; }
  bool shows(std::string_view step_name) const;
  /// Which they are, in a sentence; empty if they are all.
  const std::string& chosen_words() const { return chosen_words_; }
  /// The one of median length among those after the first; null without steps.
  const ModelStep* typical_step() const { return typical_; }
  /// What a user would select with --step.
  Scope scope_of(const ModelStep& step) const { return whole_.of_step(step); }
  const Saturation& saturation() const { return *saturation_; }
  const IterationCauses& causes() const { return *causes_; }

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
  std::vector<const ModelStep*> all_steps_, steps_;
  std::string chosen_words_;
  bool is_of_chosen_device_;
  const ModelStep* typical_ = nullptr;
  Saturation no_saturation_;  // of a file without devices
  const Saturation* saturation_ = &no_saturation_;
  const IterationCauses* causes_;
  std::vector<HostRow> host_rows_;
  std::size_t left_out_threads_ = 0;
  IntervalSet kernels_, copies_;
};

/// From a step's mark to the next one.
inline Interval span_of_step(const ModelStep& step) { return {step.time.begin, step.mark_end}; }

}  // namespace notape::trace
