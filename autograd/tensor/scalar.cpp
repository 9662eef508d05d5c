#include "autograd/tensor/scalar.h"

#include "autograd/error.h"

namespace notape {

void Scalar::throw_does_not_fit(const char* type, const char* caller) {
  throw ValueError("{}{}value cannot be converted to type {} without overflow",
                   caller ? caller : "", caller ? ": " : "", type);
}

}  // namespace notape
