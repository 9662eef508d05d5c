// What is run, what it gives, and who listens: random cases for each operator, every check on each
// case, failures shrunk.
#pragma once
#include <algorithm>

#include "verify/runner/gates.h"

namespace notape::verify {

using SpecList = std::vector<const OpSpec*>;

struct Options {
  std::vector<ScalarType> dtypes = {kFloat64, kFloat32};
  Device device = {};
  uint64_t seed = 1;
  int samples = 30;                       ///< cases per operator and dtype
  double seconds = 0;                     ///< no further operator after these; 0: no limit
  bool fail_fast = false;                 ///< stop after the first operator with a red verdict
  bool first_red_only = false;            ///< no more checks of an operator after a red one
  std::optional<Choices> only_case = {};  ///< this one case, not shrunk
  bool evidence = false;                  ///< keep the weakest case of every check, for reports
  Gates gates = {};
  std::vector<std::string_view> left_out = {};  ///< names of checks that are not asked for
  int jobs = 0;  ///< forked processes that share the work; 0: this process does it
};

inline bool wants(const Options& options, std::string_view check) {
  return std::find(options.left_out.begin(), options.left_out.end(), check) ==
         options.left_out.end();
}

/// What one operator in one dtype gave; without certificates if it does not take the dtype.
struct Part {
  const OpSpec* spec = nullptr;
  ScalarType dtype = kFloat64;
  std::vector<Certificate> certificates;
  int64_t cases = 0;
  double seconds = 0;
};

/// Itself it listens to nothing.
struct Listener {
  virtual ~Listener() = default;
  virtual void begin(std::size_t /*parts*/) {}
  virtual void part_begin(const OpSpec&, ScalarType) {}
  virtual void part_end(const Part&) {}
  /// Before every case. The next check_begin() is about making the case, later ones about checks.
  virtual void case_begin(int) {}
  /// Before every check, so that a crash can be reported with its case.
  virtual void check_begin(const Certificate&, const Choices&) {}
};

}  // namespace notape::verify
