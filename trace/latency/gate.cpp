#include "trace/latency/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "autograd/error.h"
#include "trace/analysis/gate_text.h"

namespace notape::trace {
namespace {

const Metric* find_figure(const std::vector<Metric>& metrics, const std::string& name) {
  const auto found = std::find_if(metrics.begin(), metrics.end(),
                                  [&](const Metric& metric) { return metric.name == name; });
  return found == metrics.end() ? nullptr : &*found;
}

std::string_view without_front_spaces(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  return text;
}

std::string with_unit(double value, const std::string& unit) {
  return fmt::format("{:.1f} {}", value, unit);
}

}  // namespace

const char* const kLatencyGateGrammar =
    "FIGURE<=FACTORx FIGURE or FIGURE<=NUMBERns (or >=, us), such as "
    "'differentiable.p50<=2.5x tensor.p50'";

LatencyGate::LatencyGate(const std::string& text_) : text(text_) {
  const auto refuse = [&](const char* why) {
    throw ValueError("gate '{}': {}; a gate is {}", text, why, kLatencyGateGrammar);
  };
  const std::optional<GateText> split = split_gate(text);
  if (!split) refuse("no figure with <= or >= behind it");
  name = split->name;
  is_upper = split->is_upper;
  const std::string_view rest = split->rest;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), limit);
  if (error != std::errc() || !std::isfinite(limit)) refuse("no number behind the comparison");
  const std::string_view unit =
      without_front_spaces(rest.substr(static_cast<std::size_t>(end - rest.data())));
  if (unit.starts_with('x')) {
    other = without_front_spaces(unit.substr(1));
    if (other.empty() || other.find_first_of(" <>") != std::string::npos)
      refuse("no figure behind the factor");
    return;
  }
  is_time = unit == "ns" || unit == "us";
  if (!is_time && !unit.empty()) refuse("the unit after the number must be x, ns or us");
  if (unit == "us") limit *= 1000;
}

void LatencyGate::check(const std::vector<Metric>& metrics) const {
  for (const std::string& one : {name, other})
    if (!one.empty() && !find_figure(metrics, one))
      throw ValueError(
          "gate '{}': there is no figure '{}'; there are tensor.p50, differentiable.p95, "
          "backward.mean, autograd_overhead.p50, ...: --format csv lists all",
          text, one);
  const std::string& unit = find_figure(metrics, name)->unit;
  if (!other.empty() && find_figure(metrics, other)->unit != unit)
    throw ValueError("gate '{}': {} is in {}, {} in {}", text, name, unit, other,
                     find_figure(metrics, other)->unit);
  if (other.empty() && is_time != (unit == "ns"))
    throw ValueError("gate '{}': {} is in {}, so the number needs {}", text, name, unit,
                     unit == "ns" ? "ns or us behind it" : "nothing behind it");
}

std::string LatencyGate::failure(const std::vector<Metric>& metrics) const {
  const Metric& metric = *find_figure(metrics, name);
  const Metric* const base = other.empty() ? nullptr : find_figure(metrics, other);
  for (const Metric* const one : {&metric, base})
    if (one && one->value.is_nothing())
      return fmt::format("{}: no data about {} ({})", text, one->name, one->reason);
  const double value = metric.value.number();
  const double bound = base ? limit * base->value.number() : limit;
  if (is_upper ? value <= bound : value >= bound) return "";
  std::string why = fmt::format("{}: {} is {} {}", text, with_unit(value, metric.unit),
                                is_upper ? "above" : "below", with_unit(bound, metric.unit));
  if (base) why += fmt::format(", {:g} x {}", limit, with_unit(base->value.number(), base->unit));
  return why;
}

}  // namespace notape::trace
