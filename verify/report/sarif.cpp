#include "verify/report/formats.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "verify/report/summary.h"

namespace notape::verify {
namespace {

using Json = nlohmann::ordered_json;

const char* level_of(Colour colour) { return colour == Colour::Red ? "error" : "warning"; }

/// Relative to the root of the sources or, outside it, whole.
Json artifact_of(const std::string& file) {
  if (file.starts_with('/')) return {{"uri", "file://" + file}};
  return {{"uri", file}, {"uriBaseId", "%SRCROOT%"}};
}

Json location_of(const Record& record) {
  return {{"physicalLocation",
           {{"artifactLocation", artifact_of(record.file)},
            {"region", {{"startLine", std::max<int64_t>(record.line, 1)}}}}},
          {"logicalLocations",
           Json::array({{{"name", record.op}, {"fullyQualifiedName", record.id}}})}};
}

Json result_of(const Record& record, Colour colour) {
  return {{"ruleId", rule_of(record)},
          {"level", level_of(colour)},
          {"message", {{"text", one_line(record)}}},
          {"locations", Json::array({location_of(record)})},
          {"partialFingerprints", {{"checkId/v1", record.id}}},
          {"properties",
           {{"verdict", name_of(record.verdict)},
            {"detectable", record.detectable},
            {"replay", record.replay}}}};
}

Json invocation_of(const std::vector<Record>& records) {
  const std::string interruption = interruption_of(records);
  Json invocation = {{"executionSuccessful", interruption.empty()}};
  if (!interruption.empty()) invocation["exitCodeDescription"] = "interrupted by " + interruption;
  return invocation;
}

}  // namespace

std::string sarif_json(const std::vector<Record>& records, const Gates& gates) {
  Json results = Json::array(), rules = Json::array();
  std::vector<std::string> known;
  for (const Record& record : records) {
    const Colour colour = colour_of(record, gates);
    if (colour == Colour::Green) continue;
    const std::string rule = rule_of(record);
    if (std::find(known.begin(), known.end(), rule) == known.end()) {
      known.push_back(rule);
      rules.push_back({{"id", rule},
                       {"shortDescription", {{"text", std::string(meaning_of(record.verdict))}}},
                       {"defaultConfiguration", {{"level", level_of(colour)}}}});
    }
    results.push_back(result_of(record, colour));
  }
  const std::string version =
      value_of(records.empty() ? environment() : records[0].environment, "notape");
  const Json log = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                    {"version", "2.1.0"},
                    {"runs", Json::array({{{"tool",
                                            {{"driver",
                                              {{"name", "notape verify"},
                                               {"semanticVersion", version},
                                               {"rules", std::move(rules)}}}}},
                                           {"columnKind", "utf16CodeUnits"},
                                           {"invocations", Json::array({invocation_of(records)})},
                                           {"results", std::move(results)}}})}};
  return log.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace notape::verify
