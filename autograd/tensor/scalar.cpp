#include "autograd/tensor/scalar.h"

#include "autograd/error.h"

namespace notape {

void Scalar::throw_does_not_fit(const char* type, const char* caller) {
  throw ValueError("{}{}value cannot be converted to type {} without overflow",
                   caller ? caller : "", caller ? ": " : "", type);
}

const char* c_name_of(ScalarType type) {
  constexpr const char* names[kScalarTypes] = {"bool",    "uint8_t", "int",
                                               "int64_t", "float",   "double"};
  return names[static_cast<int>(type)];
}

}  // namespace notape
