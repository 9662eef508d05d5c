// The figures of a trace once for each step, for comparing traces.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "trace/analysis/scope.h"

namespace notape::trace {

/// A figure of each step that has one, and its median with a 95 % interval, which holds for any
/// distribution: two order statistics, from the binomial distribution. With fewer than six values
/// it is all of them, and covers less.
struct StepSamples {
  std::string unit;
  std::vector<double> values;  ///< ordered; times in us
  std::string reason;          ///< why not to rely on them
  std::size_t asked = 0;       ///< so many steps, of all processes
  std::size_t without = 0;     ///< so many of them have no such figure

  bool empty() const { return values.empty(); }
  double median() const;
  double lowest() const { return values[rank()]; }
  double highest() const { return values[values.size() - 1 - rank()]; }

 private:
  std::size_t rank() const;
};

/// By name: "step.time", "dispatch.p50", "idle.host_wait", ... Of several devices the selected or
/// the first; of a file without steps, one value of all of it. Costs the rows of the steps, however
/// many there are, and one pass over the file.
std::map<std::string, StepSamples> step_samples(const TraceModel& model,
                                                const Selection& selection);

}  // namespace notape::trace
