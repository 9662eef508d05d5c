// Record: a certificate as a report shows it and a file keeps it: plain values, no operator needed.
#pragma once
#include "verify/report/environment.h"
#include "verify/runner/runner.h"

namespace notape::verify {

struct Record {
  std::string id;
  Verdict verdict = Verdict::Pass;
  std::string detail;

  // What was checked.
  std::string op, family, file;
  int64_t line = 0;
  std::optional<std::string> plugin = {};  ///< the shared library it is in, if it is not built in
  std::string order;                       ///< "any" or a number
  std::string check, device;
  ScalarType dtype = kFloat64;

  // How it was judged, and what could have gone unseen.
  double ladder_factor = 0, noise_factor = 0, rounding_factor = 0, epsilon = 0;
  double gate = 0;                          ///< above this a comparison counts as undecided
  double detectable = 0;                    ///< the largest relative error that could have passed
  std::optional<Undecided> undecided = {};  ///< if there are any
  std::optional<NearZero> near_zero = {};   ///< the same

  uint64_t seed = 0;
  int64_t samples = 0;
  std::string generator;
  int64_t cases = 0, comparisons = 0, unresolved = 0;
  double seconds = 0;
  Environment environment;

  /// The shrunk failure, or the weakest case; none if neither was kept.
  std::optional<Exhibit> exhibit = {};
  std::string replay = {};  ///< the command that runs that case again

  bool is_failure() const { return exhibit && is_red(verdict); }
};

Record record_of(const Certificate& certificate, const Options& options = {});
std::vector<Record> records_of(const std::vector<Certificate>& certificates,
                               const Options& options);

/// "tanh/reverse in float64"
std::string title_of(const Record& record);
/// "ops/elementwise/tanh.cpp:31"
std::string place_of(const Record& record);
/// Whether it is a function that a program gave to check(): its place is that of the call.
bool is_of_user(const Record& record);
/// What went wrong, or why it is no PASS; empty for a PASS.
std::string why_of(const Record& record);
/// "FAIL/reverse-rule": the verdict and who is blamed, or the check. The same in every run.
std::string rule_of(const Record& record);
/// The whole of a red record, as a block of lines.
std::string failure_text(const Record& record);
Colour colour_of(const Record& record, const Gates& gates);

}  // namespace notape::verify
