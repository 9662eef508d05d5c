// HeldCall: a recorded call whose backward comes later, so that other things can happen between.
#pragma once
#include "verify/checks/comparer.h"

namespace notape::verify {

/// Numbers for every argument, inside its domain, that are not those of the case. Arguments that
/// are no real numbers stay as they are.
std::vector<Numbers> other_values(const Subject& subject);
/// other_values(), or those of the case in another order, whichever the operator takes; none if it
/// refuses both or there is nothing to change.
std::optional<std::vector<Numbers>> second_point(const Subject& subject);

class HeldCall {
 public:
  HeldCall(const Subject& subject, variable_list inputs, Tensor incoming);

  const Tensor& output() const { return output_; }
  /// Backward, once; the result as it is by then.
  Run finish();
  /// What finish() got, as tensors, one per real argument.
  const variable_list& gradients() const { return gradients_; }

 private:
  const Subject& subject_;
  variable_list inputs_;
  Tensor incoming_, output_;
  variable_list gradients_;
};

/// Adds `found` to `total`; false, and `total` is `found`, if that is red.
bool absorb(Outcome& total, Outcome found);
/// Adds whether two runs are the same bit for bit; false, and `total` has the reason and the
/// message (if that is empty, what differs), if not.
bool absorb_same(const Subject& subject, const Run& expected, const Run& got, const char* reason,
                 const std::string& message, Outcome& total);

/// Results and gradients of a computation that may round differently: within what the operator's
/// noise and its dtype explain, with room to spare, as what is looked for is no rounding.
void same_up_to_rounding(const Subject& subject, Comparer& comparer, const Run& expected,
                         const Run& got);

}  // namespace notape::verify
