// Every operator of the registry inside a user function: what it computes there is marked as having
// lost its derivative exactly where it would have had one outside. And none hands a pointer out.
#include <gtest/gtest.h>

#include "autograd/autograd.h"
#include "autograd/graph/unrecorded.h"
#include "autograd/modes/thread_state.h"
#include "ops/ops.h"
#include "ops/spec/testing/drawn_row.h"

namespace notape::testing {
namespace {

struct Seen {
  const OpCase* one;
  bool is_marked = false, is_marked_through_alias = false;
};

/// Calls the operator in its forward and looks at the mark of what it gives.
struct Looks : autograd::Function<Looks> {
  static Tensor forward(autograd::AutogradContext*, const variable_list& arguments, Seen* seen) {
    const Tensor result = seen->one->call(arguments);
    const uint32_t call = thread_state.forward_call;
    seen->is_marked = is_unrecorded(result.impl(), call);
    seen->is_marked_through_alias = is_unrecorded(result.detach().impl(), call);
    return zeros({}, kFloat64);
  }
  static variable_list backward(autograd::AutogradContext*, variable_list) { return {}; }
};

variable_list arguments_of(const OpCase& one, DrawOfSeed& draw) {
  variable_list arguments;
  for (const Argument& argument : one.arguments) {
    arguments.push_back(draw_argument(argument, draw));
    if (argument.kind == Argument::Kind::Real) arguments.back().requires_grad_();
  }
  return arguments;
}

/// Whether a derivative is lost with its history: not if it is an argument itself, as the
/// contiguous form of a contiguous tensor is, or a constant, as what was filled is.
bool depends_on_more_than_itself(const Tensor& result, const variable_list& arguments) {
  bool depends = false;
  for (const Tensor& argument : arguments) {
    if (&argument.impl() == &result.impl()) return false;
    if (!argument.requires_grad()) continue;
    const Tensor gradient = autograd::grad({result}, {argument}, {randn_like(result)}, true, false,
                                           /*allow_unused=*/true)[0];
    depends = depends || (gradient.defined() && abs(gradient).sum().item() != 0);
  }
  return depends;
}

TEST(EveryRow, LeavesItsMarkInsideAUserFunctionWhereItWouldRecordOutside) {
  int64_t marked = 0;
  for (const OpSpec* spec : op_specs())
    for (uint64_t seed = 0; seed < 3; ++seed) {
      DrawOfSeed draw(seed);
      const OpCase one = spec->draw(draw);
      SCOPED_TRACE(std::string(spec->name) + ", " + one.label);
      const variable_list arguments = arguments_of(one, draw);
      bool needs = false;
      for (const Tensor& argument : arguments) needs |= argument.requires_grad();
      if (!needs) continue;
      const Tensor outside = one.call(arguments);
      if (outside.numel() == 0) continue;
      Seen seen{&one};
      Looks::apply(arguments, &seen);
      const bool is_lost =
          outside.requires_grad() && depends_on_more_than_itself(outside, arguments);
      EXPECT_TRUE(seen.is_marked || !is_lost);
      EXPECT_TRUE(seen.is_marked_through_alias || !is_lost);
      EXPECT_TRUE(outside.requires_grad() || !seen.is_marked);
      marked += seen.is_marked;
    }
  EXPECT_GT(marked, 150);  // of some 250 that are tried
}

TEST(EveryRow, HandsNoPointerToItsMemoryOut) {
  for (const OpSpec* spec : op_specs())
    for (uint64_t seed = 0; seed < 2; ++seed) {
      DrawOfSeed draw(seed);
      const OpCase one = spec->draw(draw);
      SCOPED_TRACE(std::string(spec->name) + ", " + one.label);
      const variable_list arguments = arguments_of(one, draw);
      const Tensor result = one.call(arguments);
      EXPECT_FALSE(result.impl().storage()->is_foreign());
      if (result.requires_grad()) result.sum().backward();
      for (const Tensor& argument : arguments) {
        EXPECT_FALSE(argument.impl().storage()->is_foreign());
        if (argument.grad().defined()) {
          EXPECT_FALSE(argument.grad().impl().storage()->is_foreign());
        }
      }
    }
}

}  // namespace
}  // namespace notape::testing
