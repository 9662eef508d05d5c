// The second directional derivative of a case: as the graph of the gradient has it, and as a slope
// that was measured.
#pragma once
#include "verify/checks/opaque_reference.h"
#include "verify/checks/precision.h"

namespace notape::verify {

/// The gradient is weighted with w, x moves along u, and the incoming gradient along q.
struct SecondProbe {
  Direction w, u;
  Numbers q;  ///< along the incoming gradient; may be empty
};

struct SecondRun {
  Sample slope;
  std::vector<Numbers> entries;  ///< by every entry of every argument; empty if undefined
  bool attached = true;          ///< whether the gradient depends on x in the graph
};

SecondRun second_run(const Subject& subject, const SecondProbe& probe,
                     const NoisePoint* point = nullptr);
/// Of an opaque operator the first derivative is the operator's own, which `reverse` has judged, so
/// that no difference of differences is taken: t -> <J(x + t u)^T (v + t q), w> in float64.
DoublePath gradient_path(const Subject& wide, const SecondProbe& probe, const Numbers& v);
/// From the reference, at x = `from` and with incoming gradient v.
Slope second_slope(const Subject& subject, const SecondProbe& probe, Steps steps,
                   const WideList& from, const Numbers& v);
/// Both, as a number whose noise can be measured.
Measurement second_measurement(const Subject& here, const SecondProbe& probe);

/// In steps within each entry's own size; none if they are.
std::optional<SecondProbe> within_own_size(const Subject& subject, const SecondProbe& probe);
/// Entries that have not been taken out move by their own size.
SecondProbe with_own_steps(const Subject& subject, const SecondProbe& probe);

}  // namespace notape::verify
