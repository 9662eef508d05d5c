// SecondGradients: all gradients of a case, weighted and differentiated once more, and whether they
// are the same for other memory layouts.
#pragma once
#include "verify/checks/comparer.h"

namespace notape::verify {

/// How the tensors of a second derivative lie in memory; null: row-major.
struct SecondLayouts {
  const std::vector<Layout>* inputs = nullptr;
  const Layout* first = nullptr;  ///< of the incoming gradient
  const Layout* second =
      nullptr;             ///< of the second incoming one, the weights, which repeat as it does
  bool lay_second = true;  ///< else only the weights' numbers follow it
};

struct SecondGradients {
  std::vector<Numbers> gradients;  ///< by the real arguments and, last, by the incoming gradient
  bool exists = false;
};
/// With these values of the arguments, v coming in.
SecondGradients second_gradients(const Subject& subject, const std::vector<Numbers>& values,
                                 const Numbers& v, const SecondLayouts& layouts = {});

/// Whether `got` is `expected`, the second gradients for v with all row-major, up to rounding.
/// `weights`: whose numbers the weights follow.
void same_second_gradients(const Subject& subject, const Numbers& v, const Layout* weights,
                           const SecondGradients& expected, const SecondGradients& got,
                           Comparer& comparer);

}  // namespace notape::verify
