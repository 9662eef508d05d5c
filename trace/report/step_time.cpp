#include "trace/report/step_time.h"

#include <algorithm>

#include "trace/analysis/analyses.h"
#include "trace/analysis/host_waits.h"
#include "trace/report/words.h"

namespace notape::trace {
namespace {

int64_t ns_of(const Report& report, std::string_view metric) {
  const Metric* found = report.find(metric);
  return found && !found->value.is_nothing() ? found->value.ns() : 0;
}

Value value_of(const Report& report, std::string_view metric) {
  const Metric* found = report.find(metric);
  return found ? found->value : Value();
}

struct IdleKind {
  const char *metric, *classes, *label;
};
constexpr IdleKind kIdleKinds[] = {
    {"idle.host_wait.allocator", "allocator", "host in an allocator call"},
    {"idle.host_wait.blocking_sync", "sync", "host waits for the device"},
    {"idle.host_wait.other_api", "call", "host in a launch or other call"},
    {"idle.host_wait.data_loading", "loading", "host loads data"},
    {"idle.host_wait.op_self", "op", "host in an operator"},
    {"idle.host_wait.user_code", "outside", "host outside operators"},
    {"idle.launch_latency", "latency", "launch latency"},
    {"idle.kernel_wait", "between", "between kernels"},
    {"idle.dependency", "dependency", "waits for another stream"},
    {"idle.unlinked", "unlinked", "no launch record"},
};

}  // namespace

StepTime step_time_of(const Scope& scope, std::string name) {
  StepTime step;
  step.name = std::move(name);
  const Report report = idle(scope), both = overlap(scope);
  step.window = ns_of(report, "idle.window");
  step.busy = ns_of(report, "idle.busy");
  step.host_wait = ns_of(report, "idle.host_wait");
  step.doubt = report["idle.host_wait"].reason;
  for (const IdleKind& kind : kIdleKinds)
    step.idle.push_back({kind.classes, kind.label, ns_of(report, kind.metric)});
  step.f_gpu = value_of(both, "overlap.f_gpu");
  step.f_cpu = value_of(both, "overlap.f_cpu");
  if (scope.devices().empty()) return step;
  const std::vector<CallTime> calls =
      calls_during(scope, host_waits(scope.model(), scope.gpu_ops(scope.devices().front())));
  if (!calls.empty()) {
    step.waited_in = std::string(calls.front().name);
    step.waited_in_ns = calls.front().ns;
    step.first_use_ns = calls.front().first_use_ns;
  }
  return step;
}

Sentence host_wait_words(const StepTime& step) {
  Sentence text("The device waited " + share_words(step.host_wait, step.window) + " of ");
  if (step.name.empty())
    text << "the time between its first and its last operation";
  else
    text.name(step.name);
  text << " for the host";
  std::string_view occupation;
  int64_t most = step.waited_in_ns;
  for (const IdlePart& part : step.idle) {
    const std::string_view classes = part.classes;
    if (part.ns <= most || (classes != "op" && classes != "outside" && classes != "loading"))
      continue;
    most = part.ns;
    occupation = classes == "op"        ? "inside operators, beside their calls"
                 : classes == "outside" ? "in code outside operators"
                                        : "loading data";
  }
  if (most > 0) {
    text << ": " + share_words(most, step.host_wait) + " of that ";
    if (!occupation.empty())
      text << occupation;
    else
      (text << "in ").name(step.waited_in);
    if (occupation.empty() && step.first_use_ns * 2 > step.waited_in_ns)
      text << ", " + share_words(step.first_use_ns, step.waited_in_ns) +
                  " of which is first use (module loading, inferred)";
  }
  return text;
}

}  // namespace notape::trace
