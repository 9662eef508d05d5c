#include "verify/command/certificates.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>

#include "verify/command/words.h"
#include "verify/report/json.h"

namespace notape::verify {

CertificateCommand certificate_command(std::string_view name) {
  constexpr std::pair<std::string_view, CertificateCommand> commands[] = {
      {"replay", run_replay}, {"explain", run_explain}, {"diff", run_diff}, {"render", run_render}};
  for (const auto& [known, command] : commands)
    if (known == name) return command;
  return nullptr;
}

std::vector<Record> choose_certificates(const std::string& path, const std::string& id) {
  std::vector<Record> records = read_bundle(path);
  if (id.empty() && records.size() > 1) {
    const auto red = std::find_if(records.begin(), records.end(),
                                  [](const Record& one) { return is_red(one.verdict); });
    throw UsageError("{} holds {} certificates; say which, as --id {}, or --id '*' for all", path,
                     records.size(), (red == records.end() ? records.front() : *red).id);
  }
  if (id.empty()) return records;
  std::erase_if(records,
                [&](const Record& one) { return fnmatch(id.c_str(), one.id.c_str(), 0) != 0; });
  if (records.empty()) throw UsageError("{} holds no certificate '{}'", path, id);
  return records;
}

}  // namespace notape::verify
