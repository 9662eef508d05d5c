// check_everywhere: check() at random inputs of every shape, layout and dtype instead of at given
// ones; a failure is shrunk to a few small numbers.
#pragma once
#include "verify/gradcheck.h"

namespace notape::verify {

struct EverywhereOptions {
  std::string name = "function";
  Domain domain = {};
  int order = 2;
  bool forward_mode = true;
  int samples = 30;  ///< cases per dtype
  uint64_t seed = 1;
  bool float32 = true;  ///< whether f takes float32; float64 it must
  /// Least power: a pass that could have missed a larger relative error (float64) is UNRESOLVED.
  double power = 0;
  Reference reference = {};  ///< as in CheckOptions
};

/// `f` of `arguments` tensors of one shape.
Report check_everywhere(const TensorFunction& f, int arguments,
                        const EverywhereOptions& options = {},
                        std::source_location at = std::source_location::current());

}  // namespace notape::verify
