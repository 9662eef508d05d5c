#include "verify/command/words.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

namespace notape::verify {

void refuse_empty_words(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options())
    for (const std::string& word : option->results())
      if (word.empty()) throw UsageError("{}: it is empty", option->get_name());
}

std::string parse_words(CLI::App& app, std::vector<std::string> words) {
  try {
    std::reverse(words.begin(), words.end());  // as CLI11 wants it
    app.parse(words);
  } catch (const CLI::CallForHelp&) {
    return app.help();
  } catch (const CLI::ExtrasError&) {
    throw UsageError("not understood: {}", fmt::format("{}", fmt::join(app.remaining(), " ")));
  } catch (const CLI::ParseError& error) {
    throw UsageError("{}", error.what());
  }
  refuse_empty_words(app);
  return "";
}

}  // namespace notape::verify
