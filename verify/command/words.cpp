#include "verify/command/words.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cuda/sim/simulated_device.h"

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

bool parse_words(CLI::App& app, std::vector<std::string> words, std::FILE* out) {
  const std::string help = parse_words(app, std::move(words));
  fmt::print(out, "{}", help);
  return help.empty();
}

Device device_of(const std::string& text) {
  try {
    const Device device(text);
    if (device.type == kSIM) sim::use_simulated_device();
    return device;
  } catch (const ValueError& error) {
    throw UsageError("--device: {}", error.what_without_backtrace());
  }
}

void add_sharing(CLI::App& app) {
  app.add_option(
      "--shard",
      "I/N: this part of the work, into the file shard-I-of-N.gz in --out; `notape verify "
      "merge` makes one result of all");
  app.add_option("--budget", "end when this time is used, as 90s or 5m");
}

int jobs_of(const std::string& text) { return number_within<int>(text, "--jobs", 1, 256); }
int threads_of(const std::string& text) { return number_within<int>(text, "--threads", 1, 256); }

double seconds_of(const std::string& text, const char* option) {
  constexpr double kMost = 30 * 86400.0;
  double value = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value, std::chars_format::fixed);
  const std::string_view unit(end, static_cast<std::size_t>(last - end));
  const double factor = unit.empty() || unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : 0;
  const double seconds = value * factor;
  if (error != std::errc() || !(seconds > 0) || seconds > kMost)
    throw UsageError("{}: '{}' is no time, such as 90, 90s, 5m or 2h", option, text);
  return seconds;
}

}  // namespace notape::verify
