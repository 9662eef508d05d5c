// Steps of training on a GPU, recorded by processes of their own: what fig1 and fig2 look at.
#pragma once
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "paper_examples/command/bench/step_process.h"
#include "trace/model/trace_model.h"

namespace CLI {
class App;
}

namespace notape::command::bench {

struct FigureWords {
  std::string model = "resnet50", scale = "paper", format = "table", out, picture, trace;
};
void add_figure_options(CLI::App& app, FigureWords& words);
/// Throws before anything runs if one of the files cannot be written.
void check_files(const FigureWords& words);
/// `picture`: an SVG file's text.
void write_figure(const FigureWords& words, const nlohmann::ordered_json& report,
                  const std::string& picture, void (*print)(const nlohmann::ordered_json& report));

/// What `measure` returns; kFailed if a process could not train, after a line that says why.
int measured(const std::function<int()>& measure);

class RecordedSteps {
 public:
  /// On a real GPU, or else the emulated one, without values. `variables`: "NAME=value", for the
  /// process.
  RecordedSteps(const FigureWords& words, int64_t samples, std::vector<std::string> variables = {});
  ~RecordedSteps();
  RecordedSteps(const RecordedSteps&) = delete;
  RecordedSteps& operator=(const RecordedSteps&) = delete;

  void warm_up(int steps) { process_.number("steps " + std::to_string(steps)); }
  /// See `notape bench step`.
  trace::TraceModel record(int steps, const std::string& part, int empty_before = 0);
  /// Where the last recording is, until the next.
  const std::string& path() const { return path_; }
  /// Of the last recording: how its times came to be.
  const std::string& clock() const { return clock_; }

 private:
  std::string path_, clock_;
  StepProcess process_;
};

}  // namespace notape::command::bench
