#include "paper_examples/command/trace_options.h"

#include <CLI/CLI.hpp>

#include "autograd/error.h"
#include "trace/reader/decimal.h"

namespace notape::command {
namespace {

/// "101" or "101-104".
void read_steps(const std::string& text, std::optional<int64_t>& first,
                std::optional<int64_t>& last) {
  if (text.empty()) return;
  const std::size_t dash = text.find('-', 1);
  first = trace::whole_number(text.substr(0, dash));
  last = dash == std::string::npos ? first : trace::whole_number(text.substr(dash + 1));
  if (!first || !last || *last < *first)
    throw ValueError("--step {}: no step such as 101, and no range such as 101-104", text);
}

bool is_given(const CLI::App& question, const char* option) {
  const CLI::Option* found = question.get_option_no_throw(option);
  return found && found->count() > 0;
}

/// A question that does not know an option takes it all the same, to say so.
void refuse(CLI::App* question, const char* option, const char* why) {
  const std::string text = question->get_name() + " " + why;
  question
      ->add_option_function<std::string>(
          option,
          [=](const std::string&) {
            throw CLI::ValidationError(std::string(option) + ": " + text);
          })
      ->group("");
}

}  // namespace

CLI::App* TraceOptions::add(const char* name, const char* summary, const char* footer) {
  CLI::App* question = app_.add_subcommand(name, summary);
  question->footer(footer);
  question->add_option("FILE", words_.file, "a trace: .json or .json.gz, ours or PyTorch's")
      ->required();
  return question;
}

void TraceOptions::add_selection(CLI::App* question, unsigned options) {
  if (options & kSteps)
    question->add_option("--step", words_.steps,
                         "only this step, or these: 101, 101-104; a step owns the GPU work that it "
                         "launches");
  else
    refuse(question, "--step", "is about all steps of the file");
  if (options & kDevice)
    question->add_option("--device", words_.device, "only this GPU");
  else
    refuse(question, "--device", "does not tell GPUs apart");
  if (options & kStream)
    question->add_option("--stream", words_.stream, "only this stream of it");
  else
    refuse(question, "--stream", "does not tell streams apart");
  if (options & kDepth)
    question
        ->add_option("--saturation-depth", words_.saturation_depth,
                     "of a full launch queue; else found in the data")
        ->check(CLI::Range(1, 1'000'000'000));
  else
    refuse(question, "--saturation-depth", "does not depend on the launch queue");
  if (options & kCompat)
    question
        ->add_option("--compat", words_.compat,
                     "hta: also what HolisticTraceAnalysis says, by its own rules")
        ->check(CLI::IsMember({"hta"}));
  else
    refuse(question, "--compat", "has no figure of other tools");
}

void TraceOptions::add_format(CLI::App* question) {
  question->add_option("--format", words_.format, "table, json or csv")
      ->check(CLI::IsMember({"table", "json", "csv"}))
      ->capture_default_str();
}

void TraceOptions::add_marks(CLI::App* question) {
  question->add_option("--step-regex", words_.step_regex,
                       "names of ranges that begin a step; else ProfilerStep#N, then "
                       "enumerate(DataLoader)");
  CLI::Option* process = question->add_option(
      "--process", words_.process, "of a file of several processes, the one with this id");
  question->add_option("--rank", words_.rank, "the same, by the rank that the file gives it")
      ->excludes(process);
  question->add_flag("--strict", words_.is_strict, "status 3 if the file has anomalies");
}

std::optional<std::size_t> chosen_process(const CLI::App& question, const TraceWords& words,
                                          const trace::TraceModel& model) {
  if (is_given(question, "--process")) return trace::find_process(model, words.process);
  if (is_given(question, "--rank")) return trace::find_rank(model, words.rank);
  return {};
}

trace::TraceModel trace_process(const CLI::App& question, const TraceWords& words,
                                trace::TraceModel model) {
  const std::optional<std::size_t> process = chosen_process(question, words, model);
  return process && model.is_of_several() ? trace::of_process(model, *process) : std::move(model);
}

trace::Selection trace_selection(const CLI::App& question, const TraceWords& words) {
  const auto given = [&](const char* option) { return is_given(question, option); };
  trace::Selection result;
  read_steps(words.steps, result.first_step, result.last_step);
  if (given("--device")) result.device = words.device;
  if (given("--stream")) result.stream = words.stream;
  if (given("--saturation-depth")) result.saturation_depth = words.saturation_depth;
  result.as_hta = words.compat == "hta";
  result.shortest_dependency_ns = static_cast<int64_t>(words.tau_us * 1'000);
  result.all_threads = words.threads == "all";
  result.keep_blocked = words.keep_blocked;
  result.with_curves = words.with_curves;
  return result;
}

}  // namespace notape::command
