// notape trace record EXAMPLE [-o FILE.json[.gz]|FILE.svg]; notape trace record [-o FILE] --
// PROGRAM [ARGUMENTS]; notape trace QUESTION FILE
#include <algorithm>
#include <map>
#include <optional>

#include "paper_examples/command/command.h"
#include "paper_examples/command/find_example.h"
#include "paper_examples/command/interruptible_output.h"
#include "paper_examples/command/record_program.h"
#include "paper_examples/command/trace_questions.h"
#include "paper_examples/command/usable_device.h"
#include "trace/gpu/gpu_session.h"
#include "trace/record/nvtx_observer.h"
#include "trace/record/range.h"
#include "trace/record/recorder.h"
#include "trace/write/chrome_writer.h"
#include "trace/write/output_file.h"
#include "trace/write/summary.h"
#include "trace/write/timeline_svg.h"
#include "verify/command/files.h"
#include "verify/runner/selector.h"

namespace notape::command {
namespace {

struct RecordOptions {
  std::string example, path, device;
  Arguments program;  // with its arguments
  int steps = 1;
  trace::Recorder::Options recorder;
  std::optional<std::size_t> events;
  std::size_t rows = 15;
  bool nvtx = false;
  trace::GpuSource gpu = trace::GpuSource::Auto;
};

const std::map<std::string, trace::GpuSource> kGpuSources = {
    {"auto", trace::GpuSource::Auto},
    {"cuda", trace::GpuSource::Gpu},
    {"off", trace::GpuSource::Off},
};

/// On the device that is named, if one is.
int run_once(const Example& example, std::ostream& out, const std::string& device) {
  if (device.empty()) return example.run(out);
  ExampleOptions options;
  options.device = usable_device(device);
  return example.run_with(out, options);
}

/// Runs the example `steps` times, each as one step; only the first run is shown. An interruption
/// ends it early.
bool run_steps(const Example& example, int steps, const std::string& device) {
  std::ostringstream unseen_text;
  InterruptibleOutput shown(std::cout), unseen(unseen_text);
  try {
    for (int i = 0; i < steps && !verify::Interruption::requested(); ++i) {
      const trace::Step step(static_cast<uint64_t>(i));
      if (run_once(example, i == 0 ? shown : unseen, device) != 0) return false;
      unseen_text.str("");
    }
  } catch (const verify::Interrupted&) {
    return true;
  } catch (const std::exception& error) {
    std::cout << "expected: no exception; seen: " << error.what() << '\n';
    return false;
  }
  return true;
}

bool is_picture(const std::string& path) { return path.ends_with(".svg"); }

void check_path(const std::string& path) {
  if (!is_picture(path) && !trace::is_trace_path(path))
    throw ValueError("{}: the name of a trace ends in .json, .json.gz or .svg", path);
  const trace::OutputFile can_be_written(path);
}

void write(const trace::Recording& recording, const trace::Timeline& timeline,
           const std::string& example, const std::string& path) {
  if (is_picture(path))
    trace::write_timeline_svg(timeline, "notape trace record " + example, path);
  else
    trace::write_chrome_trace(recording, timeline, path);
}

/// Says how much room would have been enough, if there was not.
void warn_of_dropped(const trace::Recording& recording) {
  if (recording.dropped() == 0) return;
  uint64_t needed = 0;
  for (const trace::ThreadRecording& thread : recording.threads)
    needed = std::max(needed, thread.events.size() + thread.dropped);
  std::cerr << "warning: " << recording.dropped() << " of "
            << recording.events() + recording.dropped()
            << " events are not in the file, the last ones of the run: --events " << needed
            << " has room for all\n";
}

int record_example(const RecordOptions& options) {
  if (options.example.empty())
    throw ValueError("record: EXAMPLE is required, or -- and a program; see notape trace --help");
  const Example& example = find_example(options.example);
  const std::string wanted = options.path.empty() ? options.example + ".json.gz" : options.path;
  check_path(wanted);
  if (!options.device.empty() && !(example.takes & kTakesDevice))
    throw ValueError("record: '{}' takes no --device", options.example);
  if (options.nvtx && !trace::nvtx_is_available())
    throw ValueError("--nvtx: this build has no NVTX headers");

  trace::Recorder& recorder = trace::Recorder::instance();
  trace::GpuSession gpu(options.gpu, recorder);
  std::optional<trace::NvtxObserver> nvtx;
  trace::Recorder::Options recorder_options = options.recorder;
  // Room that is not used costs nothing.
  recorder_options.events_per_thread = options.events.value_or(std::size_t{1} << 22);
  recorder_options.in_front = &gpu.in_front();
  recorder_options.clock = gpu.clock();
  if (options.nvtx) recorder_options.in_front = &nvtx.emplace(gpu.in_front());
  recorder.start(recorder_options);
  const bool passed = run_steps(example, options.steps, options.device);
  gpu.finish();
  trace::Recording recording = recorder.stop();
  recording.device = gpu.take();
  const bool interrupted = verify::Interruption::requested();
  recording.interrupted = verify::Interruption::name();
  const std::string path = interrupted ? verify::interrupted_name(wanted) : wanted;

  const trace::Timeline timeline = trace::make_timeline(recording);
  write(recording, timeline, options.example, path);
  std::cout << '\n';
  trace::print_summary(std::cout, recording, timeline, options.rows);
  if (!gpu.line().empty()) std::cout << gpu.line() << '\n';
  warn_of_dropped(recording);
  if (interrupted) std::cout << "interrupted by " << recording.interrupted << '\n';
  std::cout << "written: " << path << std::endl;
  if (interrupted) return verify::Interruption::exit_code();
  return passed ? kFine : kFailed;
}

int record(const RecordOptions& options) {
  if (options.program.empty()) return record_example(options);
  if (!options.example.empty() || options.steps != 1 || options.nvtx ||
      options.gpu != trace::GpuSource::Auto || !options.device.empty())
    throw ValueError("record: EXAMPLE, --steps, --device, --nvtx and --gpu are not for programs");
  trace::Recorder::Options recorder = options.recorder;
  recorder.events_per_thread = options.events.value_or(recorder.events_per_thread);
  return record_program({options.program, options.path, recorder});
}

/// Takes what follows "--" out of the arguments of `record`.
Arguments take_program(Arguments& arguments) {
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  if (arguments.empty() || arguments[0] != "record" || dashes == arguments.end()) return {};
  Arguments program(dashes + 1, arguments.end());
  if (program.empty() || program[0].empty()) return {};  // CLI11 says what it thinks of it
  arguments.erase(dashes, arguments.end());
  return program;
}

/// Names a first word that is no question, and the one that it may have been meant to be; nothing
/// if it is one.
std::string unknown_question(const CLI::App& app, const Arguments& arguments) {
  if (arguments.empty() || arguments[0].starts_with('-')) return "";
  std::vector<OpSpec> names;
  std::string all;
  for (const CLI::App* one : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (one->get_name() == arguments[0]) return "";
    names.push_back({.name = one->get_name().c_str(), .family = "", .draw = {}});
    all += (all.empty() ? "" : ", ") + one->get_name();
  }
  verify::SpecList list;
  for (const OpSpec& one : names) list.push_back(&one);
  const std::string near = verify::nearest_name(list, arguments[0]);
  return "there is no '" + arguments[0] + "'; " +
         (near.empty() ? "there are " + all : "did you mean '" + near + "'?");
}

}  // namespace

int trace(const Arguments& words) {
  RecordOptions options;
  Arguments arguments = words;
  options.program = take_program(arguments);
  CLI::App app(
      "Records what a program does, as a timeline, and answers questions about timelines, also "
      "those of\nPyTorch's profiler.",
      "notape trace");
  app.require_subcommand(1);
  app.footer(
      "  notape trace record fig1                        writes fig1.json.gz\n"
      "  notape trace record listing1 --steps 4 -o a.json\n"
      "  notape trace record -o a.json.gz -- ./program 3  any program that uses libnotape.so\n"
      "  notape trace record fig1 -o fig1.svg            a picture, which browsers show\n\n"
      "A .json file opens in ui.perfetto.dev and in chrome://tracing, and is read by tools for "
      "PyTorch traces. After Ctrl-C (exit status 130; 143 after SIGTERM) FILE stays as it was, and "
      "what "
      "was "
      "recorded until then goes to FILE.interrupted.json, .json.gz or .svg.\n\n"
      "  notape trace check t.json.gz                    what is in it, and what is wrong with it\n"
      "  notape trace steps t.json.gz                    which steps were slow, and for what\n"
      "  notape trace idle t.json.gz --step 101-104      why the GPU does nothing\n"
      "  notape trace diff a.json b.json --gate 'dispatch.p50<=+5%'\n\n"
      "Each figure says what it is worth: --format json has the reasons. start_us counts from the\n"
      "first event of the file, the profiler's own rows (category Trace) apart. Exit status:\n"
      "0 fine, 1 a gate failed, 2 unusable arguments or an unreadable file, 3 anomalies and\n"
      "--strict.");
  CLI::App* command = app.add_subcommand(
      "record", "run an example, or after -- any program, and write its timeline");
  command->add_option("EXAMPLE", options.example, "one of `notape examples list`");
  command->add_option(
      "-o,--output", options.path,
      "FILE.json, FILE.json.gz or, of an example, FILE.svg; EXAMPLE.json.gz if it is not "
      "given");
  command->add_option("--steps", options.steps, "run it so often, each time as one step")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command->add_option("--device", options.device,
                      "where it trains, if it does: cuda, for instance; NOTAPE_CUDA=emulated makes "
                      "that an emulated GPU, whose times are stated costs");
  command->add_flag("--shapes", options.recorder.shapes,
                    "sizes and types of what operators are called with, too");
  command->add_flag("--memory", options.recorder.memory, "memory of tensors, too");
  command
      ->add_option("--events", options.events,
                   "room for so many events per thread: of an example 4194304 if not given, of a "
                   "program, whose file is written meanwhile, 262144")
      ->check(CLI::Range(1, 1 << 28));
  command->add_option("--top", options.rows, "rows of the summary")
      ->check(CLI::Range(0, 1'000'000))
      ->capture_default_str();
  command->add_flag("--nvtx", options.nvtx, "mark NVTX ranges for NVIDIA's tools, too");
  command
      ->add_option("--gpu", options.gpu,
                   "rows of GPUs: cuda (through CUPTI, or of the emulated GPU), off, or auto: cuda "
                   "where there is a driver or an emulated GPU")
      ->transform(CLI::CheckedTransformer(kGpuSources))
      ->default_str("auto");
  const TraceQuestions questions(app);
  if (const std::string unknown = unknown_question(app, arguments); !unknown.empty())
    return complain(app.get_name(), verify::complaint(unknown, arguments));
  return parse_and_run(app, arguments, [&] {
    const std::optional<int> answered = questions.run();
    return answered ? *answered : record(options);
  });
}

int overlap(const Arguments& arguments) {
  Arguments words{"overlap"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return trace(words);
}

}  // namespace notape::command
