// A trial: one program, run on the oracle and on the library in lockstep, and judged.
#pragma once
#include <string>

#include "verify/alias/statement.h"

namespace notape::verify::alias {

enum class Outcome : uint8_t {
  Exact,              ///< every gradient and value equals the oracle's
  RequiredRejection,  ///< only errors that the rules demand, no gradient was asked for
  FalseRejection,     ///< an error although there is an answer and no rule forbids it
  Unexplained,        ///< the same, and no saved value was overwritten either
  MissedRejection,    ///< the rules demand an error, and there was none, or of another class
  SilentlyWrong,
  DirtyRejection,  ///< an error that changed something
  Broken,          ///< an exception that is not the library's, or something left alive
};
inline constexpr int kOutcomes = 8;
/// From here on an outcome is a failure.
inline constexpr Outcome kFirstFailure = Outcome::MissedRejection;

struct Settings {
  Field field = Field::Exact;
  Policy policy = Policy::Default;
  Fault fault = Fault::None;
};

struct TrialResult {
  Outcome outcome = Outcome::Exact;
  std::string detail;                ///< of a failure or a false rejection
  Failure failure = Failure::Other;  ///< the class of the worst unwanted error
  int statements = 0, gradients = 0, writes = 0;
  std::array<uint16_t, kFailures> required{}, unwanted{};
};

class Trial {
 public:
  explicit Trial(const Settings& settings)
      : settings_(settings),
        oracle_(settings.field, settings.policy),
        executor_(settings.policy, settings.fault, oracle_) {}

  void begin(Features features = {});
  /// Runs a statement, or skips it (false).
  bool step(const Statement& s);
  /// Compares what is left and gives the verdict.
  const TrialResult& end();
  /// The whole of it.
  const TrialResult& run(const Program& program);

  const Oracle& oracle() const { return oracle_; }
  const Executor& executor() const { return executor_; }
  bool has_failed() const { return result_.outcome >= kFirstFailure; }
  const TrialResult& result() const { return result_; }

 private:
  struct SlotState {
    uint64_t version;
    uint16_t flags;
    const Node* history;
  };
  void fail(Outcome outcome, std::string detail);
  void note(Outcome outcome);
  void take_states();
  void check_states(const Statement& s, const std::string& error);
  void judge_error(const Statement& s, const Expectation& expected, const Error& error);
  FailureSet stale_operands(const Statement& s) const;
  bool check_values();
  bool check_tangents(int slot);
  void check_flags();
  void check_leaks();
  void check_gradients(const Gradient& asked);
  void check_hooks(const Row& expected);
  bool check_sum(const std::string& what, std::size_t leaf, const Tensor& gradient,
                 const Row& expected, std::size_t first_column);
  bool close(double a, double b) const;

  Settings settings_;
  Oracle oracle_;
  Executor executor_;
  TrialResult result_;
  std::array<SlotState, kSlots> states_{};
  Row accumulated_{};
  std::array<int64_t, 3> alive_{};  // before the program
  bool uses_functions_ = false, stopped_ = false;
};

}  // namespace notape::verify::alias
