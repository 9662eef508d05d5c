// The core's microbenchmarks that have gates: what one call costs in instructions and allocations.
#pragma once
#include <functional>
#include <string>
#include <vector>

namespace notape::bench {

struct GateCase {
  std::string name;
  int operations;              ///< one call performs this many
  std::function<void()> call;  ///< steady state after a few calls
  double max_instructions;     ///< per operation; 0: no gate
  double max_allocations;      ///< per operation
  double max_ns = 0;           ///< per operation, of the fastest batch; 0: no gate
  /// Around all calls of the case.
  std::function<void()> before = [] {}, after = [] {};
};

/// All cases, on 8 floats unless the name says otherwise.
std::vector<GateCase> gate_cases();
/// Those of the recorder.
void add_recorder_cases(std::vector<GateCase>& cases);
/// Those of optimizers.
void add_optimizer_cases(std::vector<GateCase>& cases);

}  // namespace notape::bench
