// Variable flags: 2017 paper, 2, and the Autograd mechanics note.
#include <gmock/gmock.h>

#include "ops/ops.h"
#include "paper_examples/nn/linear.h"
#include "paper_examples/programs.h"
#include "paper_examples/testing/output_of.h"

namespace notape::paper {
namespace {

TEST(Flags, B01_SumOfPlainVariablesDoesNotRequireGradAndWithOneThatDoesItDoes) {
  Variable x = randn({5, 5}), y = randn({5, 5}), z = randn({5, 5}, requires_grad(true));
  Variable a = x + y;
  Variable b = a + z;
  EXPECT_FALSE(a.requires_grad());
  EXPECT_TRUE(b.requires_grad());
}

TEST(Flags, B01_TheProgramPrintsTheTruthTable) {
  const Output output = output_of(flags);
  EXPECT_EQ(output.status, 0);
  EXPECT_THAT(output.text, ::testing::HasSubstr(
                               "    requires grad  requires grad  requires grad       volatile\n"));
}

enum Kind { kPlain, kRequiresGrad, kVolatile, kKinds };

Variable make(int kind) {
  return make_variable(full({3}, 0.5), kind == kRequiresGrad, kind == kVolatile);
}

TEST(Flags, A16_AnyVolatileInputMakesTheOutputVolatileElseAnyRequiresGrad) {
  struct Case {
    const char* name;
    int operands;
    std::function<Variable(const std::vector<Variable>&)> apply;
  };
  const Case cases[] = {
      {"tanh", 1, [](const auto& v) { return v[0].tanh(); }},
      {"view", 1,
       [](const auto& v) {
         return v[0].view({1, 3});
       }},
      {"mul", 2, [](const auto& v) { return v[0] * v[1]; }},
      {"dot", 2, [](const auto& v) { return dot(v[0], v[1]); }},
      {"addcmul", 3, [](const auto& v) { return addcmul(v[0], v[1], v[2]); }},
      {"cat", 3, [](const auto& v) { return cat(v); }},
  };
  for (const Case& tested : cases) {
    const int combinations = tested.operands == 1 ? 3 : tested.operands == 2 ? 9 : 27;
    for (int code = 0; code < combinations; ++code) {
      std::vector<Variable> inputs;
      bool any_volatile = false, any_requires_grad = false;
      for (int i = 0, rest = code; i < tested.operands; ++i, rest /= kKinds) {
        const int kind = rest % kKinds;
        inputs.push_back(make(kind));
        any_volatile |= kind == kVolatile;
        any_requires_grad |= kind == kRequiresGrad;
      }
      const bool needed = any_requires_grad && !any_volatile;
      const int64_t nodes = counters().nodes_created;
      const Variable output = tested.apply(inputs);
      SCOPED_TRACE(std::string(tested.name) + ", combination " + std::to_string(code));
      EXPECT_EQ(output.is_volatile(), any_volatile);
      EXPECT_EQ(output.requires_grad(), needed);
      EXPECT_EQ(static_cast<bool>(output.grad_fn()), needed);
      if (!needed) {
        EXPECT_EQ(counters().nodes_created, nodes);
      }
    }
  }
}

TEST(Flags, A16_VolatileUnsetsRequiresGrad) {
  Variable x = randn({2}, requires_grad(true));
  x.set_volatile(true);
  EXPECT_FALSE(x.requires_grad());
  EXPECT_THROW(x.requires_grad_(true), VolatileConflict);
}

TEST(Flags, A18_VolatileInputSavesNothingAndLeavesTheParametersAsTheyAre) {
  nn::Linear model(4, 2);
  const Variable input = make_variable(randn({3, 4}), false, true);
  const Counters before = counters();
  const Variable output = model(input).tanh().square();
  EXPECT_TRUE(output.is_volatile());
  EXPECT_FALSE(output.requires_grad());
  EXPECT_EQ(counters().nodes_created, before.nodes_created);
  EXPECT_EQ(counters().saved_bytes, before.saved_bytes);
  EXPECT_TRUE(model->weight.requires_grad());
}

}  // namespace
}  // namespace notape::paper
