#include "trace/analysis/diff.h"

#include <fmt/format.h>

#include <charconv>

#include "autograd/error.h"
#include "trace/analysis/gate_text.h"
#include "trace/analysis/step_samples.h"

namespace notape::trace {
namespace {

using Samples = std::map<std::string, StepSamples>;

Value change(const StepSamples& a, const StepSamples& b) {
  if (a.empty() || b.empty() || a.median() == 0) return {};
  return b.median() / a.median() - 1;
}

const char* verdict(const StepSamples& a, const StepSamples& b) {
  if (a.empty() || b.empty()) return "no data";
  if (a.highest() < b.lowest()) return "higher";
  if (b.highest() < a.lowest()) return "lower";
  return "within noise";
}

/// Empty if the gate holds.
std::string failure(const Gate& gate, const StepSamples& a, const StepSamples& b) {
  if (b.empty() || (a.empty() && gate.bound != Gate::Bound::Value))
    return fmt::format("{}: no data{}", gate.text, b.reason.empty() ? "" : " (" + b.reason + ")");
  const double base = gate.bound == Gate::Bound::Value ? 0 : a.median();
  const double limit =
      gate.bound == Gate::Bound::Percent ? base + base * gate.limit / 100 : base + gate.limit;
  const double value = b.median();
  if (gate.is_upper ? value <= limit : value >= limit) return "";
  return fmt::format("{}: {:.3f} {} is {} {:.3f}{}", gate.text, value, b.unit,
                     gate.is_upper ? "above" : "below", limit,
                     gate.bound == Gate::Bound::Value ? "" : fmt::format("; it was {:.3f}", base));
}

}  // namespace

Gate::Gate(const std::string& text_) : text(text_) {
  const auto refuse = [&](const char* why) {
    throw ValueError("gate '{}': {}; an example is 'dispatch.p50<=+5%'", text, why);
  };
  const std::optional<GateText> split = split_gate(text);
  if (!split) refuse("no metric with <= or >= behind it");
  metric = split->name;
  is_upper = split->is_upper;
  std::string_view rest = split->rest;
  const bool has_sign = !rest.empty() && (rest.front() == '+' || rest.front() == '-');
  if (has_sign && rest.front() == '+') rest.remove_prefix(1);
  const bool is_percent = !rest.empty() && rest.back() == '%';
  if (is_percent) rest.remove_suffix(1);
  bound = is_percent ? Bound::Percent : has_sign ? Bound::Difference : Bound::Value;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), limit);
  if (error != std::errc() || end != rest.data() + rest.size() || !(limit - limit == 0))
    refuse("no number behind the comparison");
}

DiffResult diff(const TraceModel& a, const TraceModel& b, const Selection& selection,
                const std::vector<Gate>& gates) {
  Samples before = step_samples(a, selection), after = step_samples(b, selection);
  DiffResult result;
  Report& report = result.report;
  report.title = a.path + " and " + b.path;
  Table table{"medians across steps",
              {"metric", "unit", "n a", "a", "a low", "a high", "n b", "b", "b low", "b high",
               "change", "verdict"},
              {}};
  const Scope scope(b, {});
  for (const auto& [name, samples] : before) {
    const StepSamples& others = after[name];
    const auto of = [](const StepSamples& from, double value) {
      return from.empty() ? Value() : Value(value);
    };
    std::vector<Value> row{name, samples.unit};
    for (const StepSamples* side : {&samples, &others}) {
      const bool has = !side->empty();
      row.insert(row.end(),
                 {side->values.size(), of(*side, has ? side->median() : 0),
                  of(*side, has ? side->lowest() : 0), of(*side, has ? side->highest() : 0)});
    }
    const Value relative = change(samples, others);
    row.insert(row.end(), {relative, verdict(samples, others)});
    table.rows.push_back(std::move(row));
    Metric metric = scope.metric("diff." + name, relative, "ratio",
                                 std::min(samples.values.size(), others.values.size()));
    if (metric.reason.empty() || metric.reason == "no data")
      metric.reason = !samples.reason.empty()  ? samples.reason
                      : !others.reason.empty() ? others.reason
                                               : metric.reason;
    report.metrics.push_back(std::move(metric));
  }
  report.tables.push_back(std::move(table));
  report.notes.push_back(
      "medians across steps with 95 % intervals; with fewer than six steps an interval is all of "
      "them");
  for (const Gate& gate : gates) {
    if (!before.contains(gate.metric)) {
      std::string names;
      for (const auto& [name, samples] : before) names += (names.empty() ? "" : ", ") + name;
      throw ValueError("gate '{}': there is no metric '{}'; there are {}", gate.text, gate.metric,
                       names);
    }
    const std::string why = failure(gate, before[gate.metric], after[gate.metric]);
    report.notes.push_back(why.empty() ? "gate holds: " + gate.text : "gate FAILS: " + why);
    if (!why.empty()) result.failed.push_back(why);
  }
  return result;
}

}  // namespace notape::trace
