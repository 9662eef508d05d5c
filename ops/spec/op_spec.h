// OpSpec: an operator's row in the registry. verify/ walks the rows, documentation lists them, and
// coverage is counted from them. A row says how to call the operator in random valid ways, and has
// a plain reference in extended precision.
#pragma once
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "autograd/tensor/tensor.h"
#include "ops/spec/reference.h"

namespace notape {

/// Where the entries of a real argument may lie. The ends themselves are allowed values.
struct Domain {
  double low = -3, high = 3;
  /// Points where the derivative jumps, with a distance that random entries keep from them.
  std::vector<double> kinks = {};
  double kink_distance = 1e-3;
};

/// One tensor argument of a case.
struct Argument {
  enum class Kind : uint8_t { Real, Index, Bool };
  std::vector<int64_t> sizes;
  Domain domain = {};
  Kind kind = Kind::Real;
  int64_t index_bound = 0;  ///< indices are in [0, index_bound)
  bool distinct = false;    ///< entries well apart, so that no two tie (max, sort, ...)
  std::optional<std::vector<double>> fixed = {};  ///< these entries, none are drawn

  static Argument index(std::vector<int64_t> sizes, int64_t bound) {
    return {.sizes = std::move(sizes), .kind = Kind::Index, .index_bound = bound};
  }
  static Argument boolean(std::vector<int64_t> sizes) {
    return {.sizes = std::move(sizes), .kind = Kind::Bool};
  }
};

/// One way of calling an operator: shapes and parameters fixed, values still to be drawn.
struct OpCase {
  std::string label;  ///< the parameters in words: "dim=1, keepdim"
  std::vector<Argument> arguments;
  /// The operator itself: its differentiable result, or joined_results() of several.
  std::function<Tensor(const variable_list&)> call;
  /// Its in-place form on arguments[0], if there is one.
  std::function<void(variable_list&)> call_in_place = {};
  /// The same function, written plainly for any kind of number. An operator without one is opaque:
  /// its value cannot be judged, and its own values in float64 are what is differenced.
  Reference reference = {};
  /// What it gives besides and without a derivative, indices or running statistics, and the same
  /// plainly.
  std::function<Tensor(const variable_list&)> beside = {};
  Reference beside_reference = {};
  int64_t averaged = 1;  ///< how many terms each entry of the result is the mean of
  /// Derivatives may be off by this much besides: atol + rtol |derivative|.
  double atol = 0, rtol = 0;
};

/// Where the random choices of a case come from.
class Draw {
 public:
  virtual ~Draw() = default;
  /// A whole number in [low, high]; shrinks toward `low`.
  virtual int64_t integer(int64_t low, int64_t high) = 0;

  bool boolean() { return integer(0, 1) != 0; }
  /// A real in [low, high] on a coarse grid, for scalar parameters.
  double real(double low, double high) {
    return low + (high - low) * static_cast<double>(integer(0, 64)) / 64;
  }
  /// Rank in [min_rank, max_rank], sizes in [min_size, max_size].
  std::vector<int64_t> shape(int min_rank, int max_rank, int64_t min_size = 0,
                             int64_t max_size = 4);
  /// A shape that broadcasts with `full`: some dimensions 1, some leading ones dropped.
  std::vector<int64_t> broadcast_of(const std::vector<int64_t>& full);
  /// A dimension of a tensor of this rank, possibly counted from the end; 0 for rank 0.
  int64_t dimension(int64_t rank);
};

/// What an operator does with its entries and their places: verify/ plants the mistakes that are
/// made there, and measures whether a row leaves one of these out (verify/mutate/traits_test.cpp).
enum class Trait : uint32_t {
  None = 0,
  Multiplies = 1 << 0,  ///< the matrices in its first two arguments
  Batches = 1 << 1,     ///< matrices of either argument for several of the other
  Broadcasts = 1 << 2,  ///< an argument of another size than the result; elementwise ones all do
  Locates = 1 << 3,     ///< reads or writes at a place that is named
  Gathers = 1 << 4,     ///< entries at places of which some may be the same
  Overlaps = 1 << 5,    ///< windows that share entries
  Slices = 1 << 6,      ///< a part without gaps, at least along one dimension
  Steps = 1 << 7,       ///< entries at a fixed distance
  Convolves = 1 << 8,
  Pads = 1 << 9,
  Scans = 1 << 10,  ///< each entry from those before it
  Permutes = 1 << 11,
  Joins = 1 << 12,
  Overwrites = 1 << 13,   ///< entries of its first argument, whose type the result keeps
  Clamps = 1 << 14,       ///< gives an entry as it is, or a constant if it lies beyond a bound
  Reduces = 1 << 15,      ///< or scans: makes results of the entries along some or all dimensions
  Accumulates = 1 << 16,  ///< adds terms up in another way, be it in its gradient alone
  Compounds = 1 << 17,  ///< multiplies entries by each other: many soon leave the range of numbers
  Averages = 1 << 18,   ///< in cases that say so (OpCase::averaged)

  // What no row states, because the arguments of its cases do (verify/mutate/mutant.cpp).
  HasKinks = 1 << 19,
  Orders = 1 << 20,  ///< which entry is larger decides
};
constexpr Trait operator|(Trait a, Trait b) {
  return static_cast<Trait>(static_cast<uint32_t>(a) | static_cast<uint32_t>(b));
}
constexpr bool has_trait(Trait traits, Trait one) {
  return (static_cast<uint32_t>(traits) & static_cast<uint32_t>(one)) != 0;
}

struct OpSpec {
  const char* name;
  const char* family;
  std::function<OpCase(Draw&)> draw;
  Trait traits = Trait::None;
  /// How many times the operator can be differentiated; kAnyOrder if its rules are differentiable.
  int order = kAnyOrder;
  bool forward_mode = true;  ///< whether it has a forward-mode derivative
  bool float32 = true;       ///< whether it takes float32; float64 it always does
  std::source_location at = std::source_location::current();

  static constexpr int kAnyOrder = std::numeric_limits<int>::max();
};

/// All rows, by family and name. The first call sorts them.
const std::vector<const OpSpec*>& op_specs();
/// Throws UnknownOperator.
const OpSpec& find_op_spec(std::string_view name);

/// Declares a row: `const RegisterOp row({.name = "tanh", ...});` at namespace scope.
class RegisterOp {
 public:
  RegisterOp(OpSpec spec);
  RegisterOp(const RegisterOp&) = delete;
  RegisterOp& operator=(const RegisterOp&) = delete;

 private:
  OpSpec spec_;
};

}  // namespace notape
