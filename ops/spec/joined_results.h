// Several results as one tensor, for checks, which look at one: the entries of all of them in a
// row.
#pragma once
#include <cstdint>
#include <vector>

#include "autograd/tensor/tensor.h"

namespace notape {

/// The floating results, flat and joined; a single one as it is. Indices and the like beside them
/// are left out. Throws ValueError if there is no floating one.
Tensor joined_results(const TensorList& results);

/// Results of which some get no gradient at all: in its scope joined_results() leaves out the
/// history of some, so that nothing flows back to them, which is not the same as zeros to who is
/// called.
class CutResults {
 public:
  /// Result i is cut off if bit i of `cut` is set. For this thread.
  explicit CutResults(uint64_t cut);
  ~CutResults();
  CutResults(const CutResults&) = delete;
  CutResults& operator=(const CutResults&) = delete;

  /// How many entries each of the results joined in this scope had; empty if none were joined.
  const std::vector<int64_t>& entries() const { return entries_; }

 private:
  friend Tensor joined_results(const TensorList& results);
  void apply(TensorList& results);

  const uint64_t cut_;
  CutResults* const before_;
  std::vector<int64_t> entries_;
};

}  // namespace notape
