#include "verify/schedule/urgency.h"

#include <fmt/format.h>

#include "verify/runner/changed_files.h"

namespace notape::verify {
namespace {

/// What one certificate of an earlier run says.
Urgency urgency_of(const Record& record, const Gates& gates) {
  if (is_red(record.verdict)) return Urgency::Failed;
  const double gate = std::min(record.gate, gates.power_gate(record.dtype));
  const bool weak = record.verdict == Verdict::Unresolved || (gate > 0 && record.detectable > gate);
  return weak ? Urgency::Weak : Urgency::None;
}

}  // namespace

UrgentOperators by_urgency(const SpecList& specs, const std::vector<std::string>& changed,
                           const std::vector<Record>& earlier, const Options& options) {
  constexpr const char* kWords[] = {"changed", "failed before", "weak before", "others"};
  SpecList groups[std::size(kWords)];
  for (const OpSpec* spec : specs) {
    Urgency urgency = is_changed(*spec, changed) ? Urgency::Changed : Urgency::None;
    for (const Record& record : earlier)
      if (record.op == spec->name) urgency = std::min(urgency, urgency_of(record, options.gates));
    groups[static_cast<std::size_t>(urgency)].push_back(spec);
  }
  SpecList& others = groups[static_cast<std::size_t>(Urgency::None)];
  if (!others.empty())
    std::rotate(others.begin(),
                others.begin() + static_cast<std::ptrdiff_t>(options.seed % others.size()),
                others.end());
  UrgentOperators result;
  for (std::size_t i = 0; i < std::size(kWords); ++i) {
    if (groups[i].empty()) continue;
    std::vector<std::string_view> names;
    for (const OpSpec* spec : groups[i]) names.emplace_back(spec->name);
    result.order.insert(result.order.end(), groups[i].begin(), groups[i].end());
    result.text += fmt::format("{}{} {}", result.text.empty() ? "" : "; ", names.size(), kWords[i]);
    if (&groups[i] != &others) result.text += fmt::format(" ({})", fmt::join(names, ", "));
  }
  return result;
}

}  // namespace notape::verify
