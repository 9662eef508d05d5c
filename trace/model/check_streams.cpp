#include <map>
#include <tuple>

#include "trace/model/model_structure.h"

namespace notape::trace {

void check_streams(TraceModel& model) {
  // A time in whole us may be a us from the true one.
  const int64_t rounded = model.has_whole_microseconds ? 1'000 : 0;
  std::map<std::tuple<Place, int64_t, int64_t>, int64_t> busy_until;
  for (const GpuOp& op : model.gpu_ops) {
    const auto [place, is_first] =
        busy_until.try_emplace({op.process, op.device, op.stream}, op.time.end);
    if (is_first) continue;
    model.counts.stream_overlaps += op.time.begin < place->second - rounded;
    place->second = std::max(place->second, op.time.end);
  }
  std::map<uint32_t, int64_t> step_until;
  for (const ModelStep& step : model.steps) {
    const auto [place, is_first] = step_until.try_emplace(step.process, step.time.end);
    if (is_first) continue;
    model.counts.step_overlaps += step.time.begin < place->second - rounded;
    place->second = std::max(place->second, step.time.end);
  }
}

}  // namespace notape::trace
