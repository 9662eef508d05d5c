// A row states what its operator does with the places of entries, because that is what mistakes are
// planted by. What can be measured is held against what is stated, so that no new operator goes
// without the mistakes that are made in its like.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "autograd/autograd.h"
#include "autograd/testing/expect.h"
#include "ops/ops.h"
#include "verify/checks/check.h"
#include "verify/generate/drawn_case.h"
#include "verify/mutate/mutant.h"
#include "verify/mutate/specimens.h"

namespace notape::verify::mutate {
namespace {

using notape::testing::values;

constexpr uint64_t kCases = 60;

bool is_elementwise(const OpSpec& spec) { return std::string_view(spec.family) == "elementwise"; }

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
  bool clamps = true;      ///< each result entry is the input's at its place, or a constant there

  // What some case shows.
  bool permutes = false, repeats = false, drops = false, is_asymmetric = false, loses = false;
  bool adds_up = false;    ///< a result entry depends on several input entries, or several on one
  bool reduces = false;    ///< one depends on several and not on all
  bool compounds = false;  ///< twice the input is eight times the result, or more
  bool averages = false;   ///< the derivative by each of several entries is one over their number
  bool bounds = false;     ///< by its value, an entry is kept or not

  void add(const DrawnCase& drawn) {
    const Numbers a = distinct(drawn, 91), b = distinct(drawn, 92);
    const auto result = [&](const Numbers& first) {
      return values(drawn.op.call(inputs_of(drawn, first)));
    };
    const Numbers of_a = result(a), of_b = result(b);
    see_overwriting(a, of_a, of_b, drawn.op.call_in_place != nullptr);
    see_clamping(a, b, of_a, of_b, result(nudged(a)));
    see_dependence(a, of_a, result);
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
  static Numbers nudged(const Numbers& a) {
    Numbers moved = a;
    for (double& one : moved) one += 1e-7;
    return moved;
  }
  void see_clamping(const Numbers& a, const Numbers& b, const Numbers& of_a, const Numbers& of_b,
                    const Numbers& of_nudged) {
    clamps = clamps && of_a.size() == a.size();
    for (std::size_t i = 0; clamps && i < a.size(); ++i) {
      clamps = of_a[i] == a[i] || of_a[i] == of_nudged[i];
      bounds = bounds || (of_a[i] == a[i]) != (of_b[i] == b[i]);
    }
  }
  /// Which result entries change with which input entry.
  template <typename F>
  void see_dependence(const Numbers& a, const Numbers& of_a, F result) {
    constexpr double kStep = 1e-4;
    std::vector<int> inputs_of(of_a.size());
    Numbers slopes;
    for (std::size_t i = 0; i < a.size(); ++i) {
      Numbers moved = a;
      moved[i] += kStep;
      const Numbers there = result(moved);
      int reached = 0;
      for (std::size_t o = 0; o < of_a.size(); ++o) {
        if (there[o] == of_a[o] || (std::isnan(there[o]) && std::isnan(of_a[o]))) continue;
        ++reached, ++inputs_of[o];
        slopes.push_back((there[o] - of_a[o]) / kStep);
      }
      adds_up = adds_up || reached > 1;
    }
    if (inputs_of.empty()) return;
    const int most = *std::max_element(inputs_of.begin(), inputs_of.end());
    adds_up = adds_up || most > 1;
    reduces = reduces || (most > 1 && static_cast<std::size_t>(most) < a.size());
    if (most < 2) return;
    averages = averages || std::all_of(slopes.begin(), slopes.end(), [&](double slope) {
                 return std::abs(slope * most - 1) < 1e-6;
               });
    Numbers twice = a;
    for (double& one : twice) one *= 2;
    const Numbers of_twice = result(twice);
    bool is_power = most > 2;
    for (std::size_t o = 0; is_power && o < of_a.size(); ++o)
      is_power =
          of_a[o] != 0 && std::abs(of_twice[o] / of_a[o] - std::ldexp(1., inputs_of[o])) < 1e-9;
    compounds = compounds || is_power;
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
      if (drawn.arguments[0].argument.fixed) continue;
      try {
        measured.add(drawn);
      } catch (const ValueError&) {  // it does not take the numbers that are put in
        break;
      }
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
    if (measured.clamps && measured.bounds) {
      EXPECT_TRUE(states(Trait::Clamps)) << "it gives an entry, or a constant beyond a bound";
    }
    if (measured.adds_up && !is_elementwise(*spec)) {
      EXPECT_TRUE(states(kAddsUp)) << "it adds up, in its value or its gradient";
    }
    if (measured.reduces) {
      EXPECT_TRUE(
          states(Trait::Reduces | Trait::Multiplies | Trait::Convolves | Trait::Accumulates))
          << "it makes a result of several entries, and not of all";
    }
    EXPECT_EQ(measured.compounds, states(Trait::Compounds)) << "whether it multiplies its entries";
    if (measured.averages) {
      EXPECT_TRUE(states(Trait::Averages)) << "it takes means";
    }
  }
}

// Checks and mistakes for elementwise operators go by the family.
TEST(Traits, WhatIsElementwiseByItsReferenceIsOfThatFamilyOrOverwrites) {
  for (const OpSpec* spec : op_specs()) {
    const DrawnCase drawn = drawn_from(*spec, 1);
    if (drawn.op.reference.is_elementwise) {
      EXPECT_TRUE(is_elementwise(*spec) || has_trait(spec->traits, Trait::Overwrites))
          << spec->name;
    }
    EXPECT_TRUE(is_built_in(*spec)) << spec->name << ": a family that no check knows";
  }
}

TEST(Traits, ARowStatesMeansThatItsCasesTake) {
  for (const OpSpec* spec : op_specs())
    for (uint64_t seed = 1; seed <= kCases; ++seed) {
      if (drawn_from(*spec, seed).op.averaged == 1) continue;
      EXPECT_TRUE(has_trait(spec->traits, Trait::Averages)) << spec->name;
      break;
    }
}

// Also of the traits that follow from a row's arguments: kinks, an order, broadcasting.
TEST(Traits, EveryMistakeOfATraitHasAPlaceInEveryRowThatHasIt) {
  for (const OpSpec* spec : op_specs()) {
    std::vector<DrawnCase> cases;
    Trait traits = spec->traits;
    for (uint64_t seed = 1; seed <= kCases; ++seed) {
      cases.push_back(drawn_from(*spec, seed));
      traits = traits | Target(*spec, cases.back().op).traits;
    }
    for (const Mutant& mutant : all_mutants()) {
      if (!has_trait(traits, mutant.at)) continue;
      EXPECT_TRUE(std::any_of(
          cases.begin(), cases.end(),
          [&](const DrawnCase& one) { return mutant.plant(Target(*spec, one.op)).has_value(); }))
          << mutant.id << " (" << mutant.what << ") in " << spec->name;
    }
  }
}

// A name that no row has any more would silently plant nothing.
TEST(Traits, EveryMistakeInOneFormulaHasAPlaceInEachOperatorThatItNames) {
  SpecList all = op_specs();
  all.insert(all.end(), specimens().begin(), specimens().end());
  for (const Mutant& mutant : all_mutants())
    for (const std::string_view name : mutant.of) {
      bool has_place = false;
      for (const OpSpec* spec : all)
        for (uint64_t seed = 1; spec->name == name && seed <= kCases && !has_place; ++seed)
          has_place = mutant.plant(Target(*spec, drawn_from(*spec, seed).op)).has_value();
      EXPECT_TRUE(has_place) << mutant.id << " (" << mutant.what << ") in " << name;
    }
}

}  // namespace
}  // namespace notape::verify::mutate
