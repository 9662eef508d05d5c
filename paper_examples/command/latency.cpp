// notape latency [--repetitions N] [--format table|json] [--out FILE]
#include "trace/latency.h"

#include <nlohmann/json.hpp>
#include <sstream>

#include "paper_examples/command/command.h"
#include "trace/output_file.h"
#include "verify/command/files.h"

namespace notape::command {

int latency(const Arguments& arguments) {
  CLI::App app(
      "Measures what an operation costs besides its arithmetic: a tensor operation, a "
      "differentiable "
      "one, and a backward node, with the recorder off and on.",
      "notape latency");
  app.footer(
      "The cases take turns in batches of at least a millisecond. The minimum is the least "
      "disturbed\nbatch; median and MAD (median absolute deviation) say how quiet the machine "
      "was.\n\n"
      "  notape latency --repetitions 100\n"
      "  notape latency --format json --out latency.json\n\n"
      "Ctrl-C ends it with the batches measured so far (exit status 130; 143 after SIGTERM); --out "
      "FILE.json\nthen stays as it was, and they go to FILE.interrupted.json.");
  int repetitions = 25;
  std::string format = "table", path;
  app.add_option("--repetitions", repetitions, "batches of each case")
      ->check(CLI::Range(3, 100'000))
      ->capture_default_str();
  app.add_option("--format", format, "table or json")
      ->check(CLI::IsMember({"table", "json"}))
      ->capture_default_str();
  app.add_option("--out", path, "write to this file instead of standard output");
  return parse_and_run(app, arguments, [&] {
    if (!path.empty()) const trace::OutputFile can_be_written(path);
    const trace::LatencyReport report =
        trace::measure_latency(repetitions, verify::Interruption::requested);
    const bool interrupted = report.repetitions < report.planned;
    const int code = interrupted ? verify::Interruption::exit_code() : kFine;
    std::ostringstream text;
    if (format == "json")
      text << trace::latency_json(report).dump(2) << '\n';
    else
      trace::print_latency(text, report);
    if (path.empty()) {
      std::cout << text.str();
    } else {
      trace::OutputFile file(interrupted ? verify::interrupted_name(path) : path);
      file.write(text.str());
      file.commit();
    }
    return code;
  });
}

}  // namespace notape::command
