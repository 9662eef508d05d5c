#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "trace/model/model_structure.h"
#include "trace/model/name_pattern.h"
#include "trace/reader/decimal.h"

namespace notape::trace {
namespace {

constexpr std::string_view kProfilerStep = "ProfilerStep#";

struct Mark {
  uint32_t process;
  Interval time;
  std::string name;
  std::optional<int64_t> number;
};

std::vector<Mark> profiler_steps(const TraceModel& model) {
  std::vector<Mark> marks;
  // Of a step that several threads note the first row counts. Its number may come again later.
  std::map<std::pair<uint32_t, std::string_view>, Interval> seen;
  for (const Annotation& annotation : model.annotations) {
    const std::string_view name = model.name(annotation.name);
    if (!name.starts_with(kProfilerStep)) continue;
    const uint32_t process = model.threads[annotation.thread].process;
    const auto [before, is_new] = seen.try_emplace({process, name}, annotation.time);
    if (!is_new && annotation.time.begin < std::max(before->second.end, before->second.begin + 1))
      continue;
    before->second = annotation.time;
    marks.push_back({process, annotation.time, std::string(name),
                     whole_number(name.substr(kProfilerStep.size()))});
  }
  return marks;
}

template <typename Matches>
std::vector<Mark> starts(const TraceModel& model, Matches matches) {
  std::vector<Mark> marks;
  const auto add = [&](const auto& rows) {
    for (const auto& row : rows)
      if (matches(model.name(row.name)))
        marks.push_back(
            {model.threads[row.thread].process, row.time, std::string(model.name(row.name)), {}});
  };
  add(model.annotations);
  add(model.ops);
  std::sort(marks.begin(), marks.end(), [](const Mark& a, const Mark& b) {
    return std::pair(a.time.begin, a.process) < std::pair(b.time.begin, b.process);
  });
  return marks;
}

/// The end of the last row of each.
std::vector<int64_t> ends_of_processes(const TraceModel& model) {
  if (!model.is_of_several())
    return std::vector<int64_t>(std::max<std::size_t>(1, model.processes.size()), model.time.end);
  std::vector<int64_t> ends(model.processes.size(), model.time.begin);
  const auto note = [&](std::size_t process, int64_t end) {
    ends[process] = std::max(ends[process], end);
  };
  for (const HostOp& op : model.ops) note(model.threads[op.thread].process, op.time.end);
  for (const ApiCall& call : model.calls) note(model.threads[call.thread].process, call.time.end);
  for (const Annotation& one : model.annotations)
    note(model.threads[one.thread].process, one.time.end);
  for (const GpuOp& op : model.gpu_ops)
    if (op.process != kNowhere) note(static_cast<std::size_t>(op.process), op.time.end);
  return ends;
}

}  // namespace

void find_steps(TraceModel& model, const std::string& step_regex) {
  std::vector<Mark> marks;
  bool is_whole_step = false;  // the mark's row is the step, not only its start
  if (!step_regex.empty()) {
    const NamePattern wanted(step_regex);
    marks = starts(model, [&](std::string_view name) { return wanted.is_in(name); });
    model.step_source = "starts of /" + step_regex + "/";
  } else if (!(marks = profiler_steps(model)).empty()) {
    is_whole_step = true;
    model.step_source = "ProfilerStep#N";
  } else {
    marks = starts(model, is_data_loading_name);
    model.step_source = "starts of enumerate(DataLoader)";
  }
  if (marks.empty()) model.step_source.clear();
  std::vector<int64_t> ends = ends_of_processes(model), numbers(ends.size());
  for (const Mark& mark : marks) {
    ModelStep step;
    step.process = mark.process;
    const int64_t place = numbers[mark.process]++;
    step.number = mark.number.value_or(place);
    step.name = is_whole_step ? mark.name : "step " + std::to_string(step.number);
    step.time = mark.time;
    model.steps.push_back(std::move(step));
  }
  for (auto step = model.steps.rbegin(); step != model.steps.rend(); ++step) {
    step->mark_end = std::exchange(ends[step->process], step->time.begin);
    if (!is_whole_step) step->time.end = step->mark_end;
  }
}

}  // namespace notape::trace
