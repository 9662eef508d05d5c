// torch.autograd.gradcheck on functions and mistakes of the corpus, beside what notape says of
// them.
#pragma once
#include "verify/corpus/calibration.h"

namespace notape::verify::corpus {

struct Comparison {
  std::string text;  ///< two rows that compare, or one line that says why there are none
  std::string json;  ///< the same as an object; empty if there are none
};
/// Runs against_torch.py, which the program carries, with $NOTAPE_PYTHON or python3, on those of
/// the functions that it has.
Comparison against_torch(const Calibration& calibration);

}  // namespace notape::verify::corpus
