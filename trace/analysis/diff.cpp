#include "trace/analysis/diff.h"

#include <fmt/format.h>

#include <algorithm>
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

/// Whether chance alone would put all of one side's values beyond the other's less often than once
/// in 40 times: 1 / binomial(n + m, n).
bool are_enough(std::size_t n, std::size_t m) {
  double ways = 1;
  for (std::size_t i = 1; i <= n && ways < 40; ++i)
    ways *= static_cast<double>(m + i) / static_cast<double>(i);
  return ways >= 40;
}

std::string interval_words(const StepSamples& samples) {
  return fmt::format("{:.3f} to {:.3f}", samples.lowest(), samples.highest());
}

struct Verdict {
  bool fails = false;
  std::string why = {};  ///< also of one that holds, if there is something to say
};

class Judge {
 public:
  Judge(const Gate& gate, const StepSamples& a, const StepSamples& b, GateRule rule)
      : gate_(gate), a_(a), b_(b), rule_(rule) {}

  Verdict verdict() const {
    if (b_.empty() || (a_.empty() && !is_value()))
      return {true, fmt::format("{}: no data{}", gate_.text,
                                b_.reason.empty() ? "" : " (" + b_.reason + ")")};
    const double limit = bound_from(is_value() ? 0 : a_.median());
    const double value = b_.median();
    if (gate_.is_upper ? value <= limit : value >= limit) return {};
    const std::string why =
        fmt::format("{}: {:.3f} {} is {} {:.3f}{}", gate_.text, value, b_.unit,
                    gate_.is_upper ? "above" : "below", limit,
                    is_value() ? "" : fmt::format("; it was {:.3f}", a_.median()));
    if (!is_value() && !are_enough(a_.values.size(), b_.values.size()))
      return {true,
              why + (rule_ == GateRule::Median ? "" : "; too few steps to tell it from noise")};
    if (is_clear()) return {true, why};
    return {rule_ == GateRule::Median, why + "; within noise: " + noise_words()};
  }

 private:
  bool is_value() const { return gate_.bound == Gate::Bound::Value; }

  double changed(double base, double change) const {
    return gate_.bound == Gate::Bound::Percent ? base + base * change / 100 : base + change;
  }
  double bound_from(double base) const { return changed(base, gate_.limit); }

  /// Whether B's interval is apart, on the side that fails, from what it must be apart from.
  bool is_clear() const {
    const double edge = gate_.is_upper ? b_.lowest() : b_.highest();
    double other = gate_.limit;
    if (!is_value()) {
      const double demanded =
          gate_.is_upper ? std::min(0.0, gate_.limit) : std::max(0.0, gate_.limit);
      other = changed(gate_.is_upper ? a_.highest() : a_.lowest(), demanded);
    }
    return gate_.is_upper ? edge > other : edge < other;
  }

  std::string noise_words() const {
    if (is_value()) return fmt::format("the interval of the median is {}", interval_words(b_));
    return fmt::format("the intervals of the medians are {} and {}", interval_words(a_),
                       interval_words(b_));
  }

  const Gate& gate_;
  const StepSamples &a_, &b_;
  GateRule rule_;
};

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
                const std::vector<Gate>& gates, GateRule rule) {
  Samples before = step_samples(a, selection), after = step_samples(b, selection);
  DiffResult result;
  Report& report = result.report;
  report.title = a.path + " and " + b.path;
  Table table{"medians across steps",
              {"metric", "unit", "n a", "a", "a low", "a high", "n b", "b", "b low", "b high",
               "change", "verdict"},
              {}};
  const Scope scope(b, {});
  std::string in_neither;
  for (const auto& [name, samples] : before) {
    const StepSamples& others = after[name];
    if (samples.empty() && others.empty()) {
      in_neither += (in_neither.empty() ? "" : ", ") + name;
      continue;
    }
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
    Metric metric =
        scope.metric("diff." + name, relative, "ratio",
                     std::min(samples.values.size(), others.values.size()), kOfAllProcesses);
    if (metric.reason.empty() || metric.reason == "no data")
      metric.reason = !samples.reason.empty()  ? samples.reason
                      : !others.reason.empty() ? others.reason
                                               : metric.reason;
    metric.excluded["a_steps_without"] = samples.without;
    metric.excluded["b_steps_without"] = others.without;
    report.metrics.push_back(std::move(metric));
  }
  report.tables.push_back(std::move(table));
  report.notes.push_back(
      "medians across all steps with 95 % intervals; with fewer than six steps an interval is all "
      "of them");
  if (!in_neither.empty()) report.notes.push_back("neither trace has data of " + in_neither);
  if (!gates.empty())
    report.notes.push_back(rule == GateRule::Median
                               ? "gates compare medians, whatever the noise; see --significant"
                               : "gates fail only where the intervals show it, too");
  for (const Gate& gate : gates) {
    if (!before.contains(gate.metric)) {
      std::string names;
      for (const auto& [name, samples] : before) names += (names.empty() ? "" : ", ") + name;
      throw ValueError("gate '{}': there is no metric '{}'; there are {}", gate.text, gate.metric,
                       names);
    }
    const Verdict verdict = Judge(gate, before[gate.metric], after[gate.metric], rule).verdict();
    report.notes.push_back((verdict.fails ? "gate FAILS: " : "gate holds: ") +
                           (verdict.why.empty() ? gate.text : verdict.why));
    if (verdict.fails) result.failed.push_back(verdict.why);
  }
  return result;
}

}  // namespace notape::trace
