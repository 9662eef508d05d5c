// What libnotape_python.so exports: check() of a function that an interpreter calls, with options
// and certificates as JSON.
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "ops/parallel.h"
#include "verify/functions/function_report.h"
#include "verify/numeric/rounding_modes.h"
#include "verify/processes/child.h"
#include "verify/python/python_function.h"
#include "verify/report/formats.h"
#include "verify/report/html/svg.h"
#include "verify/report/json.h"
#include "verify/report/ladder_view.h"

namespace notape::verify {
namespace {

using Json = nlohmann::json;

char* copy_of(const std::string& text) {
  char* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy) std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

template <typename Work>
char* guarded(const Work& work) {
  try {
    return copy_of(work());
  } catch (const Error& error) {
    return copy_of(dumped({{"error", error.what()}, {"kind", error.kind()}}));
  } catch (const std::exception& error) {
    return copy_of(dumped({{"error", error.what()}, {"kind", "Error"}}));
  }
}

variable_list inputs_of(const notape_tensor* arrays, const int32_t* wanted, int32_t count) {
  variable_list inputs;
  for (int32_t i = 0; i < count; ++i)
    inputs.push_back(tensor_of(arrays[i]).requires_grad_(wanted[i] != 0));
  return inputs;
}

CheckOptions options_of(const Json& json, const std::vector<std::string>& left_out) {
  CheckOptions options;
  options.name = json.value("name", "function");
  options.order = json.value("order", 2);
  options.forward_mode = json.value("forward_mode", true);
  options.samples = json.value("samples", 4);
  options.seed = json.value("seed", uint64_t{1});
  options.fail_fast = json.value("fail_fast", false);
  options.evidence = json.value("evidence", false);
  options.atol = json.value("atol", 0.0);
  options.rtol = json.value("rtol", 0.0);
  if (json.contains("domain"))
    options.domain = Domain{.low = json["domain"].at(0), .high = json["domain"].at(1)};
  options.left_out.assign(left_out.begin(), left_out.end());
  return options;
}

/// The report as JSON, told of the place in the user's own files.
std::string told(Report report, const Json& wanted) {
  std::vector<Record> records;
  if (report.certificates)
    records = records_of(*report.certificates, {.seed = report.seed, .samples = report.samples});
  Json findings = Json::array();
  for (std::size_t i = 0; i < records.size(); ++i) {
    Record& record = records[i];
    tell_replay(record);
    record.file = wanted.value("file", "");
    record.line = wanted.value("line", int64_t{0});
    Finding& finding = report.findings.at(i);
    if (!finding.text.empty()) finding.text = failure_text(record);
    findings.push_back({{"check", finding.check},
                        {"verdict", name_of(finding.verdict)},
                        {"detail", finding.detail},
                        {"text", finding.text},
                        {"power", record.detectable},
                        {"comparisons", finding.comparisons},
                        {"certificate", certificate_json(record)}});
  }
  Json json = {{"name", report.name},   {"verdict", name_of(report.verdict())},
               {"ok", report.ok()},     {"proven", report.proven()},
               {"text", report.text()}, {"note", report.note},
               {"findings", findings}};
  if (const double power = report.detectable(); power < HUGE_VAL) json["power"] = power;
  return dumped(json);
}

/// The word S: from inputs and incoming gradients, one gradient for each floating input.
variable_list ask_surrogate(notape_callback callback, const variable_list& inputs,
                            const variable_list& incoming) {
  variable_list all = inputs;
  all.insert(all.end(), incoming.begin(), incoming.end());
  const variable_list found = call_python({callback, "S", 0}, all);
  variable_list result(inputs.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].is_floating_point()) result[i] = found.at(next++);
  return result;
}

std::string check_json(const Json& wanted, notape_callback callback, const variable_list& inputs) {
  const auto left_out = wanted.value("left_out", std::vector<std::string>());
  CheckOptions options = options_of(wanted, left_out);
  options.atomic_terms = wanted.value("atomic_terms", int64_t{0});
  if (wanted.value("surrogate", false))
    options.surrogate = [callback](const variable_list& x, const variable_list& incoming) {
      return ask_surrogate(callback, x, incoming);
    };
  const PythonWord word{callback, "", wanted.value("tower", options.order + 1)};
  const TensorFunction f = [word](const variable_list& x) { return call_python(word, x); };
  const InThisProcess here;
  std::optional<NoRoundingModes> no_modes;
  if (!wanted.value("native", false)) no_modes.emplace();
  set_num_threads(1);  // they would wait for the interpreter, one after the other
  return told(check(f, inputs, options), wanted);
}

std::string picture_of(const std::vector<Record>& records) {
  for (const bool red : {true, false})
    for (const Record& record : records) {
      if (is_red(record.verdict) != red || !record.exhibit || !record.exhibit->evidence) continue;
      const Evidence& evidence = *record.exhibit->evidence;
      if (const auto view = ladder_view(evidence))
        return ladder_picture(
            *view, evidence.legs.front().name,
            format_message("{}: {}", {title_of(record), name_of(record.verdict)}));
    }
  return "";
}

}  // namespace
}  // namespace notape::verify

extern "C" {

/// A JSON object, {"error", "kind"} if there can be no report. To be freed.
NOTAPE_EXPORTED char* notape_python_check(const char* options, notape_callback callback,
                                          const notape_tensor* inputs, const int32_t* wanted,
                                          int32_t count) {
  using namespace notape::verify;
  return guarded(
      [&] { return check_json(Json::parse(options), callback, inputs_of(inputs, wanted, count)); });
}

/// Certificates, one a line, in another form: "junit", "sarif", "html", "markdown", "github", or
/// "picture" for the step ladder of the first that has one. To be freed.
NOTAPE_EXPORTED char* notape_python_render(const char* certificates, const char* format) {
  using namespace notape::verify;
  return guarded([&] {
    const std::vector<Record> records = parse_bundle(certificates, "certificates");
    if (std::string_view(format) == "picture") return picture_of(records);
    const auto known = format_of(format);
    if (!known) throw notape::ValueError("{}: no format, they are {}", format, format_names());
    return render(*known, records, {});
  });
}

NOTAPE_EXPORTED void notape_python_free(char* text) { std::free(text); }
}
