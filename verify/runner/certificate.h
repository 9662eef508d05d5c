// Certificate: what one check found about one operator in one dtype, over all its cases.
#pragma once
#include <limits>
#include <memory>
#include <optional>

#include "verify/runner/exhibit.h"

namespace notape::verify {

/// Where an operator comes from that is not built in.
struct Origin {
  std::string plugin;        ///< the whole path of the shared library
  std::string file;          ///< where its derivative is written
  int64_t line = 0;          ///< 0: unknown
  std::string version = {};  ///< of the library: "libmyops.so, commit 1a2b, sha256 3c4d"
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
  Undecided undecided = {};
  NearZero near_zero = {};
  double seconds = 0;
  std::optional<Exhibit> failure = {};  ///< the simplest case found that fails
  /// The case that could have hidden the largest error. Only where Options::evidence is on.
  std::optional<Exhibit> weakest = {};
  const Origin* origin = nullptr;  ///< null for a built-in operator
  /// As Record::environment, where that is another machine's; null: as here.
  std::shared_ptr<const std::vector<std::pair<std::string, std::string>>> environment = {};

  const Exhibit* exhibit() const { return failure ? &*failure : weakest ? &*weakest : nullptr; }
};

/// A PASS is none if nothing was compared, if most comparisons could not decide, or if a relative
/// error larger than `power_gate` could have passed.
void conclude(Certificate& certificate,
              double power_gate = std::numeric_limits<double>::infinity());

/// What the detail of such a certificate begins with: every entry of a derivative was undecided.
inline constexpr std::string_view kAllUndecided = "all undecided: ";

/// "tanh/reverse/float64/cpu": stable from run to run.
std::string id_of(const Certificate& certificate);
/// A word as a shell needs it.
std::string in_shell(const std::string& word);
/// "notape verify run tanh --dtype float64 --case 1a2b" (saved_case.h); without a code all cases.
std::string replay_command(const Certificate& certificate, const std::string& code);

}  // namespace notape::verify
