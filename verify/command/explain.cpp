// notape verify explain CERT
#include "verify/report/formats.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "verify/command/certificates.h"
#include "verify/command/words.h"

namespace notape::verify {

int run_explain(std::vector<std::string> words, const Session& session) {
  std::string path, id;
  CLI::App app("Tells the story of a certificate in plain sentences.", "notape verify explain");
  app.add_option("CERT", path, "a file of certificates")->required();
  app.add_option("--id", id, "which one, as tanh/reverse/float64/cpu; a glob");
  if (!parse_words(app, std::move(words), session.out)) return 0;
  const char* separator = "";
  for (const Record& record : choose_certificates(path, id)) {
    fmt::print(session.out, "{}{}", separator, explain(record));
    separator = "\n----\n\n";
  }
  return 0;
}

}  // namespace notape::verify
