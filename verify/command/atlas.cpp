#include "verify/command/subcommands.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <set>

#include "verify/command/atlas_table.h"
#include "verify/command/files.h"
#include "verify/command/plugin.h"
#include "verify/command/words.h"
#include "verify/generate/drawn_case.h"
#include "verify/processes/interruption.h"
#include "verify/runner/selector.h"

namespace notape::verify::atlas {
namespace {

constexpr const char* kExamples = R"(Examples:
  notape verify atlas                             every function at its special points
  notape verify atlas relu 'max*'                 what is about some operators
  notape verify atlas --format json,markdown --out report
                                                  also report/atlas.json and report/atlas.md

A function's spellings must agree in value, in reverse and forward mode and in every order listed,
in float64 and float32 and in every layout, bit for bit but for the signs of zeros. Exit code: 0
they do, 1 some do not, or an operator declares a kink and has no row, 2 bad usage. After Ctrl-C
(exit code 130; 143 after SIGTERM) the rows done so far are told, and go to atlas.interrupted.json
and atlas.interrupted.md.)";

struct Words {
  std::vector<std::string> selectors, formats;
  std::string out, device = "cpu";
  bool quiet = false;
};

/// False if help was asked for and printed.
bool parse(std::vector<std::string> words, Words& given, std::FILE* out) {
  CLI::App app("Shows derivatives at singular points, and that equal functions agree there.",
               "notape verify atlas");
  app.add_option("SELECTOR", given.selectors, "operator name, glob, or 'all' (none: all)");
  app.add_option("--device", given.device,
                 "cpu (default), cuda, cuda:N, or sim: the CPU's kernels on a memory of its own");
  app.add_option("--format", given.formats, "files to write: json, markdown or both")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--out", given.out, "directory for the files");
  app.add_flag("--quiet", given.quiet, "print disagreements and counts only");
  app.footer(kExamples);
  if (!parse_words(app, std::move(words), out)) return false;
  for (const std::string& format : given.formats)
    if (format != "json" && format != "markdown")
      throw UsageError("--format: '{}' is neither json nor markdown", format);
  if (given.out.empty() && !given.formats.empty())
    throw UsageError("--format needs --out DIR, where the files go");
  if (given.formats.empty() && !given.out.empty()) given.formats = {"json", "markdown"};
  return true;
}

/// The rows about some of these operators.
std::vector<const Row*> select_rows(const SpecList& chosen) {
  std::set<std::string_view> names;
  for (const OpSpec* spec : chosen) names.insert(spec->name);
  std::vector<const Row*> wanted;
  for (const Row& row : rows())
    if (std::any_of(row.spellings.begin(), row.spellings.end(),
                    [&](const Spelling& spelling) { return names.contains(spelling.op); }))
      wanted.push_back(&row);
  return wanted;
}

/// Whether cases of the operator declare a kink, or entries that must not tie.
bool declares_kinks(const OpSpec& spec) {
  constexpr int kCases = 24;
  if (spec.order == 0) return false;
  for (int number = 0; number < kCases; ++number) {
    ChoiceDraw draw(rc::Random(static_cast<uint64_t>(number)));
    const OpCase drawn = spec.draw(draw);
    for (const Argument& argument : drawn.arguments)
      if (argument.kind == Argument::Kind::Real &&
          (argument.distinct || !argument.domain.kinks.empty()))
        return true;
  }
  return false;
}

}  // namespace

int run_command(std::vector<std::string> words, const SpecList& specs, std::FILE* out) {
  Words given;
  if (!parse(std::move(words), given, out)) return 0;
  refuse_plugin(given.selectors, "atlas");
  const SpecList chosen = select(specs, given.selectors);
  const Device device = device_of(given.device);
  ResultFiles files;
  for (const std::string& format : given.formats)
    files.add(given.out, format == "json" ? "atlas.json" : "atlas.md");
  std::vector<std::string> missing;
  for (const OpSpec* spec : chosen)
    if (!has_row(spec->name) && declares_kinks(*spec)) missing.push_back(spec->name);
  Report report = survey(select_rows(chosen), device);
  report.missing = std::move(missing);
  const std::string text = as_text(report);
  // Without the table: from the first finding, or the summary, on.
  fmt::print(out, "{}", given.quiet ? text.substr(text.rfind("\n\n") + 2) : text);
  std::vector<std::string> texts;
  for (const std::string& format : given.formats)
    texts.push_back(format == "json" ? as_json(report) : as_markdown(report));
  const bool interrupted = !report.interrupted.empty();
  files.publish(texts, interrupted);
  if (interrupted) return Interruption::exit_code();
  return report.findings.empty() && report.missing.empty() ? 0 : 1;
}

}  // namespace notape::verify::atlas
