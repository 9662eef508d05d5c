// Cases of an operator longer along one dimension than its row draws them: as long as a vector
// register, a tile, or what one thread is given, and one more or less.
#pragma once
#include "verify/generate/drawn_case.h"

namespace notape::verify {

struct LongDimension {
  uint32_t key = 0;          ///< decides everything that is drawn
  int64_t size = 1;          ///< of that dimension
  int64_t most_entries = 0;  ///< of any argument
};

/// A case, row-major, in which some argument has a dimension of at least `size`; none if the row
/// draws no sizes that can be recognised, or only larger cases. No argument is empty.
std::optional<DrawnCase> long_case(const OpSpec& spec, const LongDimension& dimension,
                                   ScalarType dtype);

}  // namespace notape::verify
