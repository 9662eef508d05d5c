// A row states what its operator does with the places of entries, because that is what mistakes are
// planted by. What can be measured is held against what is stated, so that no new operator goes
// without the mistakes that are made in its like.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "autograd/autograd.h"
#include "autograd/testing/expect.h"
#include "ops/ops.h"
#include "verify/generate/drawn_case.h"
#include "verify/mutate/mutant.h"

namespace notape::verify::mutate {
namespace {

using notape::testing::values;

constexpr uint64_t kCases = 60;

DrawnCase drawn_from(const OpSpec& spec, uint64_t seed) {
  ChoiceDraw draw{rc::Random(seed)};
  return draw_case(spec, draw, kFloat64);
}

/// The arguments as drawn, but for those entries of the first that are given.
variable_list inputs_of(const DrawnCase& drawn, const Numbers& first) {
  variable_list inputs;
  for (const DrawnArgument& one : drawn.arguments)
    inputs.push_back(
        make_tensor(inputs.empty() ? first : one.values, one.argument.sizes, one.dtype(kFloat64)));
  return inputs;
}
/// In the argument's domain, and no two equal.
Numbers distinct(const DrawnCase& drawn, uint32_t stream) {
  const Domain& domain = drawn.arguments[0].argument.domain;
  Numbers result(drawn.arguments[0].values.size());
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = domain.low + (domain.high - domain.low) *
                                 std::ldexp(keyed_bits(drawn.key, stream, i) + 0.5, -32);
  return result;
}
Numbers sum_of(const Numbers& a, const Numbers& b) {
  Numbers result(a.size());
  std::transform(a.begin(), a.end(), b.begin(), result.begin(), std::plus<>());
  return result;
}

/// What is true of all cases seen so far.
struct Measured {
  bool copies = true;      ///< each result entry is one of the input's, whatever their values
  bool is_linear = true;   ///< and of the input's size
  bool overwrites = true;  ///< each result entry is the input's at its place, or does not know it

  // What some case shows.
  bool permutes = false, repeats = false, drops = false, is_asymmetric = false, loses = false;

  void add(const DrawnCase& drawn) {
    const Numbers a = distinct(drawn, 91), b = distinct(drawn, 92);
    const auto result = [&](const Numbers& first) {
      return values(drawn.op.call(inputs_of(drawn, first)));
    };
    const Numbers of_a = result(a), of_b = result(b);
    see_overwriting(a, of_a, of_b, drawn.op.call_in_place != nullptr);
    if (drawn.arguments.size() > 1 && drawn.arguments[1].is_real()) {
      copies = is_linear = false;
      return;
    }
    see_copying(a, b, of_a, of_b);
    const Numbers of_sum = result(sum_of(a, b)), expected = sum_of(of_a, of_b);
    is_linear = is_linear && of_a.size() == a.size();
    for (std::size_t i = 0; is_linear && i < expected.size(); ++i)
      is_linear = std::abs(of_sum[i] - expected[i]) <= 1e-12 * (1 + std::abs(expected[i]));
    if (is_linear && !copies) see_symmetry(a.size(), result);
  }

 private:
  void see_overwriting(const Numbers& a, const Numbers& of_a, const Numbers& of_b,
                       bool is_in_place) {
    overwrites = overwrites && is_in_place && of_a.size() == a.size();
    for (std::size_t i = 0; overwrites && i < a.size(); ++i) {
      overwrites = of_a[i] == a[i] || of_a[i] == of_b[i];
      loses = loses || of_a[i] != a[i];
    }
  }
  void see_copying(const Numbers& a, const Numbers& b, const Numbers& of_a, const Numbers& of_b) {
    std::vector<int> times(a.size());
    bool in_order = true;
    copies = copies && of_a.size() == of_b.size();
    for (std::size_t i = 0; copies && i < of_a.size(); ++i) {
      const auto from =
          static_cast<std::size_t>(std::find(a.begin(), a.end(), of_a[i]) - a.begin());
      copies = from < a.size() && of_b[i] == b[from];
      if (!copies) return;
      ++times[from];
      in_order = in_order && from == i;
    }
    if (!copies || of_a.empty()) return;
    const auto [least, most] = std::minmax_element(times.begin(), times.end());
    repeats = repeats || *most > 1;
    drops = drops || *least == 0;
    permutes = permutes || (*least == 1 && *most == 1 && !in_order);
  }
  template <typename F>
  void see_symmetry(std::size_t n, F result) {
    std::vector<Numbers> columns;
    for (std::size_t i = 0; i < n; ++i) {
      Numbers unit(n);
      unit[i] = 1;
      columns.push_back(result(unit));
    }
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < i; ++k)
        is_asymmetric = is_asymmetric || std::abs(columns[i][k] - columns[k][i]) > 1e-9;
  }
};

TEST(Traits, ARowStatesWhatItDoesWithPlaces) {
  for (const OpSpec* spec : op_specs()) {
    SCOPED_TRACE(spec->name);
    Measured measured;
    for (uint64_t seed = 1; seed <= kCases; ++seed) {
      const DrawnCase drawn = drawn_from(*spec, seed);
      if (!drawn.arguments[0].argument.fixed) measured.add(drawn);
    }
    const auto states = [&](Trait traits) { return has_trait(spec->traits, traits); };
    if (measured.copies) {
      if (measured.permutes) {
        EXPECT_TRUE(states(Trait::Permutes | Trait::Slices | Trait::Overlaps | Trait::Gathers))
            << "it permutes entries";
      }
      if (measured.repeats) {
        EXPECT_TRUE(states(Trait::Broadcasts | Trait::Gathers | Trait::Overlaps))
            << "it repeats entries";
      }
      if (measured.drops) {
        EXPECT_TRUE(states(Trait::Slices | Trait::Locates | Trait::Overlaps))
            << "it leaves entries out";
      }
    }
    if (measured.is_linear && measured.is_asymmetric) {
      EXPECT_TRUE(states(Trait::Scans | Trait::Permutes)) << "its matrix is not its transpose";
    }
    if (measured.overwrites && measured.loses) {
      EXPECT_TRUE(states(Trait::Overwrites)) << "it overwrites entries";
    }
  }
}

TEST(Traits, EveryMistakeOfATraitHasAPlaceInEveryRowThatStatesIt) {
  for (const Mutant& mutant : all_mutants())
    for (const OpSpec* spec : op_specs()) {
      if (!has_trait(spec->traits, mutant.at)) continue;
      bool has_place = false;
      for (uint64_t seed = 1; seed <= kCases && !has_place; ++seed) {
        const DrawnCase drawn = drawn_from(*spec, seed);
        has_place = mutant.plant(Target(*spec, drawn.op)).has_value();
      }
      EXPECT_TRUE(has_place) << mutant.id << " (" << mutant.what << ") in " << spec->name;
    }
}

}  // namespace
}  // namespace notape::verify::mutate
