#include <set>

#include "trace/model/model_builder.h"
#include "trace/model/model_structure.h"

namespace notape::trace {

std::vector<int64_t> TraceModel::devices() const {
  std::set<int64_t> result;
  for (const GpuOp& op : gpu_ops) result.insert(op.device);
  return {result.begin(), result.end()};
}

TraceModel load_model(const std::string& path, const LoadOptions& options) {
  TraceModel model;
  model.path = path;
  TraceReader reader(path);
  ModelBuilder builder(model);
  while (const RawEvent* event = reader.next()) builder.add(*event);
  builder.add_header(reader);
  find_processes(model);
  order_rows(model);
  find_origin(model, builder.first_in_week());
  nest_rows(model);
  find_owners(model);
  link_launches(model);
  find_steps(model, options.step_regex);
  check_streams(model);
  return model;
}

}  // namespace notape::trace
