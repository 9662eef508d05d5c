// The subcommands of `notape trace` that read a trace and answer a question about it.
#pragma once
#include <memory>
#include <optional>

namespace CLI {
class App;
}

namespace notape::command {

class TraceQuestions {
 public:
  /// Adds check, dispatch, steps and the others to `app`.
  explicit TraceQuestions(CLI::App& app);
  ~TraceQuestions();
  TraceQuestions(const TraceQuestions&) = delete;
  TraceQuestions& operator=(const TraceQuestions&) = delete;

  /// After parsing: the exit status of the question that was asked, nothing if none was.
  std::optional<int> run() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace notape::command
