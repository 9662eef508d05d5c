#include "verify/report/record.h"

#include <fmt/format.h>

#include <cctype>

#include "verify/numeric/tolerance.h"
#include "verify/report/printable_record.h"
#include "verify/report/summary.h"
#include "verify/runner/location.h"

namespace notape::verify {

Record record_of(const Certificate& certificate, const Options& options) {
  const OpSpec& spec = *certificate.spec;
  const Origin* origin = certificate.origin;
  Record record{
      .id = id_of(certificate),
      .verdict = certificate.verdict,
      .detail = certificate.detail,
      .op = spec.name,
      .family = spec.family,
      .file = origin ? origin->file : file_of(spec.at),
      .line = origin ? origin->line : spec.at.line(),
      .plugin = origin ? std::optional(origin->plugin) : std::nullopt,
      .order = spec.order == OpSpec::kAnyOrder ? "any" : std::to_string(spec.order),
      .check = certificate.check,
      .device = to_string(certificate.device),
      .dtype = certificate.dtype,
      .ladder_factor = kLadderFactor,
      .noise_factor = kNoiseFactor,
      .rounding_factor = rounding_factor(certificate.dtype),
      .epsilon = epsilon_of(certificate.dtype),
      .gate = power_gate(certificate.dtype),
      .detectable = certificate.detectable,
      .undecided =
          certificate.undecided.entries > 0 ? std::optional(certificate.undecided) : std::nullopt,
      .near_zero =
          certificate.near_zero.entries > 0 ? std::optional(certificate.near_zero) : std::nullopt,
      .seed = options.seed,
      .samples = options.samples,
      .generator = encode_choices({}),
      .cases = certificate.cases,
      .comparisons = certificate.comparisons,
      .unresolved = certificate.unresolved,
      .seconds = certificate.seconds,
      .environment =
          certificate.environment ? *certificate.environment : environment_on(certificate.device)};
  if (origin && !origin->version.empty() && value_of(record.environment, kPlugin) == "unknown")
    record.environment.emplace_back(kPlugin, origin->version);
  if (const Exhibit* exhibit = certificate.exhibit()) {
    record.exhibit = *exhibit;
    if (!exhibit->code.empty()) record.replay = replay_command(certificate, exhibit->code);
    // The cases of an operator that crashed before the first was drawn.
    if (exhibit->code.empty() && origin)
      record.replay = fmt::format("{} --seed {} --samples {}", replay_command(certificate, ""),
                                  options.seed, options.samples);
  }
  return record;
}

std::vector<Record> records_of(const std::vector<Certificate>& certificates,
                               const Options& options) {
  std::vector<Record> records;
  for (const Certificate& certificate : certificates) {
    records.push_back(record_of(certificate, options));
    make_printable(records.back());
  }
  return records;
}

std::string title_of(const Record& record) {
  return fmt::format("{}/{} in {}", record.op, record.check, name_of(record.dtype));
}

std::string place_of(const Record& record) {
  return record.line > 0 ? fmt::format("{}:{}", record.file, record.line) : record.file;
}

bool is_of_user(const Record& record) { return record.family == "function"; }

std::string rule_of(const Record& record) {
  std::string_view why = record.exhibit ? record.exhibit->outcome.blame : std::string_view();
  why = why.substr(0, why.find_first_of(":;,"));
  if (why.starts_with("the ")) why.remove_prefix(4);
  if (why.empty()) why = record.check;
  std::string rule = std::string(name_of(record.verdict)) + '/';
  for (const char letter : why) {  // and no number: a rule is the same whatever was drawn
    const bool plain = std::isalpha(static_cast<unsigned char>(letter));
    if (plain || rule.back() != '-') rule += plain ? letter : '-';
  }
  return rule;
}

std::string why_of(const Record& record) {
  const std::string message = record.exhibit ? record.exhibit->outcome.message : "";
  if (message.empty()) return record.detail;
  if (record.is_failure()) return message;
  return record.detail == "undeclared" ? "undeclared: " + message : record.detail;
}

std::string failure_text(const Record& record) {
  std::string text = fmt::format("\n{}: {}\n", name_of(record.verdict), title_of(record));
  const auto line = [&](const char* title, const std::string& value) {
    if (!value.empty()) text += fmt::format("  {:<10} {}\n", title, value);
  };
  line("why", why_of(record));
  if (record.is_failure()) {
    const Exhibit& exhibit = *record.exhibit;
    line("case", exhibit.label);
    for (std::size_t a = 0; a < exhibit.inputs.size(); ++a)
      line(fmt::format("input {}", a).c_str(), exhibit.inputs[a].text());
    if (exhibit.incoming) line("incoming", exhibit.incoming->text());
    if (const auto& guilty = exhibit.outcome.guilty) {
      line("where", guilty->where);
      line("expected", number_text(guilty->expected, record.dtype));
      line("got", number_text(guilty->got, record.dtype));
      line("apart", apart_text(*guilty));
    }
    line("blame", exhibit.outcome.blame);
    line("replay", record.replay);
  }
  if (record.line > 0) line(is_of_user(record) ? "checked at" : "rule", place_of(record));
  return text;
}

Colour colour_of(const Record& record, const Gates& gates) {
  if (!is_red(record.verdict) && record.detectable > gates.power_gate(record.dtype))
    return Colour::Red;
  return colour_of(record.verdict, record.detail, gates);
}

}  // namespace notape::verify
