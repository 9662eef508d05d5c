// notape trace QUESTION FILE
#include "paper_examples/command/trace_questions.h"

#include <iostream>
#include <map>
#include <sstream>

#include "autograd/printable.h"
#include "paper_examples/command/command.h"
#include "paper_examples/command/trace_options.h"
#include "trace/analysis/analyses.h"
#include "trace/analysis/by_process.h"
#include "trace/analysis/diff.h"
#include "trace/convert/convert.h"
#include "trace/report/paper_figures.h"
#include "trace/report/report_page.h"
#include "trace/write/output_file.h"

namespace notape::command {
namespace {

constexpr int kAnomalies = 3;

}  // namespace

struct TraceQuestions::State {
  using Run = int (State::*)(CLI::App& command);

  TraceWords words;
  std::map<CLI::App*, Run> runs;
  std::map<CLI::App*, trace::Report (*)(const trace::Scope&)> analyses;

  void print(const trace::Report& report) const {
    const auto format = words.format == "json"  ? trace::ReportFormat::Json
                        : words.format == "csv" ? trace::ReportFormat::Csv
                                                : trace::ReportFormat::Table;
    std::ostringstream text;
    trace::write_report(text, report, format);
    std::cout << text.str();
  }

  trace::TraceModel load(const std::string& path) const {
    trace::TraceModel model = trace::load_model(path, {words.step_regex});
    if (model.is_truncated)
      std::cerr << "warning: " << printable(path)
                << " ends in the middle; read up to its last complete event\n";
    return model;
  }

  /// kAnomalies if the file has some and --strict was given.
  int status(const trace::TraceModel& model) const {
    if (!words.is_strict) return kFine;
    const std::vector<std::string> anomalies = trace::check(trace::Scope(model, {})).anomalies;
    for (const std::string& anomaly : anomalies)
      std::cerr << printable(model.path) << ": " << anomaly << '\n';
    return anomalies.empty() ? kFine : kAnomalies;
  }

  /// All of the file, or the process that is selected.
  trace::TraceModel load(const CLI::App& command, const std::string& path) const {
    return trace_process(command, words, load(path));
  }

  /// Of each process, if the model has several.
  template <typename Question>
  trace::Report ask(CLI::App& command, const trace::TraceModel& model, Question question) const {
    const trace::Selection chosen = trace_selection(command, words);
    return trace::by_process(model, [&](const trace::TraceModel& of_one) {
      return question(trace::Scope(of_one, chosen));
    });
  }

  int answer(CLI::App& command) {
    const trace::TraceModel model = load(command, words.file);
    const auto analysis = analyses.at(&command);
    // A check is about the file, and lists its processes.
    print(analysis == trace::check ? trace::check(trace::Scope(model, {}))
                                   : ask(command, model, analysis));
    return status(model);
  }

  /// The report, and the picture if there is to be one.
  template <typename Picture>
  void print_figure(const trace::TraceModel& model, const trace::Report& report,
                    const Picture& picture) const {
    if (words.output.empty()) return print(report);
    if (model.is_of_several())
      throw ValueError("{}: a picture is of one process, and {} has {}; see --process",
                       words.output, words.file, model.processes.size());
    if (!words.output.ends_with(".svg"))
      throw ValueError("{}: the name of a picture ends in .svg", words.output);
    const std::string drawn = picture();
    if (drawn.empty())
      throw ValueError(
          "no picture {}: {} has nothing to show in it, neither launches in operators "
          "nor API calls and GPU rows",
          words.output, words.file);
    write_file(words.output, drawn);
    print(report);
    if (words.format == "table") std::cout << "\nwritten: " << words.output << '\n';
  }

  static void write_file(const std::string& path, const std::string& text) {
    trace::OutputFile file(path);
    file.write(text);
    file.commit();
  }

  int fig1(CLI::App& command) {
    const trace::TraceModel model = load(command, words.file);
    const trace::Selection chosen = trace_selection(command, words);
    const trace::Report report = ask(command, model, [&](const trace::Scope& scope) {
      return trace::queue_ahead(scope, words.ahead);
    });
    print_figure(model, report, [&] {
      trace::Figure1Options options;
      options.from = words.ahead.from;
      if (words.ahead.ops > 0) options.ops = words.ahead.ops;
      return trace::figure1_svg(model, options, chosen);
    });
    return status(model);
  }

  int fig2(CLI::App& command) {
    const trace::TraceModel model = load(command, words.file);
    const trace::Selection chosen = trace_selection(command, words);
    print_figure(model, ask(command, model, trace::first_iteration),
                 [&] { return trace::figure2_svg(model, chosen); });
    return status(model);
  }

  int steps(CLI::App& command) {
    const trace::TraceModel model = load(command, words.file);
    print(ask(command, model,
              [&](const trace::Scope& scope) { return trace::steps(scope, words.top); }));
    return status(model);
  }

  int report(CLI::App& command) {
    const trace::TraceModel model = load(command, words.file);
    const trace::Selection chosen = trace_selection(command, words);
    if (words.output.empty()) {
      std::cout << trace::report_page(model, chosen).markdown;
    } else {
      trace::write_report_page(model, words.output, chosen);
      std::cout << "written: " << words.output << "/index.html and summary.md" << std::endl;
    }
    return status(model);
  }

  int diff(CLI::App& command) {
    const std::vector<trace::Gate> gates(words.gates.begin(), words.gates.end());
    const trace::TraceModel a = load(command, words.file), b = load(command, words.other_file);
    const trace::DiffResult result =
        trace::diff(a, b, trace_selection(command, words), gates,
                    words.is_significant ? trace::GateRule::Significant : trace::GateRule::Median);
    print(result.report);
    for (const std::string& gate : result.failed)
      std::cerr << "gate fails: " << printable(gate) << '\n';
    if (!result.failed.empty()) return kFailed;
    return std::max(status(a), status(b));
  }

  int convert(CLI::App& command) {
    trace::ConvertOptions options;
    options.categories = {words.categories.begin(), words.categories.end()};
    options.keep_metadata = words.keep_metadata;
    const trace::Selection chosen = trace_selection(command, words);
    options.process = chosen_process(command, words, load(words.file));
    options.first_step = chosen.first_step;
    options.last_step = chosen.last_step;
    const trace::Converted result =
        trace::convert(words.file, words.output, options, {words.step_regex});
    std::cout << result.read << " events read, " << result.written << " written";
    if (result.without_time)
      std::cout << "; " << result.without_time << " without a usable time left out";
    std::cout << "\nwritten: " << words.output << std::endl;
    if (result.lost_arguments) {
      std::cerr << "left out: " << result.lost_arguments << " arguments of " << result.bad_arguments
                << " events, which JSON cannot spell, such as\n";
      for (const std::string& example : result.examples)
        std::cerr << "  " << printable(example) << '\n';
    }
    return words.is_strict ? status(load(words.file)) : kFine;
  }
};

TraceQuestions::TraceQuestions(CLI::App& app) : state_(std::make_unique<State>()) {
  TraceWords& words = state_->words;
  TraceOptions adder(app, words);
  const auto with_answer = [&](CLI::App* command, unsigned options) {
    adder.add_selection(command, options);
    adder.add_marks(command);
    adder.add_format(command);
    return command;
  };
  const auto question = [&](const char* name, const char* summary, unsigned options,
                            trace::Report (*analysis)(const trace::Scope&), const char* footer) {
    CLI::App* command = with_answer(adder.add(name, summary, footer), options);
    state_->runs[command] = &State::answer;
    state_->analyses[command] = analysis;
    return command;
  };

  question("check", "is the file trustworthy, and which figures are not", kNoOption, trace::check,
           "Counts what is in the file, names anomalies (lost records, kernels before their\n"
           "launch, thread ids that do not join, ...) and says which metrics suffer. With\n"
           "--strict the status is 3 if there is an anomaly.");
  question(
      "dispatch", "what an op does before its first launch, and besides its calls", kSteps,
      trace::dispatch,
      "pre_launch: from the start of an op to its first kernel launch. end_to_end: to the\n"
      "start of that kernel. host_self: the op without the ops and API calls in it. By class:\n"
      "tensor ops, differentiable ops (with a sequence number), backward nodes. Files with\n"
      "Python stacks say nothing about dispatch, and are flagged.");
  CLI::App* overlap = question(
      "overlap", "how much of the GPU's work and the host's happens at the same time",
      kSteps | kDevice | kStream | kDepth, trace::overlap,
      "f_gpu: share of GPU work beside host work. f_cpu: share of host work hidden behind GPU\n"
      "work. f_min: of the shorter one. A host that is far ahead waits: f_gpu is low then, which\n"
      "is no fault.");
  overlap->add_option("--threads", words.threads, "all: also host threads that launch nothing")
      ->check(CLI::IsMember({"all"}));
  overlap->add_flag("--keep-blocked", words.keep_blocked,
                    "count launch calls that wait for a place in the queue as work");
  CLI::App* idle = question(
      "idle", "why the GPU does nothing, and what the host did then",
      kSteps | kDevice | kStream | kCompat, trace::idle,
      "host_wait: until the launch call of the op that ends a gap had returned; by what the\n"
      "launching thread did, and of the largest gaps in which call. launch_latency: the rest of "
      "such a gap. kernel_wait: launched long\n"
      "before, and the gap is short. dependency: the same, longer. unlinked: no launch record.\n"
      "The kinds sum to the idle time exactly.");
  idle->add_option("--tau", words.tau_us, "us; from here on a gap is a dependency")
      ->check(CLI::Range(0.0, 1e9))
      ->capture_default_str();
  question("queue", "how far the host is ahead, and whether launch calls block",
           kSteps | kDevice | kStream | kDepth | kCompat, trace::queue,
           "Depths are weighted by time. A full launch queue blocks launch calls, and the host\n"
           "then seems as slow as the GPU: the depth of a full queue is found in the data.\n"
           "run_ahead: launched work that lies before the GPU.");
  CLI::App* alloc = question(
      "alloc", "what the driver's memory management costs, and whether it ends", kSteps | kDevice,
      trace::alloc,
      "stall_cpu: time in cudaMalloc, cudaFree and the like. stall_gpu: the part of it in which\n"
      "the GPU was idle. steady_from: the first step from which two in a row make no such call.\n"
      "hit_rate needs [memory] events (profile_memory=True).");
  alloc->add_flag("--curve", words.with_curves, "each change of allocated and reserved memory");
  CLI::App* fig1 = adder.add(
      "fig1", "how much longer the GPU takes than the host (Figure 1 of the 2019 paper)",
      "The queue-ahead ratio of each step: above 1 the host runs ahead. corrected: without the\n"
      "time in which launch calls wait for a place in a full queue.\n\n"
      "  notape trace fig1 t.json.gz --step 101 --from aten::conv2d --ops 20 --format csv");
  with_answer(fig1, kSteps | kDevice | kStream | kDepth);
  fig1->add_option("--from", words.ahead.from,
                   "begin with the first op whose name this regular expression is found in");
  fig1->add_option("--ops", words.ahead.ops, "only so many GPU ops, each as a row")
      ->check(CLI::Range(1, 1'000'000'000));
  fig1->add_option("-o,--output", words.output,
                   "FILE.svg: a picture like the paper's, too, of one step");
  state_->runs[fig1] = &State::fig1;

  CLI::App* fig2 = adder.add(
      "fig2", "what the first iteration takes longer for (Figure 2 of the 2019 paper)",
      "The excess of iteration 0 over the median of the others, by cause: allocator, first\n"
      "use of kernels (inferred), initialisation, syncs, data loading; and what none of them\n"
      "explains. Record from the first iteration on.");
  with_answer(fig2, kDevice | kDepth);
  fig2->add_option("-o,--output", words.output, "FILE.svg: a picture like the paper's, too");
  state_->runs[fig2] = &State::fig2;

  CLI::App* steps = adder.add(
      "steps", "which steps were slow, and for what; what the program's own ranges take",
      "The slowest steps beside the median, and what took longer in each: ops themselves, API\n"
      "calls, the time outside both, the program's ranges, GPU ops. outlier: 1.5 interquartile\n"
      "ranges above the third quartile, and a tenth above the median. level: from a step on all\n"
      "are slower, or faster (by ranks, from 24 steps on). With --step these are listed\n"
      "instead of the slowest; medians are always those of all steps.");
  with_answer(steps, kSteps | kDevice);
  steps->add_option("--top", words.top, "rows of the slowest steps")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  state_->runs[steps] = &State::steps;

  CLI::App* report = adder.add(
      "report", "one page with all answers, each figure explained, and pictures",
      "With --out a folder with index.html, which needs no other file, and summary.md for a CI\n"
      "job's summary; without, the latter is printed.\n\n"
      "  notape trace report t.json.gz --out report && xdg-open report/index.html\n"
      "  notape trace report t.json.gz >> \"$GITHUB_STEP_SUMMARY\"");
  report->add_option("--out", words.output, "DIR, which is made if it is not there");
  adder.add_selection(report, kSteps | kDevice);
  adder.add_marks(report);
  state_->runs[report] = &State::report;

  CLI::App* diff = adder.add(
      "diff", "two traces side by side, with bounds that a CI job can test",
      "Medians across all steps with 95 % intervals. A gate bounds the change of a median, or the\n"
      "median; the status is 1 if one fails. Its line says so if the change lies within the\n"
      "noise, where the intervals overlap. With --significant such a gate holds: it fails only if\n"
      "the intervals are apart, too (from each other, or from the bound if that is a value).\n"
      "Where there are too few steps to tell, under 4 of each, the medians decide. A trace with\n"
      "itself, `diff a.json a.json`, shows which metrics it has; without GPU rows step.time and\n"
      "those of the dispatch.host_self family, for instance.\n\n"
      "  notape trace diff a.json b.json --gate 'dispatch.p50<=+5%'\n"
      "  notape trace diff a.json b.json --gate 'idle.host_wait<=+100' --gate "
      "'queue_ahead.raw>=2'\n"
      "  notape trace diff a.json b.json --gate 'step.time<=+2%' --significant");
  diff->add_option("OTHER", words.other_file, "the trace to compare with it")->required();
  with_answer(diff, kSteps | kDevice | kStream | kDepth);
  diff->add_option("--gate", words.gates, "METRIC<=+5%, >=-5%, <=+100 (us) or <=100");
  diff->add_flag("--significant", words.is_significant,
                 "a gate fails only if noise does not explain it");
  state_->runs[diff] = &State::diff;

  CLI::App* convert =
      adder.add("convert", "writes a trace in today's dialect, filtered, with counters",
                "Old categories and text ids become today's, times count from the first event, as "
                "start_us of\n"
                "all questions does, and keep their ns; flows are complete. Counters show launch "
                "queues and memory in ui.perfetto.dev. Unknown\n"
                "metadata (names of users and machines in many files) are left out.\n\n"
                "  notape trace convert old.json.gz -o new.json.gz --step 101-103");
  convert->add_option("-o,--output", words.output, "FILE.json or FILE.json.gz")->required();
  adder.add_selection(convert, kSteps);
  adder.add_marks(convert);
  convert->add_option("--category", words.categories, "only these: cpu_op, kernel, ...");
  convert->add_flag("--keep-metadata", words.keep_metadata, "also keys that are not known");
  state_->runs[convert] = &State::convert;
}

TraceQuestions::~TraceQuestions() = default;

std::optional<int> TraceQuestions::run() const {
  for (const auto& [command, run] : state_->runs)
    if (command->parsed()) return (state_.get()->*run)(*command);
  return {};
}

}  // namespace notape::command
