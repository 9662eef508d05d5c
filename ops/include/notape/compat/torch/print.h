#pragma once

/// operator<< for what LibTorch prints besides tensors.

#include <ostream>

#include "notape/notape.h"

namespace notape {

/// "[2, 3]"
inline std::ostream& operator<<(std::ostream& out, IntArrayRef list) {
  return out << to_string(list);
}
/// "Float"
inline std::ostream& operator<<(std::ostream& out, ScalarType type) {
  return out << type_name_of(type);
}
/// "cpu", "cuda:0"
inline std::ostream& operator<<(std::ostream& out, Device device) {
  return out << to_string(device);
}
/// The number; "true" or "false" for a bool.
template <std::same_as<Scalar> S>  // not for what converts to Scalar, such as a plain int
std::ostream& operator<<(std::ostream& out, const S& scalar) {
  if (scalar.is_floating_point()) return out << scalar.toDouble();
  if (scalar.type() == kBool) return out << (scalar.toBool() ? "true" : "false");
  return out << scalar.toLong();
}

}  // namespace notape

namespace c10 {

inline const char* toString(notape::ScalarType type) { return notape::type_name_of(type).data(); }
/// LibTorch's dtype() is another type than its scalar_type(); here both are ScalarType.
constexpr notape::ScalarType typeMetaToScalarType(notape::ScalarType type) { return type; }

}  // namespace c10
