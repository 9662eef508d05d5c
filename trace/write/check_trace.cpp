#include "trace/write/check_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "autograd/error.h"
#include "trace/write/output_file.h"

namespace notape::trace {
namespace {

using nlohmann::json;

/// The fields that an event of each phase must have.
const std::map<std::string, std::vector<const char*>> kFields = {
    {"M", {"name", "pid", "tid", "args"}},
    {"X", {"name", "cat", "pid", "tid", "ts", "dur", "args"}},
    {"s", {"id", "cat", "name", "pid", "tid", "ts"}},
    {"i", {"name", "cat", "pid", "tid", "ts", "s", "args"}},
    {"f", {"id", "cat", "name", "pid", "tid", "ts", "bp"}},
};

int64_t ns_of(const json& microseconds) { return std::llround(microseconds.get<double>() * 1000); }

class Checker {
 public:
  TraceCheck run(const json& file) {
    for (const char* key : {"schemaVersion", "deviceProperties", "distributedInfo", "metadata",
                            "displayTimeUnit", "baseTimeNanoseconds", "traceEvents", "traceName"})
      if (!file.contains(key)) complain("the key {} is missing", key);
    if (!file.contains("traceEvents") || !file["traceEvents"].is_array()) return result_;
    const bool is_streamed =
        file.contains("metadata") && file["metadata"].value("order", "") == "end";
    std::vector<json> events = file["traceEvents"];
    if (is_streamed) put_in_order(events);
    for (const json& event : events) check_event(event);
    check_flows();
    return std::move(result_);
  }

 private:
  /// A streamed file has its rows in the order in which events ended; what is asked of it is the
  /// rest.
  static void put_in_order(std::vector<json>& events) {
    const auto key = [](const json& event) {
      const bool is_name = event.value("ph", "") == "M";
      return std::tuple(!is_name, is_name ? 0 : ns_of(event.value("ts", json(0))),
                        -ns_of(event.value("dur", json(0))));
    };
    std::stable_sort(events.begin(), events.end(),
                     [&](const json& a, const json& b) { return key(a) < key(b); });
  }

  struct Row {
    std::vector<int64_t> open_ends;
    int64_t last_begin = 0, last_duration = INT64_MAX;
  };

  template <typename... Parts>
  void complain(fmt::format_string<Parts...> pattern, Parts&&... parts) {
    result_.complaints.push_back(fmt::format("event {}: ", result_.events) +
                                 fmt::format(pattern, std::forward<Parts>(parts)...));
  }

  void check_event(const json& event) {
    ++result_.events;
    const std::string phase = event.value("ph", "");
    const auto fields = kFields.find(phase);
    if (fields == kFields.end()) return complain("unknown phase '{}'", phase);
    for (const char* field : fields->second)
      if (!event.contains(field)) return complain("{} without {}", phase, field);
    if (phase == "M") {
      if (seen_other_than_names_) complain("M after other events");
      return;
    }
    seen_other_than_names_ = true;
    if (phase == "X")
      check_slice(event);
    else if (phase != "i")
      ends_of_flow_[{event["cat"], event["id"]}] += phase == "s" ? 1 : 1000;
  }

  void check_slice(const json& event) {
    ++result_.slices;
    const int64_t begin = ns_of(event["ts"]), duration = ns_of(event["dur"]);
    const std::string name = event["name"];
    if (begin < 0 || duration < 1)
      complain("{} begins at {} ns and takes {} ns", name, begin, duration);
    if (event["cat"] == "cpu_op")
      for (const char* argument : {"External id", "Ev Idx"})
        if (!event["args"].contains(argument)) complain("{} without {}", name, argument);
    if (name.starts_with("ProfilerStep") && !name.starts_with("ProfilerStep#"))
      complain("{} is no step name", name);
    Row& row = rows_[{event["pid"], event["tid"]}];
    if (begin < row.last_begin || (begin == row.last_begin && duration > row.last_duration))
      complain("{} is out of order", name);
    row.last_begin = begin;
    row.last_duration = duration;
    while (!row.open_ends.empty() && row.open_ends.back() <= begin) row.open_ends.pop_back();
    if (!row.open_ends.empty() && begin + duration > row.open_ends.back())
      complain("{} overlaps the slice around it", name);
    row.open_ends.push_back(begin + duration);
  }

  void check_flows() {
    for (const auto& [key, ends] : ends_of_flow_) {
      if (ends == 1001)
        ++result_.flows;
      else
        complain("flow {} of {} has not one start and one end", key.second, key.first);
    }
  }

  TraceCheck result_;
  bool seen_other_than_names_ = false;
  std::map<std::pair<int64_t, int64_t>, Row> rows_;
  std::map<std::pair<std::string, int64_t>, int> ends_of_flow_;
};

}  // namespace

TraceCheck check_trace(const std::string& path) {
  json file;
  try {
    file = json::parse(read_file(path));
  } catch (const json::parse_error& error) {
    throw FileError("{} is not a trace: {}", path, error.what());
  }
  if (!file.is_object()) throw FileError("{} is not a trace: no JSON object", path);
  try {
    return Checker().run(file);
  } catch (const json::type_error& error) {
    throw FileError("{} is not a trace: {}", path, error.what());
  }
}

}  // namespace notape::trace
