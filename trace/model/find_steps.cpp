#include <algorithm>
#include <optional>
#include <set>

#include "trace/model/model_structure.h"
#include "trace/model/name_pattern.h"
#include "trace/reader/decimal.h"

namespace notape::trace {
namespace {

constexpr std::string_view kProfilerStep = "ProfilerStep#";

struct Mark {
  Interval time;
  std::string name;
  std::optional<int64_t> number;
};

std::vector<Mark> profiler_steps(const TraceModel& model) {
  std::vector<Mark> marks;
  std::set<std::string_view> seen;  // of a step that several threads note the first row counts
  for (const Annotation& annotation : model.annotations) {
    const std::string_view name = model.name(annotation.name);
    if (!name.starts_with(kProfilerStep) || !seen.insert(name).second) continue;
    marks.push_back(
        {annotation.time, std::string(name), whole_number(name.substr(kProfilerStep.size()))});
  }
  return marks;
}

template <typename Matches>
std::vector<Mark> starts(const TraceModel& model, Matches matches) {
  std::vector<Mark> marks;
  const auto add = [&](const auto& rows) {
    for (const auto& row : rows)
      if (matches(model.name(row.name)))
        marks.push_back({row.time, std::string(model.name(row.name)), {}});
  };
  add(model.annotations);
  add(model.ops);
  std::sort(marks.begin(), marks.end(),
            [](const Mark& a, const Mark& b) { return a.time.begin < b.time.begin; });
  return marks;
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
  for (std::size_t i = 0; i < marks.size(); ++i) {
    ModelStep step;
    step.number = marks[i].number.value_or(static_cast<int64_t>(i));
    step.name = is_whole_step ? marks[i].name : "step " + std::to_string(step.number);
    step.mark_end = i + 1 < marks.size() ? marks[i + 1].time.begin : model.time.end;
    step.time = {marks[i].time.begin, is_whole_step ? marks[i].time.end : step.mark_end};
    model.steps.push_back(std::move(step));
  }
}

}  // namespace notape::trace
