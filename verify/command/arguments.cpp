#include "verify/command/arguments.h"

#include <CLI/CLI.hpp>
#include <random>
#include <sstream>

#include "verify/checks/check.h"
#include "verify/command/fresh_process.h"
#include "verify/command/plugin.h"
#include "verify/command/words.h"
#include "verify/generate/choices.h"
#include "verify/processes/shards.h"
#include "verify/report/case_file.h"

namespace notape::verify {
namespace {

constexpr const char* kExamples = R"(Examples:
  notape verify                              every operator, float64 and float32
  notape verify tanh 'conv*'                 some operators; quote globs
  notape verify --dtype float64 --seed fresh another set of random cases
  notape verify --order 1 --check value,reverse
                                             only some of the checks
  notape verify matmul --samples 500         more cases of one operator
  notape verify all --format html --out report
                                             report/index.html and report/certificates.jsonl.gz
  notape verify --power 1e-6 --dtype float64 --require-power
                                             fails if a larger relative error could have passed
  notape verify plugin:libmyops.so 'gelu*'   operators of your own, from C or C++
  notape verify --jobs 4                     on four processes, with the same result
  notape verify all --shard 2/8 --out parts  the second eighth of it, on any machine
  notape verify merge parts --format html --out report
                                             what all eighths say together
  notape verify changed:main                 operators whose files differ from those of main
  notape verify --budget 5m --out report     changed operators first, then what failed or was weak
                                             in report/ before, then the others, until the time is
                                             used; what was not run is named
  notape verify run tanh --dtype float64 --case 1k2z9
                                             one failing case again, as a failure printed it
  notape verify run --case c4o2k9s0aq3v --cases report/cases.jsonl
                                             the same from the report of another machine; with
                                             plugin:FILE.so if the plugin is elsewhere now
  notape verify explain report/certificates.jsonl.gz --id tanh/reverse/float64/cpu
                                             the story of one certificate; replay: its bits again
  notape verify diff old.jsonl new.jsonl     new reds, lost power, lost coverage, slower checks
  notape verify render new.jsonl --format junit
                                             a bundle in another form: json, junit, sarif, markdown,
                                             github, html
  notape verify list 'max*'                  what there is, and where it is defined
  notape verify atlas                        derivatives at kinks, ties and ends of domains
  notape verify alias                        random programs of views and in-place writes
  notape verify mutate                       plants mistakes and demands that the checks find them
  notape verify exhaustive sigmoid           every float32 through an operator and its derivatives
  notape verify calibrate                    right and wrong functions of users: are verdicts true?
  notape verify engines                      every algorithm of cuDNN for convolutions
  notape verify models                       the gradient of the whole loss of the benchmark's models

Every check ends in a verdict. PASS comes with the largest relative error that could have gone
unseen (columns float64 and float32).

Cases: a failure ends with its replay line. Its code stands for the choices that led to the inputs,
in a file that the run left in $NOTAPE_CASES, $XDG_STATE_HOME/notape/cases or
~/.local/state/notape/cases (there for a day at least), and in cases.jsonl under --out. Whoever changes
an operator's domain, shapes or attributes makes other inputs of the same code. A failure of check()
in a program of yours says NOTAPE_CASE=CODE: with this in its environment, the program checks that one
case of the function of that name.

Ctrl-C and SIGTERM end a run between two cases: what was found so far is told, files in --out stay as
they were, and the partial results go beside them, as certificates.interrupted.jsonl.gz and so on. A
second Ctrl-C ends it at once. Files appear whole or not at all, whatever ends the run.

Exit codes:
  0 all is well
  1 a wrong value or derivative
  2 bad usage, an unknown operator, or a file or standard output that cannot be read or written
  3 a larger error than --power allows could have passed, or, under --require-power, a check could
    not decide
  4 equal calls gave different bits, in this process or in a new one
  5 nothing was checked, or the device is absent
  6 an operator threw an unnamed exception, or crashed: without --jobs a crash ends the run, whose
    last line is the replay command; the operators after it are not checked and --out gets no
    results. Operators of a plugin run in processes of their own: a crash, a hang or too much
    memory is the ERROR of one, and the others are still checked
  7 of some derivative every entry is undecided: the section "undecided, and why" says which; 1
    under --strict
  130, 143 interrupted by Ctrl-C (SIGINT), by SIGTERM)";

uint64_t seed_of(const std::string& text, const char* option = "--seed") {
  if (text != "fresh") return number_of<uint64_t>(text, option);
  std::random_device device;
  return device();
}

ScalarType dtype_of(const std::string& text, const char* option) {
  const int type = floating_type_named(text);
  if (type < kScalarTypes) return static_cast<ScalarType>(type);
  throw UsageError("{}: '{}' is not one of float64, float32, float16 and bfloat16", option, text);
}

int samples_of(const std::string& text, const char* option) {
  return number_within<int>(text, option, 1, kMostSamples);
}

void read_rc_params(const char* text, Options& options) {
  std::istringstream words(text ? text : "");
  for (std::string word; words >> word;) {
    if (word.starts_with("seed=")) options.seed = seed_of(word.substr(5), "RC_PARAMS seed");
    if (word.starts_with("max_success="))
      options.samples = samples_of(word.substr(12), "RC_PARAMS max_success");
  }
}

struct Words {
  std::vector<std::string> selectors, dtypes, formats;
  std::vector<std::string> power, checks;
  std::string device = "cpu", order, seed, samples, code, cases, out, timeout, memory;
  std::string jobs, threads, budget, history;
  bool fail_fast = false, quiet = false, require_power = false, strict = false;
};

/// "value, reverse, ..."
std::string check_names() {
  std::string names;
  for (const Check& check : all_checks()) names += std::string(check.name) + ", ";
  return names + kFreshProcess;
}

bool is_check(std::string_view name) { return name == kFreshProcess || find_check(name); }

/// What --check and --order leave out.
std::vector<std::string_view> left_out(const Words& words) {
  for (const std::string& name : words.checks)
    if (!is_check(name)) throw UsageError("--check: '{}' is not one of {}", name, check_names());
  const int order = words.order.empty() ? 3 : number_within<int>(words.order, "--order", 1, 3);
  std::vector<std::string_view> names;
  const auto leave_out_unless_wanted = [&](std::string_view name, bool too_high) {
    const bool named =
        std::find(words.checks.begin(), words.checks.end(), name) != words.checks.end();
    if (too_high || !(words.checks.empty() || named)) names.push_back(name);
  };
  for (const Check& check : all_checks())
    leave_out_unless_wanted(check.name, check.details.order > order);
  leave_out_unless_wanted(kFreshProcess, false);
  return names;
}

void fill(CLI::App& app, Words& words) {
  app.add_option("SELECTOR", words.selectors,
                 "operator name, glob, changed:GITREF, or 'all' (none: all); plugin:FILE.so: "
                 "of those in a shared library");
  app.add_option(
         "--dtype", words.dtypes,
         "float64, float32, float16, bfloat16, separated by commas (default float64,float32)")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--check", words.checks, "only these: " + check_names())
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--order", words.order, "derivatives up to this order, 1 to 3 (default)");
  app.add_option("--device", words.device,
                 "cpu (default), cuda, cuda:N, or sim: the CPU's kernels on a memory of its own");
  app.add_option("--seed", words.seed, "a number (default 1), or 'fresh' for a new one");
  app.add_option("--samples", words.samples,
                 "cases per operator and dtype (default 30), or as many as a C operator has ways");
  app.add_option("--case", words.code, "replay one case by the code that a failure printed");
  app.add_option(
      "--cases", words.cases,
      "where the case is, if it is not where runs on this machine leave theirs: the file "
      "cases.jsonl of a report");
  app.add_option("--power", words.power,
                 "the largest relative error a PASS may miss, as 1e-11 or "
                 "float64=1e-11,float32=1e-4")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_flag("--require-power", words.require_power, "UNRESOLVED is a failure");
  app.add_flag("--strict", words.strict,
               "undeclared kinks and jumps, and derivatives wholly undecided, are failures");
  app.add_option("--format", words.formats, "files to write, of " + format_names())
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--out", words.out, "directory for the files");
  app.add_option("--timeout", words.timeout,
                 "seconds for all checks of one operator of a plugin together (default 60)");
  app.add_option("--memory", words.memory, "MiB for an operator of a plugin (default 4096)");
  app.add_option("--jobs", words.jobs, "processes that share the work; a crash is then a verdict");
  app.add_option("--threads", words.threads, "threads that an operator may use (default: its own)");
  app.add_option("--budget", words.budget, "time to spend where risk is, as 90s or 5m");
  app.add_option(
      "--shard",
      "I/N: this part of the work, into the file shard-I-of-N.gz in --out; `notape verify "
      "merge` makes one report of all");
  app.add_option("--history", words.history,
                 "directory of an earlier --out: what failed or was weak there goes first");
  app.add_flag("--fail-fast", words.fail_fast, "stop at the first operator that fails");
  app.add_flag("--quiet", words.quiet, "print failures and counts only");
  app.footer(kExamples);
}

void read_formats(const Words& words, Arguments& result) {
  const auto add = [&](Format format) {
    const auto& have = result.formats;
    if (std::find(have.begin(), have.end(), format) == have.end()) result.formats.push_back(format);
  };
  for (const std::string& name : words.formats) {
    const auto format = format_of(name);
    if (!format) throw UsageError("--format: '{}' is not one of {}", name, format_names());
    if (words.out.empty() && !file_of(*format).empty())
      throw UsageError("--format needs --out DIR, where the files go");
    add(*format);
    if (*format == Format::Html) add(Format::Json);
  }
  result.out = words.out;
  if (words.formats.empty() && !result.out.empty())
    for (const Format format :
         {Format::Json, Format::Junit, Format::Sarif, Format::Markdown, Format::Html})
      add(format);
  result.options.evidence = !result.formats.empty() || Shards::current();
}

void read_effort(const Words& words, Arguments& result) {
  if (!words.jobs.empty()) result.options.jobs = jobs_of(words.jobs);
  if (!words.threads.empty()) result.threads = threads_of(words.threads);
  if (!words.budget.empty()) result.options.seconds = seconds_of(words.budget, "--budget");
  if (!words.history.empty() && words.budget.empty())
    throw UsageError("--history says where a --budget goes first, and there is none");
  if (!words.budget.empty() && !words.code.empty())
    throw UsageError("--case is one case: it needs no --budget");
  result.history = words.history;
}

/// "1e-11" for every dtype, "float32=1e-4" for one.
void read_gates(const Words& words, Gates& gates) {
  for (const std::string& word : words.power) {
    const auto equals = word.find('=');
    const std::string number = equals == word.npos ? word : word.substr(equals + 1);
    constexpr double kLeast = 1e-300;  // what is 0 or below gates nothing
    const auto limit = number_within<double>(number, "--power", kLeast, 1);
    if (equals != word.npos)
      gates.power.emplace_back(dtype_of(word.substr(0, equals), "--power"), limit);
    else
      for (const ScalarType dtype : {kFloat64, kFloat32, kFloat16, kBFloat16})
        gates.power.emplace_back(dtype, limit);
  }
  gates.require_power = words.require_power;
  gates.strict = words.strict;
}

/// What the case of an id says, for what the command line leaves out.
void read_saved_case(Words& words, Arguments& result) {
  if (!is_case_id(words.code)) {
    if (!words.cases.empty())
      throw UsageError("--cases: '{}' is no id of a case in a file", words.code);
    return;
  }
  const SavedCase saved =
      find_case(words.code, words.cases.empty() ? cases_directory() : words.cases);
  const auto agree = [&](const char* what, const std::string& given, const std::string& known) {
    if (given != known)
      throw UsageError("--case: {} is of {} '{}', not '{}'", words.code, what, known, given);
  };
  if (result.selectors.empty()) result.selectors = {saved.op};
  if (words.dtypes.empty()) words.dtypes = {saved.dtype};
  if (result.selectors.size() == 1) agree("operator", result.selectors[0], saved.op);
  if (words.dtypes.size() == 1) agree("dtype", words.dtypes[0], saved.dtype);
  if (words.device == "cpu") words.device = saved.device;
  if (!saved.plugin.empty()) result.plugin = plugin_now(saved.plugin, result.plugin);
  words.code = saved.code;
}

}  // namespace

Arguments parse_arguments(std::vector<std::string> words, const char* rc_params) {
  Arguments result;
  if (!words.empty() && (words[0] == "run" || words[0] == "list")) {
    if (words[0] == "list") result.action = Arguments::Action::List;
    words.erase(words.begin());
  }
  CLI::App app("Checks values and derivatives of operators against 113-bit references.",
               "notape verify [run|list]");
  Words given;
  fill(app, given);
  result.help = parse_words(app, std::move(words));
  if (!result.help.empty()) {
    result.action = Arguments::Action::Help;
    return result;
  }
  result.selectors = given.selectors;
  result.plugin = take_plugin(result.selectors);
  if (!given.code.empty() || !given.cases.empty()) read_saved_case(given, result);
  result.limits = limits_of(given.timeout, given.memory);
  result.quiet = given.quiet;
  result.options.fail_fast = given.fail_fast;
  read_rc_params(rc_params, result.options);
  if (!given.seed.empty()) result.options.seed = seed_of(given.seed);
  result.fresh_seed = given.seed == "fresh";
  if (!given.samples.empty()) result.options.samples = samples_of(given.samples, "--samples");
  result.any_dtype = given.dtypes.empty();
  if (!result.any_dtype) result.options.dtypes.clear();
  result.options.left_out = left_out(given);
  for (const std::string& dtype : given.dtypes)
    result.options.dtypes.push_back(dtype_of(dtype, "--dtype"));
  result.options.device = device_of(given.device);
  if (!given.code.empty()) {
    result.options.only_case = decode_choices(given.code);
    if (!result.options.only_case)
      throw UsageError("--case: '{}' is no case code of this version", given.code);
    if (result.selectors.size() != 1 || result.options.dtypes.size() != 1)
      throw UsageError("--case needs one operator and one --dtype");
  }
  read_gates(given, result.options.gates);
  read_effort(given, result);
  read_formats(given, result);
  return result;
}

}  // namespace notape::verify
