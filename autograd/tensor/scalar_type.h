// ScalarType: what one element of a tensor is. Names and promotion follow LibTorch. This is the one
// list of element types: kernels, promotion, printing, files and the verifier read it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "autograd/tensor/bool.h"
#include "autograd/tensor/half.h"

namespace notape {

/// Ordered by promotion category (bool < integer < floating) and width within it.
enum class ScalarType : uint8_t {
  Bool,
  Byte,
  Char,
  Short,
  Int,
  Long,
  Half,
  BFloat16,
  Float,
  Double
};

inline constexpr int kScalarTypes = 10;
inline constexpr ScalarType kBool = ScalarType::Bool;
inline constexpr ScalarType kUInt8 = ScalarType::Byte, kByte = ScalarType::Byte;
inline constexpr ScalarType kInt8 = ScalarType::Char, kChar = ScalarType::Char;
inline constexpr ScalarType kInt16 = ScalarType::Short, kShort = ScalarType::Short;
inline constexpr ScalarType kInt32 = ScalarType::Int, kInt = ScalarType::Int;
inline constexpr ScalarType kInt64 = ScalarType::Long, kLong = ScalarType::Long;
inline constexpr ScalarType kFloat16 = ScalarType::Half, kHalf = ScalarType::Half;
inline constexpr ScalarType kBFloat16 = ScalarType::BFloat16;
inline constexpr ScalarType kFloat32 = ScalarType::Float, kFloat = ScalarType::Float;
inline constexpr ScalarType kFloat64 = ScalarType::Double, kDouble = ScalarType::Double;

/// What each type is called and how its numbers are made.
struct ElementType {
  std::string_view name;         ///< "float32", as this library prints it
  std::string_view type_name;    ///< "Float", in LibTorch's "CPUFloatType"
  const char* c_name;            ///< "float", in LibTorch's errors
  std::string_view npy;          ///< kind and width in .npy files, "f4"; empty: NumPy has none
  std::string_view safetensors;  ///< "F32"
  uint8_t dlpack;                ///< DLDataTypeCode
  int digits = 0;                ///< of floating types: binary digits of a number
  int lowest_exponent = 0;       ///< and the exponent of 2 of the smallest number
  int highest_exponent = 0;      ///< and of the largest power of 2
};
inline constexpr ElementType kElementTypes[kScalarTypes] = {
    {"bool", "Bool", "bool", "b1", "BOOL", 6},
    {"uint8", "Byte", "uint8_t", "u1", "U8", 1},
    {"int8", "Char", "int8_t", "i1", "I8", 0},
    {"int16", "Short", "int16_t", "i2", "I16", 0},
    {"int32", "Int", "int", "i4", "I32", 0},
    {"int64", "Long", "int64_t", "i8", "I64", 0},
    {"float16", "Half", "at::Half", "f2", "F16", 2, 11, -24, 15},
    {"bfloat16", "BFloat16", "at::BFloat16", "", "BF16", 4, 8, -133, 127},
    {"float32", "Float", "float", "f4", "F32", 2, 24, -149, 127},
    {"float64", "Double", "double", "f8", "F64", 2, 53, -1074, 1023},
};
constexpr const ElementType& element_type(ScalarType type) {
  return kElementTypes[static_cast<int>(type)];
}

// Outside the function, where it is not written to the stack at every call.
inline constexpr uint8_t kElementSizes[kScalarTypes] = {1, 1, 1, 2, 4, 8, 2, 2, 4, 8};
constexpr std::size_t element_size(ScalarType type) {
  return kElementSizes[static_cast<int>(type)];
}
constexpr bool is_floating_point(ScalarType type) { return type >= ScalarType::Half; }
constexpr bool is_integral(ScalarType type) {
  return type > ScalarType::Bool && type < ScalarType::Half;
}
/// float16 and bfloat16.
constexpr bool is_reduced_floating_point(ScalarType type) {
  return type == ScalarType::Half || type == ScalarType::BFloat16;
}
/// The type in which kernels compute: float16 and bfloat16 are rounded once from float32.
constexpr ScalarType computed_in(ScalarType type) {
  return is_reduced_floating_point(type) ? ScalarType::Float : type;
}

/// The floating type of this name; the number of types if there is none.
constexpr int floating_type_named(std::string_view name) {
  int type = static_cast<int>(ScalarType::Half);
  while (type < kScalarTypes && kElementTypes[type].name != name) ++type;
  return type;
}

/// The nearest number of a floating type.
constexpr double round_to(double value, ScalarType type) {
  switch (type) {
    case ScalarType::Half:
      return static_cast<double>(static_cast<float>(Half(value)));
    case ScalarType::BFloat16:
      return static_cast<double>(static_cast<float>(BFloat16(value)));
    case ScalarType::Float:
      return static_cast<double>(static_cast<float>(value));
    default:
      return value;
  }
}

constexpr std::string_view name_of(ScalarType type) { return element_type(type).name; }
constexpr std::string_view type_name_of(ScalarType type) { return element_type(type).type_name; }

/// The type that can hold both: the later one, but int16 for the two of 8 bits and float32 for the
/// two floating ones of 16.
constexpr ScalarType promote_types(ScalarType a, ScalarType b) {
  if ((a == ScalarType::Byte && b == ScalarType::Char) ||
      (a == ScalarType::Char && b == ScalarType::Byte))
    return ScalarType::Short;
  if (a != b && is_reduced_floating_point(a) && is_reduced_floating_point(b))
    return ScalarType::Float;
  return a < b ? b : a;
}

template <typename T>
inline constexpr ScalarType scalar_type_of = ScalarType::Bool;
template <>
inline constexpr ScalarType scalar_type_of<uint8_t> = ScalarType::Byte;
template <>
inline constexpr ScalarType scalar_type_of<int8_t> = ScalarType::Char;
template <>
inline constexpr ScalarType scalar_type_of<int16_t> = ScalarType::Short;
template <>
inline constexpr ScalarType scalar_type_of<int32_t> = ScalarType::Int;
template <>
inline constexpr ScalarType scalar_type_of<int64_t> = ScalarType::Long;
template <>
inline constexpr ScalarType scalar_type_of<Half> = ScalarType::Half;
template <>
inline constexpr ScalarType scalar_type_of<BFloat16> = ScalarType::BFloat16;
template <>
inline constexpr ScalarType scalar_type_of<float> = ScalarType::Float;
template <>
inline constexpr ScalarType scalar_type_of<double> = ScalarType::Double;

/// Calls `f.template operator()<T>()` with the C++ type in which elements of `type` are computed.
template <typename F>
decltype(auto) visit_computed(ScalarType type, F&& f) {
  switch (computed_in(type)) {
    case ScalarType::Bool:
      return f.template operator()<Bool>();
    case ScalarType::Byte:
      return f.template operator()<uint8_t>();
    case ScalarType::Char:
      return f.template operator()<int8_t>();
    case ScalarType::Short:
      return f.template operator()<int16_t>();
    case ScalarType::Int:
      return f.template operator()<int32_t>();
    case ScalarType::Long:
      return f.template operator()<int64_t>();
    case ScalarType::Double:
      return f.template operator()<double>();
    default:
      break;
  }
  return f.template operator()<float>();
}

/// Calls `f.template operator()<T>()` with the C++ type that elements of `type` are stored as.
template <typename F>
decltype(auto) visit_type(ScalarType type, F&& f) {
  switch (type) {
    case ScalarType::Half:
      return f.template operator()<Half>();
    case ScalarType::BFloat16:
      return f.template operator()<BFloat16>();
    default:
      return visit_computed(type, f);
  }
}

}  // namespace notape
