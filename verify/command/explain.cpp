// notape verify explain CERT [--picture FILE.svg]
#include "verify/report/formats.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "autograd/interchange/output_file.h"
#include "verify/command/certificates.h"
#include "verify/command/words.h"
#include "verify/processes/usage_error.h"
#include "verify/report/html/svg.h"
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

}  // namespace

int run_explain(std::vector<std::string> words, const Session& session) {
  std::string path, id, picture;
  CLI::App app("Tells the story of a certificate in plain sentences.", "notape verify explain");
  app.add_option("CERT", path, "a file of certificates")->required();
  app.add_option("--id", id, "which one, as tanh/reverse/float64/cpu; a glob");
  app.add_option("--picture", picture, "also draw its step ladder into this file, FILE.svg");
  if (!parse_words(app, std::move(words), session.out)) return 0;
  const std::vector<Record> records = choose_certificates(path, id);
  if (!picture.empty()) write_ladder(records, picture);
  const char* separator = "";
  for (const Record& record : records) {
    fmt::print(session.out, "{}{}", separator, explain(record));
    separator = "\n----\n\n";
  }
  return 0;
}

}  // namespace notape::verify
