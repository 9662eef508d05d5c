#include "verify/command/subcommands.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <CLI/CLI.hpp>

#include "verify/command/crash_guard.h"
#include "verify/command/files.h"
#include "verify/command/plugin.h"
#include "verify/command/words.h"
#include "verify/mutate/report.h"
#include "verify/mutate/specimens.h"
#include "verify/processes/interruption.h"
#include "verify/report/case_file.h"
#include "verify/report/progress.h"
#include "verify/runner/selector.h"

namespace notape::verify::mutate {
namespace {

constexpr int kGateMissed = 5, kCrash = 6;

constexpr const char* kExamples = R"(Examples:
  notape verify mutate                          every mistake in every operator
  notape verify mutate softmax 'max*'           every mistake in some operators
  notape verify mutate M44                      one mistake in every operator: float32 arithmetic
  notape verify mutate tanh 'M4*' --samples 200 some mistakes in one operator, more cases of each
  notape verify mutate --jobs 4                 on four processes, with the same result
  notape verify mutate --list                   the mistakes, and the check meant to find each
  notape verify mutate --format json --out DIR  also DIR/mutation.json

A check that cannot fail is no check: each standard mistake in derivatives is planted into every
operator that has a place for it, and the checks of `notape verify` must find it. A line per mistake
says in how many operators it is wrong, in how many it was found (killed), and after how many
cases at most. Harmless: the planted operator has the derivatives of the right one at all cases, as
with swapped gradients of a sum. 'only by' marks kills that another check than the one meant made.
Right operators go through the same harness and must raise no alarm.

Exit codes: 0 the score is met, 2 bad usage, 5 the score is missed, one of the 21 baseline mistakes
survived, a right operator raised an alarm, or nothing was planted, 6 a crash. After Ctrl-C (exit
code 130; 143 after SIGTERM) what was planted so far is told, and goes to mutation.interrupted.json
instead of mutation.json.)";

struct Words {
  std::vector<std::string> selectors;
  std::string min_score = "0.99", seed = "1", samples = "60", jobs, format, out;
  bool list = false, quiet = false;
};

/// False if help was asked for and printed.
bool parse(std::vector<std::string> words, Words& given, std::FILE* out) {
  CLI::App app("Plants standard mistakes in derivatives and demands that the checks find them.",
               "notape verify mutate");
  app.add_option("SELECTOR", given.selectors, "operators, or mistakes (M02, 'M4*'); none: all");
  app.add_option("--min-score", given.min_score, "killed / wrong that is enough (default 0.99)");
  app.add_option("--seed", given.seed, "of the cases (default 1)");
  app.add_option("--samples", given.samples, "cases per operator and dtype (default 60)");
  app.add_option("--jobs", given.jobs, "processes that share the work; crashes are then survived");
  add_sharing(app);
  app.add_option("--format", given.format, "json: write mutation.json");
  app.add_option("--out", given.out, "directory for the file");
  app.add_flag("--list", given.list, "say what can be planted");
  app.add_flag("--quiet", given.quiet, "no progress");
  app.footer(kExamples);
  return parse_words(app, std::move(words), out);
}

bool names_mutant(const std::string& selector) {
  return selector.size() > 1 && selector[0] == 'M' &&
         (std::isdigit(selector[1]) || selector[1] == '*');
}

std::vector<const Mutant*> chosen_mutants(const std::vector<std::string>& selectors) {
  std::vector<const Mutant*> chosen;
  bool any = false;
  for (const std::string& selector : selectors) any = any || names_mutant(selector);
  for (const Mutant& mutant : all_mutants())
    if (!any || std::any_of(selectors.begin(), selectors.end(), [&](const std::string& selector) {
          return names_mutant(selector) && fnmatch(selector.c_str(), mutant.id, 0) == 0;
        }))
      chosen.push_back(&mutant);
  if (chosen.empty())
    throw UsageError("no mistake has that id; `notape verify mutate --list` shows all");
  return chosen;
}

SpecList chosen_operators(const SpecList& specs, const std::vector<std::string>& selectors) {
  SpecList all = specs;
  all.insert(all.end(), specimens().begin(), specimens().end());
  std::vector<std::string> names;
  for (const std::string& selector : selectors)
    if (!names_mutant(selector)) names.push_back(selector);
  refuse_plugin(names, "mutate");
  return select(all, names,
                fmt::format("`notape verify list` shows {}, and `mutate` has {} specimens besides",
                            specs.size(), specimens().size()));
}

}  // namespace

int run_command(std::vector<std::string> words, const SpecList& specs, std::FILE* out,
                std::FILE* err) {
  Words given;
  if (!parse(std::move(words), given, out)) return 0;
  const auto mutants = chosen_mutants(given.selectors);
  if (given.list) {
    fmt::print(out, "{}", mutant_list(mutants));
    return 0;
  }
  const auto least = number_within<double>(given.min_score, "--min-score", 0, 1);
  MatrixOptions options;
  options.hunt = {.seed = number_of<uint64_t>(given.seed, "--seed"),
                  .samples = number_within<int>(given.samples, "--samples", 1, kMostSamples)};
  if (!given.jobs.empty()) options.jobs = jobs_of(given.jobs);
  options.library = given.selectors.empty();
  const SpecList chosen = chosen_operators(specs, given.selectors);
  ResultFiles file = json_file(given.format, given.out, "mutation.json");
  Progress progress(given.quiet ? ProgressStyle::None : progress_style(err), err);
  progress.begin(chosen.size());
  options.progress = [&, first = true](const std::string& name) mutable {
    if (!std::exchange(first, false)) progress.step();
    progress.working_on(name);
    CrashGuard::set_context(fmt::format("notape verify mutate '{}'", name));
  };
  KillMatrix matrix;
  {
    const CrashGuard guard;
    matrix = fill_matrix(chosen, mutants, options);
  }
  progress.clear();
  std::vector<SavedCase> alarms;
  for (const FalseAlarm& alarm : matrix.false_alarms) alarms.push_back(case_of(alarm));
  try {
    keep_cases(alarms);
  } catch (const BadCase&) {  // they are told all the same
  }
  fmt::print(out, "{}", matrix_text(matrix));
  const bool interrupted = !matrix.interrupted.empty();
  if (!file.empty()) file.publish({matrix_json(matrix)}, interrupted);
  if (interrupted) return Interruption::exit_code();
  if (!matrix.crashes.empty()) return kCrash;
  const bool met = matrix.wrong() > 0 && matrix.score() >= least && matrix.baseline_is_complete() &&
                   matrix.false_alarms.empty();
  return met ? 0 : kGateMissed;
}

}  // namespace notape::verify::mutate
