// notape verify render BUNDLE --format F
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "verify/command/arguments.h"
#include "verify/command/certificates.h"
#include "verify/command/words.h"
#include "verify/report/json.h"

namespace notape::verify {

int run_render(std::vector<std::string> words, const Session& session) {
  std::string path, name, directory;
  Gates gates;
  CLI::App app("Writes a file of certificates in another form to standard output.",
               "notape verify render");
  app.add_option("BUNDLE", path, "a file of certificates")->required();
  app.add_option("--format", name, "one of " + format_names())->required();
  app.add_flag("--require-power", gates.require_power, "UNRESOLVED is a failure");
  app.add_flag("--strict", gates.strict, "so are kinks and jumps that nobody declared");
  app.add_option("--out", directory, "none: it writes to standard output")
      ->check([](const std::string&) { return "render writes to standard output; say `> FILE`"; });
  if (!parse_words(app, std::move(words), session.out)) return 0;
  const auto format = format_of(name);
  if (!format) throw UsageError("--format: '{}' is none of {}", name, format_names());
  fmt::print(session.out, "{}", render(*format, read_bundle(path), gates));
  return 0;
}

}  // namespace notape::verify
