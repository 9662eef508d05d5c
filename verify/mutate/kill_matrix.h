// The kill matrix: mutants by operators, what became of each, and the score of the verifier.
#pragma once
#include "verify/alias/campaign.h"
#include "verify/mutate/hunt.h"

namespace notape::verify::mutate {

/// A fault that can be switched on in the library; random programs are to find it.
struct LibraryFault {
  const char* id;
  const char* what;
  alias::Fault fault;
};
std::span<const LibraryFault> library_faults();

struct LibraryCell {
  const LibraryFault* fault = nullptr;
  bool killed = false;
  int64_t programs = 0;
  double seconds = 0;
};

/// A mistake of the standard list that nothing here has room for.
struct LeftOut {
  const char* id;
  const char* what;
  const char* why;
};
std::span<const LeftOut> left_out();

/// What ended a worker.
struct Ended {
  std::string mutant;  ///< its id; empty: the right operator
  std::string where;   ///< the operator
  std::string how;     ///< "SIGSEGV"
};

struct KillMatrix {
  HuntOptions options;
  std::vector<Cell> cells = {};
  std::vector<LibraryCell> library = {};
  std::vector<FalseAlarm> false_alarms = {};
  std::vector<Ended> crashes = {};
  int64_t right_operators = 0, right_cases = 0;  ///< planted with nothing
  double seconds = 0;
  std::string interrupted = {};  ///< "SIGINT after 100 of 5000 pairs"; empty: it came to its end

  int64_t count(Fate fate) const;
  int64_t killed() const;
  int64_t wrong() const;  ///< killed or not
  /// killed / wrong; 1 if nothing was wrong
  double score() const;
  /// The same for the 21 mistakes that must all be found, each in every operator.
  bool baseline_is_complete() const;
};

struct MatrixOptions {
  HuntOptions hunt = {};
  /// Every so many pairs only, spread evenly by the seed; the baseline is always whole.
  int every = 1;
  int right_cases = 10;  ///< of every right operator, for false alarms
  bool library = true;
  int jobs = 0;  ///< forked processes that share the work; 0: this process does it
  std::function<void(const std::string& replay)> progress =
      {};  ///< before each operator; after it, with jobs
};

/// Ends early on an Interruption.
KillMatrix fill_matrix(const SpecList& specs, const std::vector<const Mutant*>& mutants,
                       const MatrixOptions& options);

}  // namespace notape::verify::mutate
