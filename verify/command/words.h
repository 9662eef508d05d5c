// What the subcommands of `notape verify` do alike with the words of a command line.
#pragma once
#include <charconv>
#include <type_traits>

#include "verify/command/arguments.h"

namespace CLI {
class App;
}

namespace notape::verify {

/// Throws UsageError for `--out ""`, as of a variable in a script that is not set.
void refuse_empty_words(const CLI::App& app);

/// Parses `words` into the variables that `app` binds. Returns the help text if that was asked for,
/// else nothing. Throws UsageError.
std::string parse_words(CLI::App& app, std::vector<std::string> words);
/// The same; prints the help text. False if there was one.
bool parse_words(CLI::App& app, std::vector<std::string> words, std::FILE* out);
/// "cpu", "cuda:1", or "sim", which is a device from now on. Throws UsageError.
Device device_of(const std::string& text);

/// All of `text` as a number. Throws UsageError.
template <typename T>
T number_of(const std::string& text, const char* option) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw UsageError("{}: '{}' is no {} in range", option, text,
                     std::is_integral_v<T> ? "whole number" : "number");
  return value;
}

/// The same between two bounds, which are allowed. Throws UsageError, also for NaN.
template <typename T>
T number_within(const std::string& text, const char* option, T least, T most) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() ||
      !(value >= least && value <= most))
    throw UsageError("{}: '{}' is no {} from {} to {}", option, text,
                     std::is_integral_v<T> ? "whole number" : "number", least, most);
  return value;
}

/// --shard and --budget of a campaign, for its help: shard_files.h takes them from the words.
void add_sharing(CLI::App& app);
/// 1 to 256. Throws UsageError.
int jobs_of(const std::string& text);
/// 1 to 256. Throws UsageError.
int threads_of(const std::string& text);
/// "90", "90s", "1.5m", "2h". Throws UsageError.
double seconds_of(const std::string& text, const char* option);

/// The most cases of an operator and dtype that end in reasonable time.
inline constexpr int kMostSamples = 1'000'000'000;

}  // namespace notape::verify
