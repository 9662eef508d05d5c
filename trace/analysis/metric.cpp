#include "trace/analysis/metric.h"

#include <fmt/format.h>

#include "autograd/error.h"

namespace notape::trace {

std::string Metric::json() const {
  std::string text = fmt::format(R"({{"metric": {}, "value": {}, "unit": {}, "n": {}, )",
                                 json_quote(name), value.json(), json_quote(unit), n);
  if (!process.empty()) text += fmt::format(R"("process": {}, )", Value(process).json());
  if (device) text += fmt::format(R"("device": {}, )", *device);
  if (stream) text += fmt::format(R"("stream": {}, )", *stream);
  text += fmt::format(
      R"("window": {{"kind": {}, "name": {}, "start_ns": {}, "end_ns": {}}}, "clock": {}, )",
      json_quote(window.kind), Value(window.name).json(), window.start_ns, window.end_ns,
      json_quote(clock));
  text += "\"excluded\": {";
  const char* separator = "";
  for (const auto& [what, count] : excluded) {
    text += fmt::format("{}{}: {}", separator, json_quote(what), count);
    separator = ", ";
  }
  text += fmt::format(R"(}}, "reliable": {}, "reason": {}}})", is_reliable(), json_quote(reason));
  return text;
}

}  // namespace notape::trace
