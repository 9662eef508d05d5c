// Mutant: one standard mistake in derivatives, as something that can be planted into operators.
#pragma once
#include <optional>
#include <string_view>

#include "verify/checks/subject.h"
#include "verify/mutate/truth.h"
#include "verify/mutate/wrongness.h"

namespace notape::verify::mutate {

/// Where a planted rule stands when it is asked.
struct Site {
  const Truth& right;
  std::size_t argument;          ///< the one with this gradient, or tangent
  const variable_list& x;        ///< saved values of the arguments
  const variable_list& handles;  ///< the arguments as the operator was given them
};

/// What an operator answers instead of the right derivative; an empty rule answers right.
struct Rules {
  using Rule = std::function<Tensor(const Site& site, const Tensor& given)>;
  Rule reverse = {};       ///< incoming gradient -> gradient of the argument
  Rule forward = {};       ///< tangent of the argument -> its part of the result's
  bool unchecked = false;  ///< reads the handles and does not notice writes to them

  static Rules both(const Rule& rule) { return {rule, rule}; }
};

/// What adds up, in its value or in its gradient, has one of these.
inline constexpr Trait kAddsUp = Trait::Accumulates | Trait::Reduces | Trait::Multiplies |
                                 Trait::Convolves | Trait::Broadcasts | Trait::Gathers |
                                 Trait::Overlaps;

/// A call of an operator that a mutant may be planted into.
struct Target {
  std::string_view name, family;
  Trait traits;  ///< those of the row, and those that the arguments of this case state
  const OpCase& op;
  std::vector<std::size_t> real;  ///< the arguments that have derivatives

  Target(const OpSpec& spec, const OpCase& drawn);
  bool is(Trait one) const { return has_trait(traits, one); }
  const std::vector<int64_t>& sizes(std::size_t i) const { return op.arguments[i].sizes; }
  /// The first two arguments with derivatives and equal sizes.
  std::optional<std::pair<std::size_t, std::size_t>> pair() const;
};

struct Mutant {
  const char* id;                      ///< "M02"; a letter tells two forms of one mistake apart
  const char* what;                    ///< "wrong sign"
  const char* leg = "reverse";         ///< the check that is meant to see it
  const char* needs = "a derivative";  ///< what operators without a place for it lack
  const char* harmless = "the derivative is zero";  ///< why it may be no mistake in an operator
  Trait at = Trait::None;  ///< every row that has one of these has a place for the mistake
  /// Only these rows or specimens: the mistake is one in their very formula.
  std::vector<std::string_view> of = {};
  /// The wrong rules for this call; none if the mistake has no place in it.
  std::function<std::optional<Rules>(const Target&)> plant = {};
  /// Whether the planted operator is wrong, where comparing derivatives does not show it.
  std::function<bool(const Subject& right)> is_wrong = {};
  /// Restricts the inputs to those at which the mistake is hard to see.
  std::function<void(DrawnCase&)> prepare = {};
  bool baseline = false;      ///< one of the 21 that must all be found
  bool float64_only = false;  ///< too small for float32
};

/// All that can be planted into operators, by id.
const std::vector<Mutant>& all_mutants();
/// No mistake at all, planted like one: for counting false alarms.
const Mutant& no_mutant();

/// `spec` with the mutant planted into every call that has a place for it. Keeps a reference to it.
OpSpec plant(const OpSpec& spec, const Mutant& mutant);

// The tables of all_mutants(), each in the file of its name.
void add_gradient_mutants(std::vector<Mutant>& all);
void add_formula_mutants(std::vector<Mutant>& all);
void add_shape_mutants(std::vector<Mutant>& all);
void add_precision_mutants(std::vector<Mutant>& all);
void add_memory_mutants(std::vector<Mutant>& all);
void add_mode_mutants(std::vector<Mutant>& all);
void add_kink_mutants(std::vector<Mutant>& all);
void add_invariance_mutants(std::vector<Mutant>& all);

}  // namespace notape::verify::mutate
