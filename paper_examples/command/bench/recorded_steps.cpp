#include "paper_examples/command/bench/recorded_steps.h"

#include <unistd.h>

#include <cstdlib>
#include <iostream>

#include "autograd/tensor/device_interface.h"
#include "paper_examples/command/command.h"
#include "trace/gpu/emulated/emulated_device.h"
#include "trace/write/chrome_writer.h"
#include "trace/write/output_file.h"
#include "verify/report/row_json.h"

namespace notape::command::bench {
namespace {

void add_default(std::vector<std::string>& variables, const char* name, const char* value) {
  if (!std::getenv(name)) variables.push_back(std::string(name) + "=" + value);
}

std::vector<std::string> on_gpu(std::vector<std::string> variables) {
  if (!trace::wants_emulated_device() && device_count(kCUDA) > 0) return variables;
  variables.emplace_back("NOTAPE_CUDA=emulated");
  add_default(variables, "NOTAPE_EMULATED_VALUES", "0");
  add_default(variables, "NOTAPE_EMULATED_MEGABYTES", "143360");
  return variables;
}

std::string temporary_path() {
  return std::filesystem::temp_directory_path() /
         ("notape-steps-" + std::to_string(getpid()) + ".json.gz");
}

void check_name(const std::string& path, bool is_named, const char* ending) {
  if (path.empty()) return;
  if (!is_named) throw ValueError("{}: its name should end in {}", path, ending);
  const trace::OutputFile can_be_written(path);
}

void write_file(const std::string& path, const std::string& text) {
  if (path.empty()) return;
  trace::OutputFile file(path);
  file.write(text);
  file.commit();
  std::cerr << "written: " << path << '\n';
}

}  // namespace

void add_figure_options(CLI::App& app, FigureWords& words) {
  app.add_option("--model", words.model, "one of `notape bench table1`")->capture_default_str();
  app.add_option("--scale", words.scale, "paper, small or tiny")
      ->check(CLI::IsMember({"paper", "small", "tiny"}))
      ->capture_default_str();
  app.add_option("--format", words.format, "table or json")
      ->check(CLI::IsMember({"table", "json"}))
      ->capture_default_str();
  app.add_option("--out", words.out, "FILE.json: the figures as JSON, too");
  app.add_option("-o,--output", words.picture, "FILE.svg: a picture like the paper's");
  app.add_option("--trace", words.trace, "FILE.json[.gz]: the recording that the picture shows");
}

void check_files(const FigureWords& words) {
  check_name(words.out, words.out.ends_with(".json"), ".json");
  check_name(words.picture, words.picture.ends_with(".svg"), ".svg");
  check_name(words.trace, trace::is_trace_path(words.trace), ".json or .json.gz");
}

void write_figure(const FigureWords& words, const nlohmann::ordered_json& report,
                  const std::string& picture, void (*print)(const nlohmann::ordered_json&)) {
  const std::string json = verify::row_json(report);
  if (words.format == "json")
    std::cout << json;
  else
    print(report);
  write_file(words.out, json);
  if (!words.picture.empty() && picture.empty())
    throw ValueError("no picture {}: the recording has nothing to show in it", words.picture);
  write_file(words.picture, picture);
  if (!words.trace.empty()) std::cerr << "written: " << words.trace << '\n';
}

int measured(const std::function<int()>& measure) {
  try {
    return measure();
  } catch (const trace::ProcessError& error) {
    std::cout << "not measured: " << error.what_without_backtrace() << std::endl;
    return kFailed;
  }
}

RecordedSteps::RecordedSteps(const FigureWords& words, int64_t samples,
                             std::vector<std::string> variables)
    : path_(temporary_path()),
      process_({own_program(), "bench", "step", words.model, words.scale, std::to_string(samples),
                "cuda", "1"},
               on_gpu(std::move(variables))) {}

RecordedSteps::~RecordedSteps() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

trace::TraceModel RecordedSteps::record(int steps, const std::string& part, int empty_before) {
  clock_ = process_.ask("record " + path_ + " " + std::to_string(steps) + " " + part + " " +
                        std::to_string(empty_before));
  return trace::load_model(path_);
}

}  // namespace notape::command::bench
