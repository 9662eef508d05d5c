// notape verify exhaustive: every number of a type through unary elementwise operators.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "autograd/interchange/output_file.h"
#include "ops/parallel.h"
#include "verify/command/plugin.h"
#include "verify/command/subcommands.h"
#include "verify/command/words.h"
#include "verify/exhaustive/row.h"
#include "verify/processes/interruption.h"
#include "verify/processes/workers.h"
#include "verify/report/progress.h"
#include "verify/runner/selector.h"

namespace notape::verify::exhaustive {
namespace {

constexpr int kWrong = 1, kNothingWalked = 5, kCrash = 6;

constexpr const char* kExamples = R"(Examples:
  notape verify exhaustive sigmoid                    all 2^32 numbers of float32, and those of 16 bits
  notape verify exhaustive --dtype float16,bfloat16   every unary operator at every number of 16 bits
  notape verify exhaustive --dtype float32 --stride 257
                                                      every 257th bit pattern; take a prime
  notape verify exhaustive logit --shard 2/8 --out parts
                                                      the second eighth of the work, for eight machines
  NOTAPE_ISA=avx2 notape verify exhaustive exp        the loops of a processor without AVX-512
  notape verify exhaustive --pairs mul atan2 --stride 65537
                                                      pairs of numbers of 16 bits through operators of two
                                                      arguments, of 2^32 every 65,537th; without it all
  notape verify exhaustive changed:HEAD~1             operators whose files a commit has changed
  notape verify exhaustive --json FILE                also a line of FILE for each operator and dtype;
                                                      its lines about others stay
  notape verify exhaustive --show FILE                the table of such a file; of one --dtype only, with it

Each number goes through the operator, its backward and the backward of that: side by side in memory;
and of every eighth batch also two apart, at an odd address, in rows of seven and beside infinities, NaN
and subnormal numbers, which must give the same bits. What is exact, the row's reference in 113 bits
says: at each number, or as polynomials through eleven numbers of a stretch, where these are exact to a
fiftieth of a last place. Every error that is told was measured in 113 bits. Where no polynomial fits
(sin of 1e20), a walk of more than 4,194,304 numbers judges 4,096 of a batch and every 64th after them
in 113 bits, the others by the same operator in float64.

Columns: the largest error of the value, of the slope and of the second derivative, in units in the last
place of the exact number. After a slash: in last places of its terms, if it is a difference of these
near a zero; and beyond what the row declares to be lost in its result (`notape verify list`). The
goal: values within 1, slopes within 2.5, second derivatives, which are several operators, within 8; NaN
and infinities where they are exactly, and zeros of the right sign.
Exit codes: 0 the goal is met, or the row says why not, 1 it is not, 2 bad usage, 5 nothing was walked,
6 a crash; 130 and 143 interrupted, with no line written.)";

struct Wanted {
  std::vector<std::string> selectors, dtypes = {"float16", "bfloat16", "float32"};
  std::string stride = "1", parameters = "2", jobs = "1", json, show;
  bool quiet = false, pairs = false;
};

bool parse(std::vector<std::string> words, Wanted& given, std::FILE* out) {
  CLI::App app("Walks every number of a type through unary elementwise operators.",
               "notape verify exhaustive");
  app.add_option("SELECTOR", given.selectors, "operator name, glob, or 'all' (none: all)");
  app.add_option("--dtype", given.dtypes, "float32, float16, bfloat16 (default: all three)")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--stride", given.stride, "every so many bit patterns (default 1: all)");
  add_sharing(app);
  app.add_option("--parameters", given.parameters,
                 "drawn parameters beside the simplest (default 2)");
  app.add_option("--jobs", given.jobs, "processes that share the work (default 1)");
  app.add_option("--json", given.json, "a file of each operator and dtype, too");
  app.add_option("--show", given.show, "print the table of a file, and walk nothing");
  app.add_flag("--pairs", given.pairs,
               "pairs of numbers of 16 bits through operators of two arguments");
  app.add_flag("--quiet", given.quiet, "no progress");
  app.footer(kExamples);
  return parse_words(app, std::move(words), out);
}

/// A case in a dtype.
struct Subject {
  const OpSpec* spec;
  OpCase one;
  ScalarType dtype;
  std::size_t tasks = 0;  ///< that are left
  Findings findings = {};
  double seconds = 0;
};
struct Task {
  std::size_t subject;
  Range range;
};

std::vector<Subject> subjects_of(const Wanted& given, const SpecList& specs) {
  refuse_plugin(given.selectors, "exhaustive");
  const auto others = number_within<std::size_t>(given.parameters, "--parameters", 0, 50);
  std::vector<ScalarType> dtypes;
  for (const std::string& name : given.dtypes) {
    const auto found = std::find_if(std::begin(kWalkedTypes), std::end(kWalkedTypes),
                                    [&](ScalarType type) { return name_of(type) == name; });
    if (found == std::end(kWalkedTypes))
      throw UsageError("--dtype: '{}' is none of float32, float16 and bfloat16", name);
    dtypes.push_back(*found);
  }
  std::vector<Subject> subjects;
  for (const OpSpec* spec : select(specs, given.selectors)) {
    const auto cases = given.pairs ? binary_cases(*spec) : unary_cases(*spec, others);
    const bool is_named = std::find(given.selectors.begin(), given.selectors.end(), spec->name) !=
                          given.selectors.end();
    if (cases.empty() && is_named)
      throw UsageError("'{}' is no elementwise operator of {} with a reference in 113 bits{}",
                       spec->name, given.pairs ? "two floating arguments" : "one floating argument",
                       given.pairs ? "" : "; --pairs walks those of two");
    for (const OpCase& one : cases)
      for (const ScalarType dtype : dtypes)
        if (!given.pairs || dtype != kFloat32) subjects.push_back({spec, one, dtype});
  }
  return subjects;
}

/// How many bit patterns are walked; every so many of many.
uint64_t patterns_walked(const Subject& subject, bool pairs) {
  return pairs ? uint64_t{1} << 32 : patterns_of(subject.dtype);
}
uint64_t step_of(const Subject& subject, bool pairs, uint64_t stride) {
  return pairs || subject.dtype == kFloat32 ? stride : 1;
}

std::vector<Task> tasks_of(std::vector<Subject>& subjects, bool pairs, uint64_t stride) {
  constexpr uint64_t kNumbers = 1 << 24;  // of a task
  std::vector<Task> tasks;
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    const uint64_t step = step_of(subjects[i], pairs, stride);
    const uint64_t count = (patterns_walked(subjects[i], pairs) - 1) / step + 1;
    for (uint64_t done = 0; done < count; done += kNumbers, ++subjects[i].tasks)
      tasks.push_back({i, {done * step, step, std::min(kNumbers, count - done)}});
  }
  return tasks;
}

/// Calls `finished` for each subject. Returns what crashed.
std::string run(std::vector<Subject>& subjects, const std::vector<Task>& tasks, bool pairs,
                int jobs, Progress& progress, const std::function<void(const Subject&)>& finished) {
  std::string crash;
  progress.begin(tasks.size());
  run_in_workers(
      {.tasks = tasks.size(),
       .jobs = jobs,
       .run =
           [&](std::size_t i, ToParent& parent) {
             set_num_threads(1);
             const Subject& subject = subjects[tasks[i].subject];
             parent.note(subject.spec->name);
             const auto start = std::chrono::steady_clock::now();
             const auto walked = pairs ? walk_pairs : walk;
             const Findings found =
                 walked(*subject.spec, subject.one, subject.dtype, tasks[i].range);
             const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
             return packed_findings(found, seconds.count());
           },
       .done =
           [&](std::size_t i, const std::string& answer) {
             Subject& subject = subjects[tasks[i].subject];
             subject.findings.add(unpacked_findings(answer, subject.seconds));
             progress.working_on(fmt::format("{} {}", subject.spec->name, name_of(subject.dtype)));
             progress.step();
             if (--subject.tasks == 0) finished(subject);
           },
       .died =
           [&](const WorkerDeath& death) {
             crash += fmt::format("{} {}: {}\n", death.doing,
                                  name_of(subjects[tasks[death.task].subject].dtype), death.how);
             return false;
           }});
  progress.clear();
  return crash;
}

nlohmann::ordered_json read_rows(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw UsageError("'{}' cannot be read", path);
  try {
    const auto json = nlohmann::ordered_json::parse(file);
    if (json.at("schema") == kSchema) return json.at("rows");
  } catch (const nlohmann::json::exception&) {
  }
  throw UsageError("'{}' is no file of `notape verify exhaustive --json`", path);
}

}  // namespace

int run_command(std::vector<std::string> words, const SpecList& specs, std::FILE* out,
                std::FILE* err) {
  Wanted given;
  const std::string command = fmt::format("notape verify exhaustive {}", fmt::join(words, " "));
  if (!parse(std::move(words), given, out)) return 0;
  if (!given.show.empty()) {
    auto rows = read_rows(given.show);
    std::erase_if(rows.get_ref<nlohmann::ordered_json::array_t&>(), [&](const auto& row) {
      return std::find(given.dtypes.begin(), given.dtypes.end(), row.at("dtype")) ==
             given.dtypes.end();
    });
    fmt::print(out, "{}", table_header());
    for (const auto& row : rows) fmt::print(out, "{}", table_row(row));
    fmt::print(out, "{}{}", reasons_of(rows), complaints_of(rows));
    return 0;
  }
  const auto stride = number_within<uint64_t>(given.stride, "--stride", 1, 1U << 31);
  const int jobs = jobs_of(given.jobs);
  std::vector<Subject> subjects = subjects_of(given, specs);
  const std::vector<Task> tasks = tasks_of(subjects, given.pairs, stride);
  if (tasks.empty()) {
    fmt::print(err, "notape verify: there is nothing to walk\n");
    return kNothingWalked;
  }
  nlohmann::ordered_json earlier = nlohmann::ordered_json::array();
  std::optional<interchange::OutputFile> file;
  if (!given.json.empty()) {
    if (std::filesystem::exists(given.json)) earlier = read_rows(given.json);
    file.emplace(given.json);
  }
  Progress progress(given.quiet ? ProgressStyle::None : progress_style(err), err);
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  const std::string environment = processor_and_instructions();
  fmt::print(out, "{}", table_header());
  const std::string crash =
      run(subjects, tasks, given.pairs, jobs, progress, [&](const Subject& subject) {
        rows.push_back(row_of(*subject.spec, subject.one, subject.dtype, subject.findings,
                              {.stride = step_of(subject, given.pairs, stride),
                               .of_pairs = given.pairs,
                               .seconds = subject.seconds,
                               .processor = environment,
                               .command = command}));
        progress.clear();
        fmt::print(out, "{}", table_row(rows.back()));
        std::fflush(out);
      });
  if (Interruption::requested()) return Interruption::exit_code();
  fmt::print(out, "{}{}", reasons_of(rows), complaints_of(rows));
  if (!crash.empty()) fmt::print(out, "\ncrashed:\n{}", crash);
  if (file) {
    file->write(file_text(merged(earlier, rows)));
    file->commit();
  }
  return !crash.empty() ? kCrash : is_right(rows) ? 0 : kWrong;
}

}  // namespace notape::verify::exhaustive
