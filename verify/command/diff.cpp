// notape verify diff OLD NEW
#include "verify/report/diff.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "verify/command/certificates.h"
#include "verify/command/words.h"
#include "verify/report/json.h"

namespace notape::verify {

int run_diff(std::vector<std::string> words, const Session& session) {
  std::string then, now;
  CLI::App app("Compares two runs: new reds (exit code 1), lost power (3), lost coverage, slower.",
               "notape verify diff");
  app.add_option("OLD", then, "the certificates of the earlier run")->required();
  app.add_option("NEW", now, "those of the later one")->required();
  if (!parse_words(app, std::move(words), session.out)) return 0;
  const Difference difference = compare_runs(read_bundle(then), read_bundle(now));
  fmt::print(session.out, "{}", text_of(difference));
  return exit_code_of(difference);
}

}  // namespace notape::verify
