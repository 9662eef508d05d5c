// Trial: what the verifier says about one function, right or wrong, at the inputs of one seed.
#pragma once
#include "verify/corpus/entry.h"

namespace notape::verify::corpus {

/// What became of a planted mistake.
enum class Fate : uint8_t {
  Found,      ///< a red verdict
  Harmless,   ///< the derivatives are those of the right function at these inputs
  Undecided,  ///< the check of that order said that it cannot tell
  Small,      ///< no larger than the power that was stated
  Missed,     ///< larger than that
};

struct Trial {
  int checks = 0, unresolved = 0;
  std::string red = {};  ///< names of checks that are red, "reverse, layouts"
  bool proven = false;
  /// The largest relative error that is said to have been able to pass; infinite if nothing is
  /// said.
  double stated = 0;
  double distance = 0;    ///< how wrong the function is; 0 for the right one
  double seconds = 0;     ///< of processor time
  std::string text = {};  ///< the verifier's own words, unless all is as it should be

  Fate fate() const;
  /// A power that an error of twice its size contradicts.
  bool contradicted() const;
};

/// `mistake` null: the right function.
Trial try_out(const Entry& entry, const Mistake* mistake, uint64_t seed);

}  // namespace notape::verify::corpus
