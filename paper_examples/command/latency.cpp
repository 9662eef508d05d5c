// notape latency [--curve] [--against all] [--gate GATE]... [--format table|json|csv]
#include "trace/latency/latency.h"

#include <nlohmann/json.hpp>
#include <sstream>

#include "autograd/printable.h"
#include "paper_examples/command/command.h"
#include "paper_examples/command/other_libraries.h"
#include "trace/latency/curve_picture.h"
#include "trace/latency/gate.h"
#include "trace/latency/metrics.h"
#include "trace/write/output_file.h"
#include "verify/command/files.h"
#include "verify/report/row_json.h"

namespace notape::command {
namespace {

struct LatencyWords {
  trace::LatencyOptions options;
  OtherLibraryWords others;
  std::vector<std::string> gates;
  std::string format = "table", path, picture;
};

void add_latency_options(CLI::App& app, LatencyWords& words) {
  app.add_option("--repetitions", words.options.repetitions, "batches of each case")
      ->check(CLI::Range(3, 100'000))
      ->capture_default_str();
  app.add_option("--operation", words.options.operation,
                 "add, whose backward node passes the gradient on, or mul, whose node multiplies")
      ->check(CLI::IsMember({"add", "mul"}))
      ->capture_default_str();
  app.add_flag("--curve", words.options.with_curve,
               "sizes from 1 to 65536 floats, too, and where work outweighs dispatch");
  app.add_option("-o,--picture", words.picture, "FILE.svg: the curve as a picture, too");
  app.add_option("--against", words.others.against,
                 "libtorch, pytorch or all: the same operations of these, in turn")
      ->check(CLI::IsMember({"libtorch", "pytorch", "all"}));
  app.add_option("--libtorch", words.others.programs,
                 "PROGRAM built of bench/latency; else those beside this command");
  app.add_option("--python", words.others.pythons,
                 "PYTHON that imports torch; else NOTAPE_TORCH_PYTHON, or python3");
  app.add_option("--gate", words.gates,
                 "a bound, status 1 if it does not hold: 'differentiable.p50<=2.5x tensor.p50'");
  app.add_option("--format", words.format, "table, json or csv")
      ->check(CLI::IsMember({"table", "json", "csv"}))
      ->capture_default_str();
  app.add_option("--out", words.path, "write to this file instead of standard output");
}

void write_whole(const std::string& path, const std::string& text) {
  trace::OutputFile file(path);
  file.write(text);
  file.commit();
}

/// What is asked for can be done, or it throws: before seconds of measuring.
std::vector<trace::LatencyGate> checked(const LatencyWords& words) {
  const std::vector<trace::LatencyGate> gates(words.gates.begin(), words.gates.end());
  const auto figures = trace::latency_metrics(trace::planned_latency(words.options));
  for (const trace::LatencyGate& gate : gates) gate.check(figures);
  if (!words.picture.empty() && !words.picture.ends_with(".svg"))
    throw ValueError("{}: the name of a picture ends in .svg", words.picture);
  for (const std::string& path : {words.path, words.picture})
    if (!path.empty()) const trace::OutputFile can_be_written(path);
  return gates;
}

std::string text_of(const trace::LatencyReport& report, const std::string& format) {
  std::ostringstream text;
  if (format == "json")
    text << verify::row_json(trace::latency_json(report));
  else if (format == "csv")
    trace::write_report(text, trace::latency_figures(report), trace::ReportFormat::Csv);
  else
    trace::print_latency(text, report);
  return text.str();
}

/// Whether all hold; a line on standard error for each that does not.
bool judge(const std::vector<trace::LatencyGate>& gates, trace::LatencyReport& report) {
  const auto figures = trace::latency_metrics(report);
  bool all_hold = true;
  for (const trace::LatencyGate& gate : gates) {
    const std::string& failure =
        report.gates.emplace_back(trace::GateVerdict{gate.text, gate.failure(figures)}).failure;
    if (failure.empty()) continue;
    std::cerr << "gate fails: " << printable(failure) << '\n';
    all_hold = false;
  }
  return all_hold;
}

int measure(LatencyWords& words) {
  words.options.with_curve = words.options.with_curve || !words.picture.empty();
  words.options.others = other_libraries(words.others);
  words.options.enough = verify::Interruption::requested;
  const std::vector<trace::LatencyGate> gates = checked(words);
  trace::LatencyReport report = trace::measure_latency(words.options);
  const bool interrupted = report.repetitions < report.planned;
  const bool all_hold = interrupted || judge(gates, report);
  const auto place = [&](const std::string& path) {
    return interrupted ? verify::interrupted_name(path) : path;
  };
  const std::string text = text_of(report, words.format);
  if (words.path.empty())
    std::cout << text;
  else
    write_whole(place(words.path), text);
  if (!words.picture.empty()) {
    write_whole(place(words.picture), trace::latency_curve_svg(report));
    if (words.path.empty() && words.format == "table")
      std::cout << "written: " << place(words.picture) << '\n';
  }
  if (interrupted) return verify::Interruption::exit_code();
  return all_hold ? kFine : kFailed;
}

}  // namespace

int latency(const Arguments& arguments) {
  CLI::App app(
      "Measures what an operation costs besides its arithmetic: a tensor operation, a "
      "differentiable one,\nand a backward node, with the recorder off and on.",
      "notape latency");
  app.footer(
      "The cases take turns in batches of at least a millisecond, on one thread. The minimum is "
      "the least\ndisturbed batch; p50 and p95 say how quiet the machine was. Autograd overhead is "
      "differentiable less\ntensor operation, of the same round. total and self are single "
      "operations as the recorder saw them,\nself without those that they call; pre-launch, the "
      "time until a GPU is given work, is nothing on a CPU.\n\n"
      "  notape latency --repetitions 100\n"
      "  notape latency --curve -o curve.svg       1 to 65536 floats; dispatch is the time of one\n"
      "  notape latency --operation mul            a backward node that calls an operation\n"
      "  notape latency --against all              beside LibTorch and PyTorch, where they are\n"
      "  notape latency --against pytorch --python ~/env/bin/python\n"
      "  notape latency --format json --out latency.json\n\n"
      "A gate bounds a figure (--format csv lists all) by another, or by a number:\n\n"
      "  notape latency --gate 'differentiable.p50<=2.5x tensor.p50' --gate 'backward.p95<=200ns'\n"
      "  notape latency --against libtorch --gate 'tensor.p50<=1x libtorch.tensor.p50'\n\n"
      "On a busy machine .minimum moves less than .p50.\n\n"
      "Exit status: 0 fine, also without a library that is not installed, whose reason is told; 1 "
      "a "
      "gate does\nnot hold, or there are no data for it; 2 unusable arguments. Ctrl-C ends it with "
      "the batches measured\nso far (130; 143 after SIGTERM); FILE then stays as it was, and they "
      "go to FILE.interrupted.json.");
  LatencyWords words;
  add_latency_options(app, words);
  return parse_and_run(app, arguments, [&] { return measure(words); });
}

}  // namespace notape::command
