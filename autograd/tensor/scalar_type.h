// ScalarType: what one element of a tensor is. Names and promotion follow LibTorch.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace notape {

/// Ordered by promotion category (bool < integer < floating) and width within it.
enum class ScalarType : uint8_t { Bool, Byte, Int, Long, Float, Double };

inline constexpr int kScalarTypes = 6;
inline constexpr ScalarType kBool = ScalarType::Bool;
inline constexpr ScalarType kUInt8 = ScalarType::Byte, kByte = ScalarType::Byte;
inline constexpr ScalarType kInt32 = ScalarType::Int, kInt = ScalarType::Int;
inline constexpr ScalarType kInt64 = ScalarType::Long, kLong = ScalarType::Long;
inline constexpr ScalarType kFloat32 = ScalarType::Float, kFloat = ScalarType::Float;
inline constexpr ScalarType kFloat64 = ScalarType::Double, kDouble = ScalarType::Double;

// Outside the function, where it is not written to the stack at every call.
inline constexpr uint8_t kElementSizes[kScalarTypes] = {1, 1, 4, 8, 4, 8};
constexpr std::size_t element_size(ScalarType type) {
  return kElementSizes[static_cast<int>(type)];
}
constexpr bool is_floating_point(ScalarType type) { return type >= ScalarType::Float; }
constexpr bool is_integral(ScalarType type) {
  return type > ScalarType::Bool && type < ScalarType::Float;
}

/// "float32", as this library prints it.
constexpr std::string_view name_of(ScalarType type) {
  constexpr std::string_view names[kScalarTypes] = {"bool",  "uint8",   "int32",
                                                    "int64", "float32", "float64"};
  return names[static_cast<int>(type)];
}
/// "CPUFloatType" without its device, as LibTorch prints it.
constexpr std::string_view type_name_of(ScalarType type) {
  constexpr std::string_view names[kScalarTypes] = {"Bool", "Byte",  "Int",
                                                    "Long", "Float", "Double"};
  return names[static_cast<int>(type)];
}

/// The type that can hold both; with six types that is the larger one in promotion order.
constexpr ScalarType promote_types(ScalarType a, ScalarType b) { return a < b ? b : a; }

template <typename T>
inline constexpr ScalarType scalar_type_of = ScalarType::Bool;
template <>
inline constexpr ScalarType scalar_type_of<uint8_t> = ScalarType::Byte;
template <>
inline constexpr ScalarType scalar_type_of<int32_t> = ScalarType::Int;
template <>
inline constexpr ScalarType scalar_type_of<int64_t> = ScalarType::Long;
template <>
inline constexpr ScalarType scalar_type_of<float> = ScalarType::Float;
template <>
inline constexpr ScalarType scalar_type_of<double> = ScalarType::Double;

/// Calls `f.template operator()<T>()` with the C++ type of `type`.
template <typename F>
decltype(auto) visit_type(ScalarType type, F&& f) {
  switch (type) {
    case ScalarType::Bool:
      return f.template operator()<bool>();
    case ScalarType::Byte:
      return f.template operator()<uint8_t>();
    case ScalarType::Int:
      return f.template operator()<int32_t>();
    case ScalarType::Long:
      return f.template operator()<int64_t>();
    case ScalarType::Float:
      return f.template operator()<float>();
    case ScalarType::Double:
      break;
  }
  return f.template operator()<double>();
}

}  // namespace notape
