#include "verify/schedule/risk.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "verify/runner/changed_files.h"

namespace notape::verify {
namespace {

struct Degree {
  Risk risk;
  double degree;
};

/// What one certificate of an earlier run says.
Degree degree_of(const Record& record, const Gates& gates) {
  if (is_red(record.verdict)) return {Risk::Failed, static_cast<double>(record.verdict)};
  const double gate = std::min(record.gate, gates.power_gate(record.dtype));
  if (gate > 0 && record.detectable > gate) return {Risk::Weak, record.detectable / gate};
  if (record.verdict == Verdict::Unresolved) return {Risk::Weak, 1};
  return {Risk::None, 0};
}

}  // namespace

std::vector<RiskyOperator> risks_of(const SpecList& specs, const EarlierEvidence& known,
                                    const Gates& gates) {
  std::vector<RiskyOperator> operators;
  for (const OpSpec* spec : specs) {
    RiskyOperator one{.spec = spec};
    const auto consider = [&](Degree other) {
      if (other.risk < one.risk || (other.risk == one.risk && other.degree > one.degree)) {
        one.risk = other.risk;
        one.degree = other.degree;
      }
    };
    if (is_changed(*spec, known.changed)) consider({Risk::Changed, 1});
    for (const Record& record : known.earlier)
      if (record.op == spec->name) consider(degree_of(record, gates));
    const auto killed = known.killed.find(spec->name);
    if (killed != known.killed.end() && killed->second < 1)
      consider({Risk::Survived, 1 - killed->second});
    operators.push_back(one);
  }
  return operators;
}

std::string risks_text(const std::vector<RiskyOperator>& operators) {
  constexpr const char* kWords[kRisks] = {"changed", "failed before", "weak before",
                                          "with surviving mistakes", "others"};
  std::string text;
  for (int risk = 0; risk < kRisks; ++risk) {
    std::vector<std::string> names;
    for (const RiskyOperator& one : operators)
      if (one.risk == static_cast<Risk>(risk)) names.push_back(one.spec->name);
    if (names.empty()) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : "; ", names.size(), kWords[risk]);
    if (static_cast<Risk>(risk) != Risk::None) text += fmt::format(" ({})", fmt::join(names, ", "));
  }
  return text;
}

std::map<std::string, double> read_kill_rates(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw BadMutationFile("{}: it cannot be read", path);
  std::map<std::string, double> rates;
  try {
    const nlohmann::json json = nlohmann::json::parse(file);
    for (const auto& [name, counts] : json.at("operators").items()) {
      const auto wrong = counts.at("wrong").get<double>(),
                 killed = counts.at("killed").get<double>();
      if (!(wrong >= 0 && killed >= 0 && killed <= wrong))
        throw BadMutationFile("{}: operator '{}' has impossible counts", path, name);
      if (wrong > 0) rates[name] = killed / wrong;
    }
  } catch (const nlohmann::json::exception&) {
    throw BadMutationFile("{}: it is no mutation.json of `notape verify mutate`", path);
  }
  return rates;
}

}  // namespace notape::verify
