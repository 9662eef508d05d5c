#include "trace/report/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "trace/analysis/host_time.h"
#include "trace/model/rows.h"
#include "trace/report/words.h"

namespace notape::trace {
namespace {

constexpr std::size_t kMostSteps = 16, kFirstSteps = 3, kSlowestSteps = 8, kMostThreads = 4;

/// Of those that are selected, or all.
Selection busiest_device(const TraceModel& model, Selection selection) {
  if (selection.device) return selection;
  std::map<int64_t, int64_t> ops;
  for (const GpuOp& op : model.gpu_ops) ++ops[op.device];
  int64_t most = 0;
  for (const auto& [device, count] : ops)
    if (count > most) {
      most = count;
      selection.device = device;
    }
  return selection;
}

HostState state_of(const ApiCall& call, const IterationCauses& causes) {
  switch (causes.of(call)) {
    case IterationCause::Free:
    case IterationCause::DeviceAllocation:
    case IterationCause::HostAllocation:
      return HostState::Allocator;
    case IterationCause::Sync:
      return HostState::Sync;
    case IterationCause::FirstUse:
    case IterationCause::Initialisation:
      return HostState::Setup;
    default:
      return HostState::Call;
  }
}

}  // namespace

const char* state_label(HostState state) {
  constexpr const char* kLabels[] = {"allocator call",         "waits for the device",
                                     "waits for a full queue", "first use and initialisation",
                                     "launch or other call",   "loads data",
                                     "operator itself"};
  return kLabels[static_cast<std::size_t>(state)];
}

const char* state_class(HostState state) {
  constexpr const char* kClasses[] = {"allocator", "sync",    "blocked", "setup",
                                      "call",      "loading", "op"};
  return kClasses[static_cast<std::size_t>(state)];
}

Facts::Facts(const TraceModel& model, const Selection& selection)
    : model_(model),
      whole_(model, busiest_device(model, selection)),
      all_steps_(whole_.steps_or_all()),
      is_of_chosen_device_(selection.device.has_value()),
      causes_(&whole_.file().causes({})) {
  if (device()) saturation_ = &whole_.file().saturation(*device(), {});
  const auto time_on_device = [&](bool of_kernels) {
    return time_of(model.gpu_ops, [&](const GpuOp& op) {
      return op.device == device() && (op.kind == GpuOpKind::Kernel) == of_kernels;
    });
  };
  kernels_ = time_on_device(true);
  copies_ = time_on_device(false) - kernels_;
  choose_steps();
  find_host_rows();
}

void Facts::choose_steps() {
  const auto is_shorter = [](const ModelStep* a, const ModelStep* b) {
    return span_of_step(*a).length() < span_of_step(*b).length();
  };
  std::vector<const ModelStep*> later(all_steps_.begin() + (all_steps_.size() > 1),
                                      all_steps_.end());
  std::stable_sort(later.begin(), later.end(), is_shorter);
  if (!later.empty()) typical_ = later[later.size() / 2];
  steps_ = all_steps_;
  if (all_steps_.size() <= kMostSteps) return;
  // The first, the slowest, and what lies around the middle: without repetition, in their order.
  std::set<const ModelStep*> chosen(all_steps_.begin(), all_steps_.begin() + kFirstSteps);
  for (std::size_t i = 0; i < kSlowestSteps; ++i) chosen.insert(later[later.size() - 1 - i]);
  const std::size_t first_and_slowest = chosen.size();
  for (std::size_t i = 0; chosen.size() < kMostSteps; ++i) {
    const std::size_t away = (i + 1) / 2, middle = later.size() / 2;
    chosen.insert(later[i % 2 ? middle - away : middle + away]);
  }
  std::erase_if(steps_, [&](const ModelStep* step) { return !chosen.contains(step); });
  chosen_words_ = fmt::format(
      "Pictures and tables of steps show {} of the {}: the first {}, the {} slowest, and {} of "
      "about median length. Figures of all steps are about all of them.",
      steps_.size(), all_steps_.size(), kFirstSteps, kSlowestSteps, kMostSteps - first_and_slowest);
}

bool Facts::shows(std::string_view step_name) const {
  return std::any_of(steps_.begin(), steps_.end(),
                     [&](const ModelStep* step) { return step->name == step_name; });
}

void Facts::find_host_rows() {
  struct Times {
    std::vector<Interval> states[kHostStates];
    bool launches = false;
  };
  std::vector<Times> threads(model_.threads.size());
  const auto add = [&](uint32_t thread, HostState state, const Interval& time) {
    threads[thread].states[static_cast<std::size_t>(state)].push_back(time);
  };
  for (const HostOp& op : model_.ops) add(op.thread, HostState::Op, op.time);
  for (const Annotation& annotation : model_.annotations)
    if (is_data_loading_name(model_.name(annotation.name)))
      add(annotation.thread, HostState::Loading, annotation.time);
  for (const ApiCall& call : model_.calls) {
    add(call.thread, state_of(call, *causes_), call.time);
    threads[call.thread].launches |= call.is_linked();
  }
  for (const LaunchDepth& launch : saturation_->launches)
    if (launch.blocked_ns > 0) add(launch.call->thread, HostState::Blocked, launch.blocked());

  for (std::size_t i = 0; i < threads.size(); ++i) {
    HostRow row{.thread = static_cast<uint32_t>(i), .launches = threads[i].launches};
    for (std::size_t state = 0; state < kHostStates; ++state)
      row.states[state] = IntervalSet(std::move(threads[i].states[state]));
    make_apart(row.states);
    for (const IntervalSet& state : row.states) row.busy_ns += state.length_within(window());
    if (row.busy_ns > 0) host_rows_.push_back(std::move(row));
  }
  std::stable_sort(host_rows_.begin(), host_rows_.end(), [](const HostRow& a, const HostRow& b) {
    return std::pair(!a.launches, -a.busy_ns) < std::pair(!b.launches, -b.busy_ns);
  });
  const std::size_t all = host_rows_.size();
  host_rows_.resize(std::min(all, kMostThreads));
  left_out_threads_ = all - host_rows_.size();
}

Interval Facts::active_time() const {
  std::vector<Interval> ends;
  const auto add = [&](const IntervalSet& time) {
    if (time.empty()) return;
    ends.push_back({time.parts().front().begin, time.parts().back().end});
  };
  for (const HostRow& row : host_rows_)
    for (const IntervalSet& state : row.states) add(state.within(window()));
  add(kernels_.within(window()));
  add(copies_.within(window()));
  if (ends.empty()) return window();
  Interval active = ends.front();
  for (const Interval& one : ends)
    active = {std::min(active.begin, one.begin), std::max(active.end, one.end)};
  return common_part(active, window());
}

std::string Facts::thread_label(uint32_t thread) const {
  const HostThread& one = model_.threads[thread];
  const std::string_view name = model_.name(one.name), text = model_.name(one.tid_text);
  // "thread 12 (python)" is "python (12)": what tells threads apart is then not cut off.
  const std::string number = "thread " + std::to_string(one.tid) + " (";
  if (name.starts_with(number) && name.ends_with(')'))
    return short_name(name.substr(number.size(), name.size() - number.size() - 1), 13) +
           fmt::format(" ({})", one.tid);
  if (!name.empty()) return short_name(name, 21);
  return "thread " + (text.empty() ? std::to_string(one.tid) : short_name(text, 14));
}

}  // namespace notape::trace
