#include "verify/exhaustive/row.h"

#include <fmt/format.h>

#include <cstring>

#include "ops/core/instruction_set.h"
#include "ops/spec/accuracy.h"
#include "ops/spec/op_spec.h"
#include "ops/spec/without_tails.h"
#include "verify/numeric/number_text.h"
#include "verify/report/environment.h"

namespace notape::verify::exhaustive {
namespace {

constexpr const char* kNames[] = {"value", "slope", "second", "slope of the second argument"};
/// In a row of pairs the slope by the second argument stands in place of the second derivative.
const char* name_of_quantity(std::size_t q, bool of_pairs) {
  return kNames[q == kSecond && of_pairs ? 3 : q];
}

std::string bits_text(double x, ScalarType dtype) {
  return fmt::format("{:#0{}x}", bits_of_number(x, dtype), 2 + 2 * element_size(dtype));
}

/// JSON has no infinities.
Row number_json(double x) {
  if (std::isfinite(x)) return x;
  return std::isnan(x) ? "nan" : x > 0 ? "inf" : "-inf";
}
std::string number_of_json(const Row& number) {
  return number.is_string() ? number.get<std::string>()
                            : fmt::format("{:.9g}", number.get<double>());
}

Row json_of(const Worst& worst, ScalarType dtype, bool of_pairs) {
  Row row = {{"places", number_json(worst.places)},
             {"at", number_json(worst.at)},
             {"bits", bits_text(worst.at, dtype)},
             {"got", number_json(worst.got)},
             {"exact", number_json(worst.exact)}};
  if (of_pairs) row["other"] = number_json(worst.other);
  return row;
}

Row json_of(const Finding& finding, std::size_t q, const Accuracy& accuracy, ScalarType dtype,
            bool of_pairs) {
  const double goals[] = {accuracy.value, accuracy.slope,
                          of_pairs ? accuracy.slope : accuracy.second};
  Row row = json_of(finding.worst, dtype, of_pairs);
  if (finding.judged.places < finding.worst.places)
    row["judged"] = json_of(finding.judged, dtype, of_pairs);
  if (finding.odd > 0) {
    row["odd"] = json_of(finding.odd_first, dtype, of_pairs);
    row["odd"]["count"] = finding.odd;
  }
  if (finding.zeros > 0) row["zeros"] = finding.zeros;
  if (finding.unknown > 0) row["unknown"] = finding.unknown;
  row["right"] =
      finding.judged.places <= goals[q] && finding.odd == 0 && (finding.zeros == 0 || q != kValue);
  return row;
}

bool is_within_goal(const Findings& findings, bool of_pairs) {
  const Accuracy goal;
  return findings.of[kValue].judged.places <= goal.value &&
         findings.of[kSlope].judged.places <= goal.slope &&
         findings.of[kSecond].judged.places <= (of_pairs ? goal.slope : goal.second);
}

std::string places_text(const Row& row, const char* name) {
  if (!row.contains(name)) return "";
  const Row& one = row.at(name);
  std::string text = fmt::format("{:.3g}", one.at("places").get<double>());
  if (one.contains("judged")) text += fmt::format("/{:.3g}", one["judged"]["places"].get<double>());
  return text;
}

std::string subject_text(const Row& row) {
  const auto parameters = row.at("parameters").get<std::string>();
  return row.at("operator").get<std::string>() + (parameters.empty() ? "" : " " + parameters);
}

std::string point_text(const Row& worst) {
  const std::string other =
      worst.contains("other") ? " and " + number_of_json(worst.at("other")) : "";
  return fmt::format("at {} ({}){}: {}, exactly {}", worst.at("bits").get<std::string>(),
                     number_of_json(worst.at("at")), other, number_of_json(worst.at("got")),
                     number_of_json(worst.at("exact")));
}

}  // namespace

std::string processor_and_instructions() {
  return fmt::format("{}, {}", value_of(environment(), "cpu"), uses_avx512() ? "AVX-512" : "AVX2");
}

Row row_of(const OpSpec& spec, const OpCase& one, ScalarType dtype, const Findings& findings,
           const Circumstances& made) {
  Row row = {{"operator", spec.name},
             {"parameters", one.label},
             {"dtype", name_of(dtype)},
             {"stride", made.stride},
             {"numbers", findings.numbers}};
  const Accuracy& accuracy = accuracy_of(spec.name);
  bool right = findings.misplaced == 0;
  for (std::size_t q = 0; q < kQuantities; ++q) {
    if (!findings.of[q].is_there) continue;
    const char* const name = name_of_quantity(q, made.of_pairs);
    row[name] = json_of(findings.of[q], q, accuracy, dtype, made.of_pairs);
    right = right && row[name]["right"];
  }
  if (findings.misplaced > 0)
    row["misplaced"] = {{"count", findings.misplaced},
                        {"at", number_json(findings.misplaced_at)},
                        {"bits", bits_text(findings.misplaced_at, dtype)},
                        {"loop", way_name(findings.misplaced_way)}};
  const WithoutTails* const without = without_tails(spec.name);
  const bool excused = without && findings.misplaced == 0 && row["value"]["right"];
  row["verdict"] = right || excused ? "PASS" : "FAIL";
  const bool is_goal_met = is_within_goal(findings, made.of_pairs);
  if (right && !is_goal_met && *accuracy.reason)
    row["reason"] = accuracy.reason;
  else if (excused && !right)
    row["reason"] = without->reason;
  if (row.contains("reason")) row["verdict"] = "LIMIT";
  row["exact"] = findings.exact;
  row["by_float64"] = findings.by_float64;
  row["seconds"] = std::round(made.seconds * 10) / 10;
  row["processor"] = made.processor;
  row["command"] = made.command;
  return row;
}

bool is_right(const Row& rows) {
  return std::none_of(rows.begin(), rows.end(),
                      [](const Row& row) { return row.at("verdict") == "FAIL"; });
}

std::string table_header() {
  return fmt::format("{:<28} {:<9} {:>13} {:>8} {:>14} {:>14}  {}\n", "operator", "dtype",
                     "numbers", "value", "slope", "second", "verdict");
}

std::string table_row(const Row& row) {
  return fmt::format("{:<28} {:<9} {:>13} {:>8} {:>14} {:>14}  {}\n", subject_text(row),
                     row.at("dtype").get<std::string>(), grouped(row.at("numbers")),
                     places_text(row, "value"), places_text(row, "slope"),
                     places_text(row, name_of_quantity(kSecond, row.contains(kNames[3]))),
                     row.at("verdict").get<std::string>());
}

std::string reasons_of(const Row& rows) {
  std::string text;
  std::string last;
  for (const Row& row : rows)
    if (row.contains("reason") && last != row.at("operator").get<std::string>()) {
      last = row.at("operator").get<std::string>();
      text += fmt::format("LIMIT of {}: {}\n", last, row["reason"].get<std::string>());
    }
  return text;
}

std::string complaints_of(const Row& rows) {
  std::string text;
  for (const Row& row : rows) {
    if (row.at("verdict") != "FAIL") continue;
    const std::string subject = subject_text(row) + " " + row.at("dtype").get<std::string>();
    for (const char* name : kNames) {
      if (!row.contains(name) || row[name]["right"].get<bool>()) continue;
      const Row& one = row[name];
      if (one.contains("odd"))
        text += fmt::format(
            "{}: {} {} not finite where the exact one is, or finite where that is not; first {}\n",
            subject, counted(one["odd"]["count"], name), one["odd"]["count"] == 1 ? "is" : "are",
            point_text(one["odd"]));
      if (one.contains("zeros") && name == kNames[kValue])
        text += fmt::format("{}: {} with the wrong sign\n", subject, counted(one["zeros"], "zero"));
      const Row& worst = one.contains("judged") ? one["judged"] : one;
      if (worst["places"] > 1)
        text += fmt::format("{}: the {} {}: {:.3g} units in the last place\n", subject, name,
                            point_text(worst), worst.at("places").get<double>());
    }
    if (row.contains("misplaced"))
      text += fmt::format("{}: {} other bits {}, first at {} ({})\n", subject,
                          counted(row["misplaced"]["count"], "number has").c_str(),
                          row["misplaced"]["loop"].get<std::string>(),
                          row["misplaced"]["bits"].get<std::string>(),
                          number_of_json(row["misplaced"]["at"]));
  }
  return text;
}

Row merged(const Row& earlier, const Row& rows) {
  const auto key = [](const Row& row) {
    return std::tuple(row.at("operator").get<std::string>(),
                      row.at("parameters").get<std::string>(), row.at("dtype").get<std::string>());
  };
  std::map<std::tuple<std::string, std::string, std::string>, Row> all;
  for (const Row& row : earlier) all[key(row)] = row;
  for (const Row& row : rows) all[key(row)] = row;
  Row result = Row::array();
  for (auto& [name, row] : all) result.push_back(std::move(row));
  return result;
}

std::string file_text(const Row& rows) {
  std::string text = fmt::format("{{\"schema\": \"{}\", \"rows\": [\n", kSchema);
  for (std::size_t i = 0; i < rows.size(); ++i)
    text += rows[i].dump() + (i + 1 < rows.size() ? ",\n" : "\n");
  return text + "]}\n";
}

std::string packed_findings(const Findings& findings, double seconds) {
  static_assert(std::is_trivially_copyable_v<Findings>);
  std::string bytes(sizeof(findings) + sizeof(seconds), '\0');
  std::memcpy(bytes.data(), &findings, sizeof(findings));
  std::memcpy(bytes.data() + sizeof(findings), &seconds, sizeof(seconds));
  return bytes;
}

Findings unpacked_findings(const std::string& bytes, double& seconds) {
  Findings findings;
  double more = 0;
  std::memcpy(&findings, bytes.data(), sizeof(findings));
  std::memcpy(&more, bytes.data() + sizeof(findings), sizeof(more));
  seconds += more;
  return findings;
}

}  // namespace notape::verify::exhaustive
