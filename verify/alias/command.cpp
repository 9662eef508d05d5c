#include "verify/alias/command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <random>

#include "verify/alias/report.h"
#include "verify/command/arguments.h"
#include "verify/command/crash_guard.h"
#include "verify/report/progress.h"

namespace notape::verify::alias {
namespace {

constexpr const char* kExamples = R"(Examples:
  notape verify alias                              20,000 programs, a new seed every time
  notape verify alias --programs 10000000 --seed 7 a long campaign
  notape verify alias --policy paper2017           the rules of the 2017 paper
  notape verify alias --field f64                  with tanh, exp and others, compared to 1e-9
  notape verify alias --replay 123456              one program again, as a failure printed it
  notape verify alias --fault stale-views          does the campaign find a planted fault?

Random programs of views and in-place writes run on the library and on an oracle: memory cells that
carry their exact derivatives. `fp61` means exact: small integers, compared for equality. Exit code:
0 all is well, 1 a gradient was silently wrong, a demanded error was missing, or an error changed
something, 2 bad usage, 6 a crash.)";

struct Words {
  std::string programs = "20000", seed = "fresh", policy = "default", field = "fp61",
              fault = "none", replay, format, out;
  bool quiet = false, help = false;
};

uint64_t number(const std::string& text, const char* option) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw UsageError("{}: '{}' is no whole number in range", option, text);
  return value;
}

template <typename T>
T one_of(const std::string& text, const char* option, std::initializer_list<T> values) {
  std::string names;
  for (const T value : values) {
    if (text == name_of(value)) return value;
    names += std::string(names.empty() ? "" : ", ") + name_of(value);
  }
  throw UsageError("{}: '{}' is none of {}", option, text, names);
}

/// Returns the help text if that was asked for.
std::string parse(std::vector<std::string> words, Words& given) {
  CLI::App app("Checks gradients of random programs full of views and in-place writes.",
               "notape verify alias");
  app.add_option("--programs", given.programs, "how many (default 20000)");
  app.add_option("--seed", given.seed, "a number, or 'fresh' for a new one (default)");
  app.add_option("--policy", given.policy, "default or paper2017");
  app.add_option("--field", given.field, "fp61 (exact, default) or f64");
  app.add_option("--replay", given.replay, "run the program that a failure named");
  app.add_option("--fault", given.fault, "plant none, no-version-check or stale-views");
  app.add_option("--format", given.format, "json: write alias.json");
  app.add_option("--out", given.out, "directory for the file");
  app.add_flag("--quiet", given.quiet, "print failures and counts only");
  app.footer(kExamples);
  try {
    std::reverse(words.begin(), words.end());  // as CLI11 wants it
    app.parse(words);
  } catch (const CLI::CallForHelp&) {
    return app.help();
  } catch (const CLI::ParseError& error) {
    throw UsageError("{}", error.what());
  }
  return "";
}

std::ofstream open_file(const Words& given) {
  if (given.format.empty() && given.out.empty()) return {};
  if (!given.format.empty() && given.format != "json")
    throw UsageError("--format: '{}' is not json", given.format);
  if (given.out.empty()) throw UsageError("--format needs --out DIR, where the file goes");
  std::error_code failed;
  std::filesystem::create_directories(given.out, failed);
  std::ofstream file(std::filesystem::path(given.out) / "alias.json");
  if (!file) throw UsageError("cannot write to {}", given.out);
  return file;
}

CampaignResult run(const CampaignOptions& wanted, const Words& given, std::FILE* err) {
  constexpr int64_t kParts = 200;
  CampaignOptions options = wanted;
  Progress progress(given.quiet ? ProgressStyle::None : progress_style(err), err);
  progress.begin(static_cast<std::size_t>(kParts));
  const CrashGuard guard;
  options.progress = [&](int64_t done, uint64_t next_program) {
    CrashGuard::set_context(replay_command(next_program, options.settings));
    if (done * kParts / options.programs == (done - 1) * kParts / options.programs) return;
    if (done > 0) progress.step();
    progress.working_on(fmt::format("program {} of {}", done, options.programs));
  };
  return run_campaign(options);
}

}  // namespace

int run_command(std::vector<std::string> words, std::FILE* out, std::FILE* err) {
  Words given;
  const std::string help = parse(std::move(words), given);
  if (!help.empty()) {
    fmt::print(out, "{}", help);
    return 0;
  }
  CampaignOptions options;
  options.settings = {
      .field = one_of(given.field, "--field", {Field::Exact, Field::Real}),
      .policy = one_of(given.policy, "--policy", {Policy::Default, Policy::Paper2017}),
      .fault =
          one_of(given.fault, "--fault", {Fault::None, Fault::NoVersionCheck, Fault::StaleViews})};
  options.programs = static_cast<int64_t>(number(given.programs, "--programs") & INT64_MAX);
  if (options.programs < 1) throw UsageError("--programs must be at least 1");
  options.seed = given.seed == "fresh" ? std::random_device()() : number(given.seed, "--seed");
  std::ofstream file = open_file(given);
  CampaignResult result;
  if (given.replay.empty()) {
    result = run(options, given, err);
  } else {
    const uint64_t seed = number(given.replay, "--replay");
    const CrashGuard guard;
    CrashGuard::set_context(replay_command(seed, options.settings));
    result = replay(options.settings, seed);
  }
  for (const auto* list : {&result.findings, &result.unexplained})
    for (const Finding& finding : *list)
      if (list == &result.findings || !given.quiet)
        fmt::print(out, "{}", finding_text(finding, options.settings));
  fmt::print(out, "{}{}", result.findings.empty() ? "" : "\n",
             campaign_table(result, options.settings));
  if (file.is_open() && !(file << campaign_json(result, options.settings)).flush())
    throw UsageError("writing to {} failed", given.out);
  return exit_code_of(result);
}

}  // namespace notape::verify::alias
