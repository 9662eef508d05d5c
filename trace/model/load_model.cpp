#include <algorithm>

#include "trace/model/model_builder.h"
#include "trace/model/model_structure.h"

namespace notape::trace {

std::vector<int64_t> TraceModel::devices() const {
  std::vector<int64_t> result;
  for (const GpuOp& op : gpu_ops)
    if (std::find(result.begin(), result.end(), op.device) == result.end())
      result.push_back(op.device);
  std::sort(result.begin(), result.end());
  return result;
}

TraceModel load_model(const std::string& path, const LoadOptions& options) {
  TraceModel model;
  model.path = path;
  TraceReader reader(path);
  ModelBuilder builder(model);
  while (const RawEvent* event = reader.next()) builder.add(*event);
  builder.add_header(reader);
  order_rows(model);
  find_origin(model, builder.first_in_week());
  nest_rows(model);
  link_launches(model);
  find_steps(model, options.step_regex);
  return model;
}

}  // namespace notape::trace
