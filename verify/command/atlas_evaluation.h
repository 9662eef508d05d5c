// Evaluation: one spelling of a row, computed.
#pragma once
#include <string>

#include "verify/atlas/atlas.h"

namespace notape::verify::atlas {

struct Evaluation {
  Numbers value, forward;
  std::vector<Numbers> derivatives;  ///< in reverse mode, order 1, 2, ...
  std::string problem;               ///< what was thrown, or a gradient of the wrong shape
};

/// As many orders as the row states.
Evaluation evaluate(const Row& row, const Spelling& spelling, ScalarType dtype, Device device,
                    const Layout& layout);

/// What disagrees, in one sentence per fact; empty if nothing does.
struct Finding {
  const Row* row;
  std::string text;
};

struct Report {
  /// The first spelling of each row in float64, row-major: what the table shows.
  std::vector<std::pair<const Row*, Evaluation>> table;
  std::vector<Finding> findings;
  /// Operators of the registry that declare a kink or ties, and have no row.
  std::vector<std::string> missing;
  int64_t comparisons = 0;
  std::string interrupted = {};  ///< "SIGINT after 3 of 43 functions"; empty: it came to its end
};

/// Evaluates all spellings of the rows in every layout and dtype; ends early on an Interruption.
Report survey(const std::vector<const Row*>& wanted, Device device);

}  // namespace notape::verify::atlas
