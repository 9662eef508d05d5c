#include "verify/command/subcommands.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <random>

#include "verify/alias/processes.h"
#include "verify/alias/program_json.h"
#include "verify/alias/report.h"
#include "verify/command/crash_guard.h"
#include "verify/command/files.h"
#include "verify/command/words.h"
#include "verify/processes/interruption.h"
#include "verify/report/progress.h"

namespace notape::verify::alias {
namespace {

constexpr const char* kExamples = R"(Examples:
  notape verify alias                              20,000 programs, a new seed every time
  notape verify alias --programs 10000000 --seed 7 a long campaign
  notape verify alias --policy paper2017           the rules of the 2017 paper
  notape verify alias --policy cow --threads 4     saved values are copied before they are lost
  notape verify alias --jobs 4                     on four processes; a crash is counted, not the end
  notape verify alias --max-false-rejections 15    exit code 5 if more per cent are refused
  notape verify alias --field f64                  with tanh, exp and others, compared to 1e-9
  notape verify alias --replay 123456              one program again, as a failure printed it
  notape verify alias --fault stale-views          does the campaign find a planted fault?
  notape verify alias --emit 1000 --seed 1         plain programs and what became of them, as JSON

Random programs of views and in-place writes run on the library and on an oracle: memory cells that
carry their exact derivatives. `fp61` means exact: small integers, compared for equality. Exit code:
0 all is well, 1 a gradient was silently wrong, a demanded error was missing, or an error changed
something, 2 bad usage, 5 too many false rejections, 6 a crash. After Ctrl-C (exit code 130; 143
after SIGTERM) the programs run so far are told, and go to alias.interrupted.json instead of
alias.json.)";

constexpr int kTooManyRefused = 5;

struct Words {
  std::string programs = "20000", seed = "fresh", policy = "default", field = "fp61",
              fault = "none", threads = "1", most_false = "100", jobs, replay, emit, format, out;
  bool quiet = false;
};

template <typename T>
T one_of(const std::string& text, const char* option, std::initializer_list<T> values) {
  std::string names;
  for (const T value : values) {
    if (text == name_of(value)) return value;
    names += std::string(names.empty() ? "" : ", ") + name_of(value);
  }
  throw UsageError("{}: '{}' is not one of {}", option, text, names);
}

/// False if help was asked for and printed.
bool parse(std::vector<std::string> words, Words& given, std::FILE* out) {
  CLI::App app("Checks gradients of random programs full of views and in-place writes.",
               "notape verify alias");
  app.add_option("--programs", given.programs, "how many (default 20000)");
  app.add_option("--seed", given.seed, "a number, or 'fresh' for a new one (default)");
  app.add_option("--policy", given.policy, "default, paper2017, cow or guarded");
  app.add_option("--field", given.field, "fp61 (exact, default) or f64");
  app.add_option("--threads", given.threads, "1 (default) to 64, on disjoint programs");
  app.add_option("--jobs", given.jobs, "processes that share the programs; crashes are survived");
  add_sharing(app);
  app.add_option("--max-false-rejections", given.most_false, "in per cent (default 100)");
  app.add_option("--emit", given.emit, "print so many plain programs, one JSON object per line");
  app.add_option("--replay", given.replay, "run the program that a failure named");
  app.add_option("--fault", given.fault, "plant none, no-version-check or stale-views");
  app.add_option("--format", given.format, "json: write alias.json");
  app.add_option("--out", given.out, "directory for the file");
  app.add_flag("--quiet", given.quiet, "print failures and counts only");
  app.footer(kExamples);
  return parse_words(app, std::move(words), out);
}

CampaignResult run(const CampaignOptions& wanted, const Words& given, std::FILE* err) {
  constexpr int64_t kParts = 200;
  CampaignOptions options = wanted;
  Progress progress(given.quiet ? ProgressStyle::None : progress_style(err), err);
  progress.begin(static_cast<std::size_t>(kParts));
  const CrashGuard guard;
  options.before = [&](uint64_t program) {
    CrashGuard::set_context(replay_command(program, options.settings));
  };
  int64_t shown = 0;
  options.progress = [&](int64_t done) {
    const int64_t parts = done * kParts / options.programs;
    if (parts == shown) return;
    for (; shown < parts; ++shown) progress.step();
    progress.working_on(fmt::format("program {} of {}", done, options.programs));
  };
  const int jobs = given.jobs.empty() ? 0 : jobs_of(given.jobs);
  return jobs > 0 ? run_on_processes(options, jobs) : run_campaign(options);
}

CampaignOptions options_of(const Words& given) {
  CampaignOptions options;
  options.settings = {
      .field = one_of(given.field, "--field", {Field::Exact, Field::Real}),
      .policy = one_of(given.policy, "--policy",
                       {Policy::Default, Policy::Paper2017, Policy::CowSave, Policy::Guarded}),
      .fault =
          one_of(given.fault, "--fault", {Fault::None, Fault::NoVersionCheck, Fault::StaleViews})};
  const bool emits = !given.emit.empty();
  const char* option = emits ? "--emit" : "--programs";
  options.programs =
      number_within<int64_t>(emits ? given.emit : given.programs, option, 1, int64_t{1} << 48);
  options.seed =
      given.seed == "fresh" ? std::random_device()() : number_of<uint64_t>(given.seed, "--seed");
  options.threads = number_within<int>(given.threads, "--threads", 1, 64);
  if (!given.jobs.empty()) {
    jobs_of(given.jobs);
    if (given.threads != "1")
      throw UsageError("--threads: processes that share programs have one thread each");
  }
  return options;
}

}  // namespace

int run_command(std::vector<std::string> words, std::FILE* out, std::FILE* err) {
  Words given;
  if (!parse(std::move(words), given, out)) return 0;
  const CampaignOptions options = options_of(given);
  const auto most_false = number_within<double>(given.most_false, "--max-false-rejections", 0, 100);
  if (!given.emit.empty()) {
    emit_programs(options.settings, options.programs, options.seed, out);
    return 0;
  }
  ResultFiles file = json_file(given.format, given.out, "alias.json");
  CampaignResult result;
  if (given.replay.empty()) {
    if (given.seed == "fresh") fmt::print(out, "seed {}\n", options.seed);
    result = run(options, given, err);
  } else {
    const uint64_t seed = number_of<uint64_t>(given.replay, "--replay");
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
  const bool interrupted = !result.interrupted.empty();
  if (!file.empty()) file.publish({campaign_json(result, options.settings)}, interrupted);
  if (interrupted) return Interruption::exit_code();
  int code = exit_code_of(result);
  if (code == 0 && 100 * result.false_rejection_rate() > most_false) code = kTooManyRefused;
  return code;
}

}  // namespace notape::verify::alias
