#include "verify/command/certificates.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "autograd/interchange/output_file.h"
#include "verify/command/arguments.h"
#include "verify/command/words.h"
#include "verify/processes/usage_error.h"
#include "verify/report/diff.h"
#include "verify/report/formats.h"
#include "verify/report/html/svg.h"
#include "verify/report/json.h"
#include "verify/report/ladder_view.h"
#include "verify/report/summary.h"

namespace notape::verify {
namespace {

void write_ladder(const std::vector<Record>& records, const std::string& path) {
  if (!path.ends_with(".svg")) throw UsageError("{}: the name of a picture ends in .svg", path);
  if (records.size() != 1)
    throw UsageError("--picture is of one certificate, but --id chooses {}", records.size());
  const Record& record = records.front();
  const bool has_evidence = record.exhibit && record.exhibit->evidence;
  const auto view = has_evidence ? ladder_view(*record.exhibit->evidence) : std::nullopt;
  if (!view) throw UsageError("{} has no step ladder to draw", title_of(record));
  interchange::OutputFile file(path);
  file.write(ladder_picture(*view, record.exhibit->evidence->legs.front().name,
                            fmt::format("{}: {}", title_of(record), name_of(record.verdict))));
  file.commit();
}

/// notape verify explain CERT [--picture FILE.svg]
int run_explain(std::vector<std::string> words, const Session& session) {
  std::string path, id, picture;
  CLI::App app("Tells the story of a certificate in plain sentences.", "notape verify explain");
  app.add_option("CERT", path, "a file of certificates")->required();
  app.add_option("--id", id, "which one, as tanh/reverse/float64/cpu; a glob; none: what failed");
  app.add_option("--picture", picture, "also draw its step ladder into this file, FILE.svg");
  if (!parse_words(app, std::move(words), session.out)) return 0;
  std::vector<Record> records = id.empty() ? read_bundle(path) : choose_certificates(path, id);
  if (const std::size_t all = records.size(); id.empty() && all > 1) {
    std::erase_if(records, [](const Record& one) { return !is_red(one.verdict); });
    fmt::print(session.out, "{} of {} checks failed{}\n\n",
               grouped(static_cast<int64_t>(records.size())), grouped(static_cast<int64_t>(all)),
               records.empty() ? "; --id NAME tells of another, --id '*' of all" : "");
  }
  if (!picture.empty()) write_ladder(records, picture);
  const char* separator = "";
  for (const Record& record : records) {
    fmt::print(session.out, "{}{}", separator, explain(record));
    separator = "\n----\n\n";
  }
  return 0;
}

/// notape verify diff OLD NEW
int run_diff(std::vector<std::string> words, const Session& session) {
  std::string then, now;
  CLI::App app(
      "Compares two runs: new reds (exit code 1), lost power (3), lost coverage (5), slower.",
      "notape verify diff");
  app.add_option("OLD", then, "the certificates of the earlier run")->required();
  app.add_option("NEW", now, "those of the later one")->required();
  if (!parse_words(app, std::move(words), session.out)) return 0;
  const Difference difference = compare_runs(read_bundle(then), read_bundle(now));
  fmt::print(session.out, "{}", text_of(difference));
  return exit_code_of(difference);
}

/// notape verify render BUNDLE --format F
int run_render(std::vector<std::string> words, const Session& session) {
  std::string path, name, directory;
  Gates gates;
  CLI::App app("Writes a file of certificates in another form to standard output.",
               "notape verify render");
  app.add_option("BUNDLE", path, "a file of certificates")->required();
  app.add_option("--format", name, "one of " + format_names())->required();
  app.add_flag("--require-power", gates.require_power, "UNRESOLVED is a failure");
  app.add_flag("--strict", gates.strict, "undeclared kinks and jumps are failures");
  app.add_option("--out", directory, "none: it writes to standard output")
      ->check([](const std::string&) { return "render writes to standard output; say `> FILE`"; });
  if (!parse_words(app, std::move(words), session.out)) return 0;
  const auto format = format_of(name);
  if (!format) throw UsageError("--format: '{}' is not one of {}", name, format_names());
  fmt::print(session.out, "{}", render(*format, read_bundle(path), gates));
  return 0;
}

}  // namespace

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
