#include "verify/command/subcommands.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "verify/command/crash_guard.h"
#include "verify/command/files.h"
#include "verify/command/words.h"
#include "verify/corpus/against_torch.h"
#include "verify/corpus/report.h"
#include "verify/processes/interruption.h"
#include "verify/report/progress.h"

namespace notape::verify::corpus {
namespace {

constexpr int kNotCalibrated = 1, kCrash = 6;

constexpr const char* kExamples = R"(Examples:
  notape verify calibrate                         the whole corpus, 100 seeds
  notape verify calibrate losses 'gelu*'          some families or functions
  notape verify calibrate gelu_tanh/constant --seed 17 --seeds 1
                                                  one mistake at one seed, with the verifier's words
  notape verify calibrate '*/right'               right functions only: false alarms
  notape verify calibrate --list                  the functions, and the mistakes planted into each
  notape verify calibrate --jobs 4                on four processes, with the same result
  NOTAPE_PYTHON=~/torch/bin/python notape verify calibrate --against torch --seeds 10
                                                  torch.autograd.gradcheck on thirty of the functions
  notape verify calibrate --format json --out DIR also DIR/calibration.json

The corpus has functions as people write them, with a backward of their own, and for each the
mistakes of public kernel libraries' histories. How wrong a mistake is at a trial's inputs is measured
by comparing its gradients with the right ones, without the verifier. Columns: right functions' checks,
false alarms (a red verdict) and share of UNRESOLVED; mistakes planted, trials in which they are wrong,
and of these found (red), undecided (the check of that order says that it cannot tell), small (not larger
than the power that was stated) and missed (larger), false: missed and larger than twice that.

Exit codes: 0 no false alarm, nothing missed or called proven, no mistake of 1e-7 or more that is never
found, and at most 2 % of the checks of right functions unresolved; 1 otherwise; 2 bad usage; 6 a crash;
130 and 143 interrupted, with what was done so far in calibration.interrupted.json.)";

struct Words {
  std::vector<std::string> selectors;
  std::string seeds = "100", seed = "1", jobs, format, out, against;
  bool list = false, quiet = false;
};

/// False if help was asked for and printed.
bool parse(std::vector<std::string> words, Words& given, std::FILE* out) {
  CLI::App app("Measures what the verifier's verdicts on functions of users are worth.",
               "notape verify calibrate");
  app.add_option("SELECTOR", given.selectors,
                 "family, function, glob, or function/mistake; none: all");
  app.add_option("--seeds", given.seeds, "how many (default 100)");
  app.add_option("--seed", given.seed, "the first one (default 1)");
  app.add_option("--jobs", given.jobs, "processes that share the work; crashes are then survived");
  add_sharing(app);
  app.add_option("--format", given.format, "json: write calibration.json");
  app.add_option("--out", given.out, "directory for the file");
  app.add_option("--against", given.against,
                 "torch: also torch.autograd.gradcheck, if it is there");
  app.add_flag("--list", given.list, "say what the corpus has");
  app.add_flag("--quiet", given.quiet, "no progress");
  app.footer(kExamples);
  return parse_words(app, std::move(words), out);
}

}  // namespace

int run_command(std::vector<std::string> words, std::FILE* out, std::FILE* err) {
  Words given;
  if (!parse(std::move(words), given, out)) return 0;
  const std::vector<Chosen> chosen = choose(all_entries(), given.selectors);
  if (given.list) {
    fmt::print(out, "{}", corpus_list(chosen));
    return 0;
  }
  CalibrationOptions options{.first_seed = number_of<uint64_t>(given.seed, "--seed"),
                             .seeds = number_within<int>(given.seeds, "--seeds", 1, 1000000)};
  if (!given.jobs.empty()) options.jobs = jobs_of(given.jobs);
  if (!given.against.empty() && given.against != "torch")
    throw UsageError("--against: '{}' is not torch", given.against);
  ResultFiles file = json_file(given.format, given.out, "calibration.json");
  Progress progress(given.quiet ? ProgressStyle::None : progress_style(err), err);
  progress.begin(chosen.size() * static_cast<std::size_t>(options.seeds));
  options.progress = [&](const std::string& name) {
    progress.step();
    progress.working_on(name);
    CrashGuard::set_context(fmt::format("notape verify calibrate, after '{}'", name));
  };
  Calibration calibration;
  {
    const CrashGuard guard;
    calibration = calibrate(chosen, options);
  }
  progress.clear();
  fmt::print(out, "{}", calibration_text(calibration));
  Comparison comparison;
  if (!given.against.empty() && calibration.interrupted.empty())
    comparison = against_torch(calibration);
  fmt::print(out, "{}", comparison.text);
  const bool interrupted = !calibration.interrupted.empty();
  if (!file.empty()) file.publish({calibration_json(calibration, comparison.json)}, interrupted);
  if (interrupted) return Interruption::exit_code();
  if (calibration.count(Violation::What::Crash) > 0) return kCrash;
  return calibration.accepted() ? 0 : kNotCalibrated;
}

}  // namespace notape::verify::corpus
