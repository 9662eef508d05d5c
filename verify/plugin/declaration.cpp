#include "verify/plugin/declaration.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <utility>

namespace notape::verify {
namespace {

constexpr std::size_t kLargestStructure = 4096;
constexpr std::size_t kMostForeignOperators = 100000;
constexpr int32_t kMostKinks = 1000;
/// Whole numbers beyond these are not exact in the double that declares them.
constexpr double kLargestWhole = 0x1p53;

template <typename... Arguments>
[[noreturn]] void refuse(const char* op, const char* format, Arguments... arguments) {
  throw ForeignOperatorError("operator '{}' {}", op, format_message(format, {arguments...}));
}

/// What a structure had when there was first one.
template <typename T>
constexpr std::size_t kLeastSize = sizeof(T);
template <>
constexpr std::size_t kLeastSize<notape_operator2> = offsetof(notape_operator2, reference_dtype);

/// A structure of a later version is longer, and what one of an earlier is too short for is 0.
template <typename T>
void check_size(const char* op, const std::string& what, const T& given) {
  const std::size_t size = given.struct_size;
  if (size < kLeastSize<T> || size > kLargestStructure || size % alignof(T) != 0)
    refuse(op, "says that {} has {} bytes; here it has {}, and a later version would have more",
           what, size, sizeof(T));
}

/// A list that a plugin declares, whose elements may be longer than those known here.
template <typename T>
std::vector<T> list_of(const char* op, const char* what, const T* first, int32_t count,
                       int32_t least, int32_t most) {
  if (count < least || count > most)
    refuse(op, "has {} {}: {} to {} are possible", count, what, least, most);
  if (count == 0) return {};
  if (!first) refuse(op, "declares {} {} that are nowhere", count, what);
  check_size(op, format_message("{}[0]", {what}), *first);
  std::vector<T> list;
  for (int32_t i = 0; i < count; ++i) {
    const auto* element = reinterpret_cast<const T*>(
        reinterpret_cast<const char*>(first) + static_cast<std::size_t>(i) * first->struct_size);
    if (element->struct_size != first->struct_size)
      refuse(op, "says that {}[{}] has {} bytes, and {}[0] {}", what, i, element->struct_size, what,
             first->struct_size);
    list.push_back(*element);
  }
  return list;
}

std::string place(const char* what, std::size_t i, const char* op, const char* name) {
  if (!name) return format_message("{}[{}]", {what, i});
  if (!is_name(name))
    refuse(op, "has a name of {}[{}] that is not 1 to 100 letters, digits and _ . -", what, i);
  return format_message("{}[{}] ({})", {what, i, name});
}

void check_flags(const char* op, const std::string& what, int32_t flags, int32_t known) {
  if ((flags & ~known) != 0)
    refuse(op, "sets flags of {} that nobody knows: {}", what, flags & ~known);
}

void check_range(const char* op, const std::string& what, double low, double high, bool whole) {
  const bool possible =
      std::isfinite(low) && std::isfinite(high) && (whole ? low <= high : low < high);
  if (!possible) refuse(op, "has an empty or infinite range of {}: {} to {}", what, low, high);
  if (whole && (low != std::floor(low) || high != std::floor(high) || low < -kLargestWhole ||
                high > kLargestWhole))
    refuse(op, "has a range of {} that is not of whole numbers: {} to {}", what, low, high);
}

void check_kink(const char* op, const std::string& what, const notape_kink& kink, double low,
                double high) {
  if (!std::isfinite(kink.at) || kink.at < low || kink.at > high)
    refuse(op, "has a kink of {} at {}, outside of its range", what, kink.at);
  if (kink.convention < NOTAPE_KINK_BETWEEN || kink.convention > NOTAPE_KINK_SLOPES)
    refuse(op, "has a kink of {} with convention {}, which nobody knows", what, kink.convention);
  const bool numbers =
      std::isfinite(kink.below) && std::isfinite(kink.above) && std::isfinite(kink.slope);
  if (!numbers)
    refuse(op, "has a kink of {} with slopes {}, {} and {}", what, kink.below, kink.slope,
           kink.above);
  if (kink.convention == NOTAPE_KINK_SLOPES && kink.below == kink.above)
    refuse(op, "has a kink of {} at {} whose slopes are both {}", what, kink.at, kink.below);
}

Declaration::Input input_of(const char* op, const notape_input& given, std::size_t i) {
  Declaration::Input input{.name = place("inputs", i, op, given.name),
                           .dtype = given.dtype,
                           .flags = given.flags,
                           .low = given.low,
                           .high = given.high};
  if (given.dtype == NOTAPE_COMPLEX64 || given.dtype == NOTAPE_COMPLEX128)
    refuse(op, "has {} of {}: derivatives of complex numbers are not verified", input.name,
           name_of_code(given.dtype));
  if (given.dtype != NOTAPE_REAL && given.dtype != NOTAPE_INT32 && given.dtype != NOTAPE_INT64)
    refuse(op, "has {} of type {}: neither NOTAPE_REAL, NOTAPE_INT32 nor NOTAPE_INT64", input.name,
           given.dtype);
  check_flags(op, input.name, given.flags, NOTAPE_ASCENDING | NOTAPE_DISTINCT);
  if (input.is_real() && input.is_ascending())
    refuse(op, "has real {} that ascend, which only whole numbers do", input.name);
  check_range(op, input.name, given.low, given.high, !input.is_real());
  const bool fits =
      given.dtype != NOTAPE_INT32 || (given.low >= INT32_MIN && given.high <= INT32_MAX);
  if (!fits) refuse(op, "has a range of {} that int32 does not hold", input.name);
  input.kinks = list_of(op, "kinks", given.kinks, given.kink_count, 0, kMostKinks);
  if (!input.is_real() && !input.kinks.empty())
    refuse(op, "has kinks of {}, which is not differentiated", input.name);
  for (const notape_kink& kink : input.kinks)
    check_kink(op, input.name, kink, given.low, given.high);
  return input;
}

Declaration::Attribute attribute_of(const char* op, const notape_attribute& given, std::size_t i) {
  Declaration::Attribute attribute{.name = given.name ? given.name : format_message("#{}", {i}),
                                   .whole = given.kind == NOTAPE_WHOLE,
                                   .low = given.low,
                                   .high = given.high};
  const std::string where = place("attributes", i, op, given.name);
  if (given.kind != NOTAPE_WHOLE && given.kind != NOTAPE_NUMBER)
    refuse(op, "has {} of kind {}: neither NOTAPE_WHOLE nor NOTAPE_NUMBER", where, given.kind);
  check_range(op, where, given.low, given.high, attribute.whole);
  return attribute;
}

/// One real type at least, float64 or what the reference is finer than; and what it writes.
void check_types(const notape_operator2& foreign) {
  constexpr int32_t kReals = NOTAPE_FLOAT32 | NOTAPE_FLOAT64 | NOTAPE_BFLOAT16 | NOTAPE_FLOAT16;
  const char* op = foreign.name;
  for (const int32_t one : {NOTAPE_COMPLEX64, NOTAPE_COMPLEX128})
    if ((foreign.dtypes & one) != 0)
      refuse(op, "takes {}: derivatives of complex numbers are not verified", name_of_code(one));
  if ((foreign.dtypes & ~kReals) != 0)
    refuse(op, "takes types that nobody knows: {}", foreign.dtypes);
  if ((foreign.dtypes & kReals) == 0) refuse(op, "takes no type");
  switch (foreign.reference_dtype) {
    case 0:
    case NOTAPE_LONG_DOUBLE:
    case NOTAPE_FLOAT64:
      break;
    case NOTAPE_FLOAT32:
      if ((foreign.dtypes & (NOTAPE_FLOAT32 | NOTAPE_FLOAT64)) == 0) break;
      [[fallthrough]];
    default:
      refuse(op, "has a reference in {}, which is no wider real type than its own",
             name_of_code(foreign.reference_dtype));
  }
  if ((foreign.dtypes & NOTAPE_FLOAT64) == 0 && !foreign.reference)
    refuse(op,
           "does not take float64, which its numeric derivative needs, and has no reference that "
           "could be differenced instead");
  bool any = !foreign.output_dtypes;
  for (int32_t k = 0; foreign.output_dtypes && k < foreign.output_count; ++k) {
    const int32_t one = foreign.output_dtypes[k];
    if (one != NOTAPE_REAL && one != NOTAPE_FLOAT32 && one != NOTAPE_INT32 && one != NOTAPE_INT64)
      refuse(op, "writes {} to outputs[{}]: neither NOTAPE_REAL, FLOAT32, INT32 nor INT64",
             name_of_code(one), k);
    any = any || one == NOTAPE_REAL || one == NOTAPE_FLOAT32;
  }
  if (!any) refuse(op, "has no real output, so nothing to differentiate");
  if ((foreign.devices & ~(NOTAPE_ON_CPU | NOTAPE_ON_CUDA)) != 0)
    refuse(op, "runs on devices that nobody knows: {}", foreign.devices);
  if (foreign.atomic_terms < 0) refuse(op, "adds {} terms", foreign.atomic_terms);
}

Declaration::Saved saved_of(const char* op, const notape_saved& given, std::size_t i) {
  Declaration::Saved saved{place("saved", i, op, given.name), given.dtype};
  switch (given.dtype) {
    case NOTAPE_REAL:
    case NOTAPE_FLOAT32:
    case NOTAPE_FLOAT64:
    case NOTAPE_INT32:
    case NOTAPE_INT64:
      return saved;
    default:
      refuse(op, "has {} of type {}, which no saved buffer has", saved.name, given.dtype);
  }
}

}  // namespace

bool is_name(const char* text) {
  constexpr std::size_t kLongest = 100;
  if (!text) return false;
  const std::string_view name(text, ::strnlen(text, kLongest + 1));
  return !name.empty() && name.size() <= kLongest &&
         name.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") == name.npos;
}

void check_shape(const char* op, const std::string& what, const notape_shape& shape) {
  constexpr std::size_t kMostEntries = 1 << 16;
  std::size_t entries = 1;
  bool possible = shape.rank >= 0 && shape.rank <= NOTAPE_MAX_RANK;
  for (int32_t d = 0; possible && d < shape.rank; ++d) {
    possible = shape.sizes[d] >= 0 && shape.sizes[d] <= static_cast<int64_t>(kMostEntries);
    if (possible) entries *= static_cast<std::size_t>(shape.sizes[d]);
    possible = possible && entries <= kMostEntries;
  }
  if (!possible)
    throw ForeignOperatorError(
        "shape of {} gives {}a negative size, a rank above {}, or more than {} entries", op, what,
        NOTAPE_MAX_RANK, kMostEntries);
}

int32_t code_of_real(ScalarType type) {
  switch (type) {
    case kFloat16:
      return NOTAPE_FLOAT16;
    case kBFloat16:
      return NOTAPE_BFLOAT16;
    case kFloat32:
      return NOTAPE_FLOAT32;
    default:
      return NOTAPE_FLOAT64;
  }
}

std::string name_of_code(int32_t dtype) {
  constexpr std::pair<int32_t, const char*> kNames[] = {
      {NOTAPE_FLOAT32, "float32"},     {NOTAPE_FLOAT64, "float64"},
      {NOTAPE_BFLOAT16, "bfloat16"},   {NOTAPE_FLOAT16, "float16"},
      {NOTAPE_COMPLEX64, "complex64"}, {NOTAPE_COMPLEX128, "complex128"},
      {NOTAPE_INT32, "int32"},         {NOTAPE_INT64, "int64"},
      {NOTAPE_REAL, "NOTAPE_REAL"},    {NOTAPE_LONG_DOUBLE, "long double"}};
  for (const auto& [code, name] : kNames)
    if (code == dtype) return name;
  return format_message("type {}", {dtype});
}

std::shared_ptr<const Declaration> declaration_of(const notape_operator2& given) {
  const auto result = std::make_shared<Declaration>();
  check_size("?", "notape_operator2", given);
  notape_operator2 foreign{};
  std::memcpy(&foreign, &given, std::min(given.struct_size, sizeof foreign));
  if (!is_name(foreign.name))
    throw ForeignOperatorError("an operator's name is not 1 to 100 letters, digits and _ . -");
  const char* op = foreign.name;
  result->foreign = foreign;
  if (foreign.surrogate && foreign.reference_jvp)
    refuse(op,
           "has a surrogate gradient and a slope of a reference, which backward cannot both be");
  if (!foreign.shape || !foreign.forward || !foreign.backward)
    refuse(op, "lacks one of its functions shape, forward and backward");
  check_flags(op, "it", foreign.flags,
              NOTAPE_TAKES_STRIDED | NOTAPE_TAKES_MISSING | NOTAPE_FIXED_SIZES);
  if (foreign.ways < 1) refuse(op, "offers no shapes");
  if (foreign.output_count < 1 || foreign.output_count > 16)
    refuse(op, "has {} outputs: 1 to 16 are possible", foreign.output_count);
  check_types(foreign);
  if (foreign.reference_jvp && !foreign.reference)
    refuse(op, "has a slope of a reference, and no reference");
  bool differentiable = false;
  for (const auto& one : list_of(op, "inputs", foreign.inputs, foreign.input_count, 1, 32)) {
    result->inputs.push_back(input_of(op, one, result->inputs.size()));
    differentiable = differentiable || result->inputs.back().is_real();
  }
  if (!differentiable) refuse(op, "has no real input, so nothing to differentiate");
  for (const auto& one :
       list_of(op, "attributes", foreign.attributes, foreign.attribute_count, 0, 16))
    result->attributes.push_back(attribute_of(op, one, result->attributes.size()));
  for (const auto& one : list_of(op, "saved", foreign.saved, foreign.saved_count, 0, 16))
    result->saved.push_back(saved_of(op, one, result->saved.size()));
  return result;
}

std::vector<const notape_operator2*> operators_of(const notape_plugin2& plugin) {
  if (plugin.struct_size < sizeof(notape_plugin2) || plugin.struct_size > kLargestStructure)
    throw ForeignOperatorError("it says that notape_plugin2 has {} bytes; here it has {}",
                               plugin.struct_size, sizeof(notape_plugin2));
  if (plugin.operator_count > kMostForeignOperators)
    throw ForeignOperatorError("it declares absurdly many operators");
  if (plugin.operator_count > 0 && !plugin.operators)
    throw ForeignOperatorError("it declares operators that are nowhere");
  std::vector<const notape_operator2*> list;
  for (std::size_t i = 0; i < plugin.operator_count; ++i) {
    check_size("?", "notape_operator2", *plugin.operators);
    const auto* one = reinterpret_cast<const notape_operator2*>(
        reinterpret_cast<const char*>(plugin.operators) + i * plugin.operators->struct_size);
    if (one->struct_size != plugin.operators->struct_size)
      throw ForeignOperatorError("it has operators of {} and of {} bytes",
                                 plugin.operators->struct_size, one->struct_size);
    list.push_back(one);
  }
  return list;
}

}  // namespace notape::verify
