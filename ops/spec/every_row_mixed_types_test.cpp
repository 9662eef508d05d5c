// Every operator of the registry with operands of different types, in every argument position: it
// computes what it would with operands of one type, or it raises. Kernels read memory without
// looking at types again, so one that is handed another type than it expects reads garbage.
#include <gtest/gtest.h>

#include <optional>

#include "ops/ops.h"
#include "ops/spec/testing/drawn_row.h"

namespace notape::testing {
namespace {

constexpr ScalarType kEveryType[] = {kBool,  kUInt8, kInt8,    kInt16,
                                     kInt32, kInt64, kFloat32, kFloat64};

/// Results and gradients, or none if the operator has raised.
using Outcome = std::optional<variable_list>;

/// The result, its gradients with respect to the arguments that are floating in `as`, too, and
/// those of their squares; undefined where there is none.
variable_list results_of(const OpCase& one, variable_list arguments, const variable_list& as) {
  variable_list inputs;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    arguments[i] = arguments[i].clone();
    if (as[i].is_floating_point() && arguments[i].is_floating_point())
      inputs.push_back(arguments[i].requires_grad_());
  }
  manual_seed(3);
  variable_list results{one.call(arguments)};
  if (!results[0].requires_grad()) {
    results.resize(1 + 2 * arguments.size());
    return results;
  }
  const variable_list slopes = autograd::grad({results[0].sum()}, inputs, {}, {}, true, true);
  Tensor squares;
  for (const Tensor& slope : slopes) {
    if (!slope.defined() || !slope.requires_grad()) continue;
    const Tensor more = slope.square().sum().to(kFloat64);
    squares = squares.defined() ? squares + more : more;
  }
  const variable_list seconds = squares.defined()
                                    ? autograd::grad({squares}, inputs, {}, {}, false, true)
                                    : variable_list(inputs.size());
  for (const variable_list* list : {&slopes, &seconds}) {
    std::size_t next = 0;
    for (const Tensor& argument : arguments)
      results.push_back(argument.requires_grad() ? list->at(next++) : Tensor());
  }
  return results;
}

Outcome outcome_of(const OpCase& one, const variable_list& arguments, const variable_list& as) {
  try {
    return results_of(one, arguments, as);
  } catch (const Error&) {
    return {};
  }
}

/// Whether the second is the first but for rounding to float32, on the way and in the end, where
/// that is not infinite or huge.
bool agrees(const Tensor& exact, const Tensor& rounded) {
  if (!(exact.sizes() == rounded.sizes())) return false;
  for (int64_t i = 0; i < exact.numel(); ++i) {
    const double want = exact.reshape({-1})[i].item();
    const double got = rounded.reshape({-1})[i].to(kFloat64).item();
    if (std::abs(want) < 1e30 && !(std::abs(want - got) <= 1e-3 * (1 + std::abs(want))))
      return false;
  }
  return true;
}

/// The arguments with numbers of one type.
variable_list all_of(ScalarType type, const OpCase& one, const variable_list& arguments) {
  variable_list result;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    result.push_back(arguments[i].to(one.arguments[i].kind == Argument::Kind::Real    ? type
                                     : one.arguments[i].kind == Argument::Kind::Index ? kInt64
                                                                                      : kBool));
  return result;
}

/// Whether an argument of this kind means something else in this type: positions or a mask.
bool means_something_else(Argument::Kind kind, ScalarType type) {
  const bool is_mask = type == kBool || type == kUInt8;
  return (kind == Argument::Kind::Index && is_mask) ||
         (kind == Argument::Kind::Bool && is_integral(type) && !is_mask);
}

struct Tally {
  int64_t computed = 0, refused = 0, slopes = 0;
};

void compare(const OpCase& one, const variable_list& arguments, Tally& tally) {
  const Outcome mixed = outcome_of(one, arguments, arguments);
  if (!mixed) {
    ++tally.refused;
    return;
  }
  ++tally.computed;
  const Tensor& result = mixed->front();
  if (result.dtype() == kBool) return;
  const ScalarType type = result.is_floating_point() ? kFloat64 : result.dtype();
  const Outcome exact = outcome_of(one, all_of(type, one, arguments), arguments);
  ASSERT_TRUE(exact);
  EXPECT_TRUE(agrees(exact->front(), result)) << "gives\n"
                                              << result << "\ninstead of\n"
                                              << exact->front();
  if (!result.is_floating_point()) return;
  for (std::size_t k = 1; k < exact->size(); ++k) {
    const Tensor &want = exact->at(k), &got = mixed->at(k);
    const std::size_t i = (k - 1) % arguments.size();
    if (!arguments[i].is_floating_point() || !want.defined() || !got.defined()) continue;
    ++tally.slopes;
    EXPECT_EQ(got.dtype(), arguments[i].dtype());
    EXPECT_TRUE(agrees(want, got)) << "derivative " << k << " is\n"
                                   << got << "\ninstead of\n"
                                   << want;
  }
}

class RowWithMixedTypes : public ::testing::TestWithParam<const OpSpec*> {};

TEST_P(RowWithMixedTypes, ComputesAsWithOperandsOfOneTypeOrRaises) {
  const OpSpec& spec = *GetParam();
  Tally tally;
  for (uint64_t seed = 0; seed < 16; ++seed) {
    DrawOfSeed draw(seed);
    const OpCase one = spec.draw(draw);
    variable_list drawn;
    for (const Argument& argument : one.arguments) drawn.push_back(draw_argument(argument, draw));
    for (const ScalarType others : {kFloat64, kFloat32, kInt64})
      for (std::size_t i = 0; i < drawn.size(); ++i)
        for (const ScalarType type : kEveryType) {
          if (means_something_else(one.arguments[i].kind, type)) continue;
          variable_list arguments;
          for (std::size_t k = 0; k < drawn.size(); ++k) {
            const bool is_real = one.arguments[k].kind == Argument::Kind::Real;
            arguments.push_back(k == i    ? drawn[k].to(type)
                                : is_real ? drawn[k].to(others)
                                          : drawn[k]);
          }
          SCOPED_TRACE(format_message("{}, argument {} {}, others {}",
                                      {one.label, i, name_of(type), name_of(others)}));
          compare(one, arguments, tally);
        }
  }
  EXPECT_GT(tally.computed, 0);
  const bool forgets = std::string_view(spec.name) == "fill";  // what it overwrites
  EXPECT_TRUE(tally.slopes > 0 || spec.order == 0 || forgets);
}

INSTANTIATE_TEST_SUITE_P(Of, RowWithMixedTypes, ::testing::ValuesIn(op_specs()),
                         [](const auto& row) { return std::string(row.param->name); });

}  // namespace
}  // namespace notape::testing
