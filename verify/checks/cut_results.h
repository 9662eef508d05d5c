// Results of which some get no gradient at all. A check looks at one tensor, into which
// joined_outputs() puts several results; in the scope of a CutResults it leaves out the history of
// some, so that nothing flows back to them, which is not the same as zeros to who is called.
#pragma once
#include <cstdint>
#include <vector>

#include "autograd/tensor/tensor.h"

namespace notape::verify {

class CutResults {
 public:
  /// Result i is cut off if bit i of `cut` is set. For this thread.
  explicit CutResults(uint64_t cut);
  ~CutResults();
  CutResults(const CutResults&) = delete;
  CutResults& operator=(const CutResults&) = delete;

  /// How many entries each of the results joined in this scope had; empty if none were joined.
  const std::vector<int64_t>& entries() const { return entries_; }

  /// What joined_outputs() does with each list of floating results.
  static void apply(variable_list& results);

 private:
  const uint64_t cut_;
  CutResults* const before_;
  std::vector<int64_t> entries_;
};

}  // namespace notape::verify
