// Certificate: what one check found about one operator in one dtype, over all its cases.
#pragma once
#include <optional>

#include "verify/checks/check.h"

namespace notape::verify {

/// The simplest case found that fails, ready to be read.
struct Failure {
  Outcome outcome = {};
  std::string code = {};                 ///< replays the case
  std::string label = {};                ///< the operator's parameters
  std::vector<std::string> inputs = {};  ///< "[2, 3] float64, permuted, strides ...: [0.5, 1, ...]"
  std::string incoming = {};             ///< the same for the incoming gradient
};

struct Certificate {
  const OpSpec* spec = nullptr;
  const char* check = "";
  ScalarType dtype = kFloat64;
  Device device = {};

  Verdict verdict = Verdict::Pass;
  std::string detail = {};  ///< why it is no PASS
  int64_t cases = 0, comparisons = 0, unresolved = 0;
  double detectable = 0;  ///< the largest relative error that could have passed
  double seconds = 0;
  std::optional<Failure> failure = {};
};

/// "tanh/reverse/float64/cpu": stable from run to run.
std::string id_of(const Certificate& certificate);
/// "notape verify run tanh --dtype float64 --case 1a2b"
std::string replay_command(const Certificate& certificate, const std::string& code);

}  // namespace notape::verify
