// The options of the questions about traces: what they are called, which question takes which, and
// what those that do not take one say.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trace/analysis/analyses.h"

namespace CLI {
class App;
}

namespace notape::command {

/// What the command line says.
struct TraceWords {
  std::string file, other_file, output, format = "table", steps, step_regex, compat, threads,
                                        process;
  double tau_us = 30;
  int64_t device = 0, stream = 0, saturation_depth = 0, rank = 0;
  std::size_t top = 10;
  bool is_strict = false, keep_blocked = false, with_curves = false, keep_metadata = false;
  bool is_significant = false;
  std::vector<std::string> gates, categories;
  trace::QueueAheadOptions ahead;
};

/// Options that select a part of a trace. A question that one means nothing to refuses it.
enum TraceOption : unsigned {
  kNoOption = 0,
  kSteps = 1,
  kDevice = 2,
  kStream = 4,
  kDepth = 8,
  kCompat = 16,
};

class TraceOptions {
 public:
  TraceOptions(CLI::App& app, TraceWords& words) : app_(app), words_(words) {}

  /// A question about FILE.
  CLI::App* add(const char* name, const char* summary, const char* footer);
  /// `options`: those of TraceOption that the question obeys. The others it refuses, in one line.
  void add_selection(CLI::App* question, unsigned options);
  void add_format(CLI::App* question);
  /// --step-regex, --process, --rank and --strict.
  void add_marks(CLI::App* question);

 private:
  CLI::App& app_;
  TraceWords& words_;
};

/// The place of the process that is selected, if one is.
std::optional<std::size_t> chosen_process(const CLI::App& question, const TraceWords& words,
                                          const trace::TraceModel& model);

/// The rows of the process that is selected; of a file of one, or if none is, the model itself.
/// Throws ValueError for a process or rank that there is not.
trace::TraceModel trace_process(const CLI::App& question, const TraceWords& words,
                                trace::TraceModel model);

/// What is selected. Throws ValueError for --step of other text.
trace::Selection trace_selection(const CLI::App& question, const TraceWords& words);

}  // namespace notape::command
