// Certificate: what one check found about one operator in one dtype, over all its cases.
#pragma once
#include <optional>

#include "verify/runner/exhibit.h"

namespace notape::verify {

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
  std::optional<Exhibit> failure = {};  ///< the simplest case found that fails
  /// The case that could have hidden the largest error. Only where Options::evidence is on.
  std::optional<Exhibit> weakest = {};

  const Exhibit* exhibit() const { return failure ? &*failure : weakest ? &*weakest : nullptr; }
};

/// "tanh/reverse/float64/cpu": stable from run to run.
std::string id_of(const Certificate& certificate);
/// "notape verify run tanh --dtype float64 --case 1a2b"
std::string replay_command(const Certificate& certificate, const std::string& code);

}  // namespace notape::verify
