// The singularity atlas: what derivatives are at points where the usual formula does not say, one
// convention for all functions. Functions that are equal have equal derivatives there:
//   R1 differentiable after all: the derivative         R5 a jump: the value's own piece
//   R2 not selected: exactly 0                          R6 0 log 0 inside one operator: 0
//   R3 a kink: the least-norm subgradient, 1/k each     R7 a guard is part of the function
//   R4 a domain's end: the limit from inside; else NaN  R8 an index returned: the element there
#pragma once
#include <cstdint>
#include <limits>
#include <string_view>

#include "verify/generate/layout.h"

namespace notape::verify::atlas {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

enum class Rule : uint8_t { R1 = 1, R2, R3, R4, R5, R6, R7, R8 };

/// One way to write a function. `op` is the row of the registry that it is about.
struct Spelling {
  const char* name;
  const char* op;
  Tensor (*call)(const Tensor& x);
};

enum class Kind : uint8_t {
  Pointwise,  ///< y[i] = f(x[i]): every entry of x is a point of its own
  OfVector,   ///< x is one point
};

/// A function at its special points. All its spellings agree in value, in reverse and forward mode
/// and in every order stated, for every layout and dtype, bit for bit; only zeros of both signs
/// count as equal, as do all NaN.
struct Row {
  const char* family;
  const char* function;
  Rule rule;
  Kind kind;
  std::vector<int64_t> sizes;  ///< of x
  Numbers x;
  Numbers value;
  /// Order 1, 2, ... of the sum of the result: each is differentiated along (1, 1, ...).
  std::vector<Numbers> derivatives;
  std::vector<Spelling> spellings;
  const char* cases = "";     ///< regression cases of the same point
  const char* libtorch = "";  ///< what LibTorch 2.7 has where that differs
  const char* note = "";      ///< for compositions that do not follow the rule: why
};

/// Rows over a list of points, and over one vector.
Row pointwise(const char* family, const char* function, Rule rule, Numbers x, Numbers value,
              std::vector<Numbers> derivatives, std::vector<Spelling> spellings,
              const char* cases = "", const char* libtorch = "");
Row of_vector(const char* family, const char* function, Rule rule, Numbers x, Numbers value,
              std::vector<Numbers> derivatives, std::vector<Spelling> spellings,
              const char* cases = "");

/// All rows, by family.
const std::vector<Row>& rows();

// One file per family.
std::vector<Row> bounds();
std::vector<Row> ties();
std::vector<Row> powers();
std::vector<Row> selections();
std::vector<Row> domain_ends();
std::vector<Row> divergences();
std::vector<Row> activations();

/// Whether the operator, named as in the registry, differentiates the element at the index that it
/// returns (R8).
bool follows_index(std::string_view op);
/// Whether some row is about the operator.
bool has_row(std::string_view op);

}  // namespace notape::verify::atlas
