#include "verify/schedule/wire.h"
#include "verify/numeric/tolerance.h"

#include <nlohmann/json.hpp>

#include "verify/checks/check.h"
#include "verify/report/json.h"

namespace notape::verify {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kPartBegins = R"({"part":)";

void make_tidy(Record& record) {
  const auto shorten = [](std::string& text) { text = tidy(text); };
  shorten(record.detail);
  if (!record.exhibit) return;
  Outcome& outcome = record.exhibit->outcome;
  for (std::string* text :
       {&record.exhibit->label, &outcome.reason, &outcome.message, &outcome.blame})
    shorten(*text);
}

}  // namespace

std::string tidy(const std::string& text, std::size_t longest) {
  std::string result = text.substr(0, longest);
  for (char& letter : result)
    if (static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f) letter = ' ';
  return text.size() > longest ? result + "..." : result;
}

std::string line_of(const Certificate& certificate, const Options& options) {
  Record record = record_of(certificate, options);
  make_tidy(record);
  return certificate_json(record) + "\n";
}

std::string line_of(const Part& part) {
  const Json json = {
      {"part", name_of(part.dtype)}, {"cases", part.cases}, {"seconds", part.seconds}};
  return json.dump() + "\n";
}

std::vector<Part> parts_of(std::string_view lines, const OpSpec& spec, const Origin* origin) {
  std::vector<Part> parts;
  std::vector<Certificate> open;
  for (std::size_t end; (end = lines.find('\n')) != lines.npos; lines.remove_prefix(end + 1)) {
    const std::string_view line = lines.substr(0, end);
    if (!line.starts_with(kPartBegins)) {
      open.push_back(certificate_of(parse_certificate(line, spec.name), spec, origin));
      continue;
    }
    const Json json = Json::parse(line);
    parts.push_back({.spec = &spec,
                     .dtype = dtype_named(json.at("part").get<std::string>()),
                     .certificates = std::exchange(open, {}),
                     .cases = json.at("cases").get<int64_t>(),
                     .seconds = json.at("seconds").get<double>()});
  }
  return parts;
}

}  // namespace notape::verify
