// What gets recorded, and what is not even instantiated.
#include "autograd/graph/record.h"

#include <functional>
#include <set>

#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

TEST(Record, B01_RequiringGradIsInherited) {
  const Tensor x = constant({1, 2}), y = constant({3, 4}), z = leaf({5, 6});
  const Tensor a = x + y;
  EXPECT_FALSE(a.requires_grad());
  EXPECT_TRUE(a.is_leaf());
  const Tensor b = a + z;
  EXPECT_TRUE(b.requires_grad());
  EXPECT_FALSE(b.is_leaf());
  EXPECT_EQ(b.grad_fn()->name(), "AddBackward0");
}

enum Kind { kNone, kRequires, kVolatileInput };

Tensor input_of(Kind kind) {
  return make_variable(constant({1, 2}), kind == kRequires, kind == kVolatileInput);
}

void check_output(const std::vector<Kind>& kinds, const std::function<Tensor(variable_list)>& f) {
  variable_list inputs;
  bool any_volatile = false, any_requires = false;
  for (Kind kind : kinds) {
    inputs.push_back(input_of(kind));
    any_volatile |= kind == kVolatileInput;
    any_requires |= kind == kRequires;
  }
  const int64_t before = counters().nodes_created;
  const Tensor on = f(inputs);
  const bool recorded = any_requires && !any_volatile;
  EXPECT_EQ(on.is_volatile(), any_volatile);
  EXPECT_EQ(on.requires_grad(), recorded);
  EXPECT_EQ(static_cast<bool>(on.grad_fn()), recorded);
  if (kinds.size() < 3) {
    EXPECT_EQ(counters().nodes_created > before, recorded) << "not even instantiated";
  }
  const NoGradGuard no_grad;
  const Tensor off = f(inputs);
  EXPECT_EQ(off.is_volatile(), any_volatile);
  EXPECT_FALSE(off.grad_fn());
  // Views made without grad mode say what their base says.
  if (!off.is_view()) {
    EXPECT_FALSE(off.requires_grad());
  }
}

// SEMANTICS, "Flags and modes": the table over all combinations of none, requires grad, volatile.
TEST(Record, A16_TruthTableOfFlags) {
  const Kind all[] = {kNone, kRequires, kVolatileInput};
  for (Kind a : all) {
    SCOPED_TRACE(a);
    check_output({a}, [](variable_list x) { return x[0].tanh(); });
    check_output({a}, [](variable_list x) { return x[0].view({2, 1}); });
    check_output({a}, [](variable_list x) { return x[0].sum(); });
    for (Kind b : all) {
      SCOPED_TRACE(b);
      check_output({a, b}, [](variable_list x) { return x[0] * x[1]; });
      for (Kind c : all) {
        SCOPED_TRACE(c);
        check_output({a, b, c}, [](variable_list x) { return x[0] * x[1] + x[2]; });
      }
    }
  }
}

TEST(Record, A17_NothingIsCreatedWhereNoGradientIsRequired) {
  const Tensor x = constant({1, 2}), y = leaf({1, 2});
  const Counters before = counters();
  Tensor z = (x * x + 1).tanh().view({2, 1}).sum();
  z.add_(1);
  {
    const NoGradGuard no_grad;
    const Tensor w = y * y;
  }
  const Tensor mask = tensor({1, 2}) + tensor({3, 4});
  EXPECT_EQ(counters().nodes_created, before.nodes_created);
  EXPECT_EQ(counters().saved_bytes, before.saved_bytes);
}

TEST(Record, VolatileUnsetsRequiresGradAndExcludesIt) {
  const Tensor x = leaf({1, 2});
  x.set_volatile(true);
  EXPECT_FALSE(x.requires_grad());
  expect_error<VolatileConflict>("is volatile", [&] { x.requires_grad_(); });
  EXPECT_TRUE(x.detach().is_volatile()) << "detach keeps it";
  EXPECT_FALSE(x.data().is_volatile()) << "data drops it";
  x.set_volatile(false);
  x.requires_grad_();
  const Tensor y = x * 2;
  expect_error<VolatileConflict>("only leaves can be volatile", [&] { y.set_volatile(true); });
}

TEST(Record, VolatileBelongsToTheFamily) {
  const Tensor x = constant({1, 2, 3});
  const Tensor view = x.view({3, 1});
  view.set_volatile(true);
  EXPECT_TRUE(x.is_volatile());
  EXPECT_TRUE((x * 2).is_volatile());
  EXPECT_TRUE(x.view({1, 3}).is_volatile());
}

TEST(Record, SettingAViewVolatileClearsRequiresGradOfItsFamily) {
  const Tensor x = leaf({1, 2, 3});
  Tensor view;
  {
    const NoGradGuard no_grad;
    view = x.view({3, 1});
  }
  view.set_volatile(true);
  EXPECT_FALSE(x.requires_grad());
  EXPECT_TRUE(x.is_volatile());
}

TEST(Record, VolatileOperandsSpreadOnlyWhereNoGradientIsCut) {
  const Tensor v = make_variable(constant({1, 2}), false, true);
  Tensor plain = constant({5, 5});
  const Tensor view = plain.view({2, 1});
  plain.add_(v);
  EXPECT_TRUE(plain.is_volatile());
  EXPECT_TRUE(view.is_volatile());
  const Tensor x = leaf({1, 2});
  Tensor y = x * 2;
  const Unchanged before({x, y});
  expect_error<VolatileConflict>("is volatile", [&] { y.add_(v); });
  const NoGradGuard no_grad;
  Tensor same = x;
  expect_error<VolatileConflict>("is volatile", [&] { same.add_(v); });
  Tensor hidden = y.view({2, 1});  // made here, so it shows no history, but its base has one
  expect_error<VolatileConflict>("is volatile", [&] { hidden.add_(v.view({2, 1})); });
  before.check();
}

TEST(Record, IntegersAreNeverDifferentiable) {
  const Tensor x = leaf({1.5, 2.5});
  const Tensor as_integers = x.to(kInt64);
  EXPECT_FALSE(as_integers.requires_grad());
  EXPECT_FALSE(as_integers.grad_fn());
  const Tensor back = x * as_integers;
  back.sum().backward();
  expect_values(x.grad(), {1, 2});
}

TEST(Record, SequenceAndTopologicalNumbersGrow) {
  const Tensor x = leaf({1, 2});
  const Tensor a = x * 2, b = a + x, c = b * a;
  EXPECT_LT(a.grad_fn()->sequence_nr(), b.grad_fn()->sequence_nr());
  EXPECT_EQ(a.grad_fn()->topological_nr(), 1u);
  EXPECT_EQ(c.grad_fn()->topological_nr(), 3u);
  const Node& leaf_node = *a.grad_fn()->next_edge(0).function;
  EXPECT_EQ(leaf_node.name(), "AccumulateGrad");
  EXPECT_EQ(leaf_node.sequence_nr(), UINT64_MAX);
  EXPECT_EQ(leaf_node.topological_nr(), 0u);
}

TEST(Record, A23_TheGraphCanBeInspected) {
  const Tensor x = leaf({1, 2}), c = constant({3, 4});
  const Tensor y = (x * c).sum();
  const NodeRef sum = y.grad_fn();
  EXPECT_STREQ(sum->operator_name(), "sum");
  ASSERT_EQ(sum->next_edges().size(), 1u);
  const Node& mul = *sum->next_edge(0).function;
  EXPECT_EQ(mul.name(), "MulBackward0");
  ASSERT_EQ(mul.num_edges(), 2u);
  EXPECT_TRUE(mul.next_edge(0));
  EXPECT_FALSE(mul.next_edge(1)) << "no gradient wanted";
  EXPECT_EQ(mul.input_metadata(0).sizes(), IntArrayRef({2}));
  EXPECT_EQ(mul.input_metadata(0).dtype(), kFloat64);
  EXPECT_THAT(mul.at().file_name(), HasSubstr(kProvenance ? "record_test.cpp" : ""));
  EXPECT_EQ(mul.next_edge(0).function, (x + 1).grad_fn()->next_edge(0).function)
      << "one accumulator per leaf";
}

TEST(Record, A25_ANodeCanBeCalledByHand) {
  const Tensor x = leaf({1, 2}), y = leaf({3, 4});
  const Tensor z = x * y, seed = constant({10, 100});
  const variable_list by_hand = (*z.grad_fn())({seed});
  const variable_list by_engine = autograd::grad({z}, {x, y}, {seed});
  for (std::size_t i = 0; i < 2; ++i) expect_values(by_hand[i], values(by_engine[i]));
  expect_error<GradientCount>("takes 1 gradients, but got 2", [&] {
    (*z.grad_fn())({seed, seed});
  });
}

TEST(Record, A07_DisjointProgramsShareNoNode) {
  const Tensor x = leaf({1.0}), y = leaf({1.0});
  Tensor a = x, b = y;
  for (int i = 0; i < 5; ++i) {
    a = a * 2;
    b = b * 2;
  }
  std::set<const Node*> of_a, of_b;
  for (const Node* n = a.grad_fn().get(); n;
       n = n->num_edges() ? n->next_edge(0).function.get() : nullptr)
    of_a.insert(n);
  for (const Node* n = b.grad_fn().get(); n;
       n = n->num_edges() ? n->next_edge(0).function.get() : nullptr)
    EXPECT_EQ(of_a.count(n), 0u);
  EXPECT_EQ(of_a.size(), 6u);
}

}  // namespace
}  // namespace notape::testing
