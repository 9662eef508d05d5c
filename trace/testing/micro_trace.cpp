#include "trace/testing/micro_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <sstream>

#include "trace/analysis/analyses.h"
#include "trace/testing/trace_files.h"

namespace notape::trace::testing {
namespace {

std::string us(int64_t ns) {
  return fmt::format("{}{}.{:03}", ns < 0 ? "-" : "", std::abs(ns) / 1000, std::abs(ns) % 1000);
}

}  // namespace

MicroTrace& MicroTrace::on_thread(int64_t thread) {
  thread_ = thread;
  return *this;
}

MicroTrace& MicroTrace::on_stream(int64_t stream, int64_t device) {
  stream_ = stream;
  device_ = device;
  return *this;
}

MicroTrace& MicroTrace::in_process(std::string pid, std::string gpu_pid) {
  pid_ = std::move(pid);
  gpu_pid_ = std::move(gpu_pid);
  return *this;
}

MicroTrace& MicroTrace::with(const MicroTrace& other) {
  rows_.insert(rows_.end(), other.rows_.begin(), other.rows_.end());
  return *this;
}

MicroTrace& MicroTrace::slice(const char* category, const char* name, int64_t begin, int64_t length,
                              const std::string& arguments) {
  rows_.push_back({fmt::format(R"({{"ph":"X","cat":"{}","name":"{}","pid":{},"tid":{},)", category,
                               name, pid_, thread_),
                   fmt::format(R"("args":{{{}}}}})", arguments), begin, length});
  return *this;
}

MicroTrace& MicroTrace::op(const char* name, int64_t begin, int64_t length, const char* arguments) {
  return slice(
      "cpu_op", name, begin, length,
      fmt::format(R"("External id":{}{}{})", ++external_id_, *arguments ? "," : "", arguments));
}

MicroTrace& MicroTrace::call(const char* name, int64_t begin, int64_t length, int64_t correlation) {
  return slice("cuda_runtime", name, begin, length,
               fmt::format(R"("correlation":{})", correlation));
}

MicroTrace& MicroTrace::kernel(int64_t begin, int64_t length, int64_t correlation,
                               const char* arguments) {
  rows_.push_back({fmt::format(R"({{"ph":"X","cat":"kernel","name":"k","pid":{},"tid":{},)",
                               gpu_row(), stream_),
                   fmt::format(R"("args":{{"device":{},"stream":{},"correlation":{}{}{}}}}})",
                               device_, stream_, correlation, *arguments ? "," : "", arguments),
                   begin, length});
  return *this;
}

MicroTrace& MicroTrace::gpu_op(const char* category, int64_t begin, int64_t length,
                               int64_t correlation) {
  rows_.push_back({fmt::format(R"({{"ph":"X","cat":"{}","name":"g","pid":{},"tid":{},)", category,
                               gpu_row(), stream_),
                   fmt::format(R"("args":{{"device":{},"stream":{},"correlation":{}}}}})", device_,
                               stream_, correlation),
                   begin, length});
  return *this;
}

MicroTrace& MicroTrace::annotation(const char* name, int64_t begin, int64_t length) {
  return slice("user_annotation", name, begin, length);
}

MicroTrace& MicroTrace::step(int64_t number, int64_t begin, int64_t length) {
  return annotation(fmt::format("ProfilerStep#{}", number).c_str(), begin, length);
}

MicroTrace& MicroTrace::sync_row(const char* name, int64_t begin, int64_t length,
                                 int64_t awaited_stream) {
  rows_.push_back({fmt::format(R"({{"ph":"X","cat":"cuda_sync","name":"{}","pid":{},"tid":{},)",
                               name, device_, stream_),
                   fmt::format(R"("args":{{"device":{},"stream":{},"wait_on_stream":{}}}}})",
                               device_, stream_, awaited_stream),
                   begin, length});
  return *this;
}

MicroTrace& MicroTrace::memory(int64_t time, int64_t bytes, int64_t allocated, int64_t reserved,
                               int64_t device_type) {
  rows_.push_back(
      {fmt::format(
           R"({{"ph":"i","s":"t","cat":"cpu_instant_event","name":"[memory]","pid":{},"tid":{},)",
           pid_, thread_),
       fmt::format(R"("args":{{"Bytes":{},"Total Allocated":{},"Total Reserved":{},)"
                   R"("Device Type":{},"Device Id":0,"Addr":1}}}})",
                   bytes, allocated, reserved, device_type),
       time, -1});
  return *this;
}

MicroTrace& MicroTrace::raw(std::string event) {
  rows_.push_back({std::move(event), "", 0, -2});
  return *this;
}

MicroTrace& MicroTrace::transformed(int64_t factor, int64_t shift) {
  for (Row& row : rows_) {
    row.begin = row.begin * factor + shift;
    if (row.length > 0) row.length *= factor;
  }
  return *this;
}

MicroTrace& MicroTrace::shuffled(unsigned seed) {
  std::shuffle(rows_.begin(), rows_.end(), std::mt19937(seed));
  return *this;
}

MicroTrace& MicroTrace::header(std::string members) {
  header_ = std::move(members);
  return *this;
}

std::string MicroTrace::json() const {
  std::string text = "{" + header_ + "\"traceEvents\":[";
  for (const Row& row : rows_) {
    if (&row != &rows_.front()) text += ",\n";
    text += row.before;
    if (row.length != -2) text += "\"ts\":" + us(row.begin) + ",";
    if (row.length >= 0) text += "\"dur\":" + us(row.length) + ",";
    text += row.after;
  }
  return text + "]}";
}

TraceModel MicroTrace::model(const LoadOptions& options) const {
  return load_model(TextFile(json()).path(), options);
}

MicroTrace three_steps() {
  MicroTrace trace;
  for (int64_t i = 0; i < 3; ++i) {
    const int64_t at = i * 40'000;
    trace.step(i + 1, at + 9'000, 30'500)
        .op("aten::mul", at + 10'000, 8'000, R"("Sequence number":0)")
        .launch(at + 12'000, 4'500, 100 + i)
        .kernel(at + 19'000, 20'250, 100 + i);
  }
  return trace;
}

MicroTrace filling_queue(int64_t fast, int64_t slow) {
  MicroTrace trace;
  int64_t at = 0;
  for (int64_t i = 0; i < fast + slow; ++i) {
    const int64_t length = i < fast ? 10 : 1'000;
    trace.launch(at, length, i + 1).kernel(10'000'000 + i * 20, 20, i + 1);
    at += length;
  }
  return trace;
}

Report report_of(Report (*analysis)(const Scope&), const MicroTrace& trace,
                 const Selection& selection) {
  const TraceModel model = trace.model();
  return analysis(Scope(model, selection));
}

std::string all_reports(const TraceModel& model, const Selection& selection) {
  std::ostringstream text;
  const Scope scope(model, selection);
  using Analysis = Report (*)(const Scope&);
  for (const Analysis analysis :
       {Analysis(check), Analysis(dispatch), Analysis(overlap), Analysis(idle), Analysis(queue),
        Analysis(alloc), Analysis(first_iteration)})
    write_report(text, analysis(scope), ReportFormat::Csv);
  write_report(text, queue_ahead(scope), ReportFormat::Csv);
  write_report(text, steps(scope), ReportFormat::Csv);
  return text.str();
}

std::string shown(const Report& report, std::string_view metric) {
  return report[metric].value.shown();
}

}  // namespace notape::trace::testing
