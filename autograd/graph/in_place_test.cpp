// In-place operations: equal to out-of-place ones plus a rebased history (2017 paper, 3.1).
#include "autograd/graph/in_place.h"

#include <cmath>
#include <functional>
#include <set>
#include <sstream>

#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

struct InPlaceForm {
  const char* name;
  std::function<void(Tensor&, const Tensor&)> write;
  std::function<Tensor(const Tensor&, const Tensor&)> out_of_place;
};

const std::vector<InPlaceForm>& forms() {
  static const std::vector<InPlaceForm> all = {
      {"add", [](Tensor& a, const Tensor& b) { a.add_(b); },
       [](const Tensor& a, const Tensor& b) { return a + b; }},
      {"add number", [](Tensor& a, const Tensor&) { a.add_(3); },
       [](const Tensor& a, const Tensor&) { return a + 3; }},
      {"sub", [](Tensor& a, const Tensor& b) { a -= b; },
       [](const Tensor& a, const Tensor& b) { return a - b; }},
      {"mul", [](Tensor& a, const Tensor& b) { a *= b; },
       [](const Tensor& a, const Tensor& b) { return a * b; }},
      {"mul number", [](Tensor& a, const Tensor&) { a *= 3; },
       [](const Tensor& a, const Tensor&) { return a * 3; }},
      {"neg", [](Tensor& a, const Tensor&) { a.neg_(); },
       [](const Tensor& a, const Tensor&) { return -a; }},
      {"tanh", [](Tensor& a, const Tensor&) { a.tanh_(); },
       [](const Tensor& a, const Tensor&) { return a.tanh(); }},
      {"square", [](Tensor& a, const Tensor&) { a.square_(); },
       [](const Tensor& a, const Tensor&) { return a.square(); }},
      {"copy", [](Tensor& a, const Tensor& b) { a.copy_(b); },
       [](const Tensor& a, const Tensor& b) { return a * 0 + b; }},
      {"fill", [](Tensor& a, const Tensor&) { a.fill_(2); },
       [](const Tensor& a, const Tensor&) { return a * 0 + 2; }},
      {"zero", [](Tensor& a, const Tensor&) { a.zero_(); },
       [](const Tensor& a, const Tensor&) { return a * 0; }},
  };
  return all;
}

struct Outcome {
  std::vector<double> value, to_x, to_w, second_x, second_w;
};

Outcome outcome_of(const Tensor& result, const Tensor& x, const Tensor& w) {
  const variable_list first =
      autograd::grad({(result * result).sum()}, {x, w}, {}, true, true, true);
  const auto or_zero = [](const Tensor& g, const Tensor& like) {
    return g.defined() ? g : zeros_like(like);
  };
  const Tensor gx = or_zero(first[0], x), gw = or_zero(first[1], w);
  Outcome all{values(result), values(gx), values(gw), {}, {}};
  const Tensor again = (gx * gx).sum() + (gw * gw).sum();
  if (!again.requires_grad()) return all;
  const variable_list second = autograd::grad({again}, {x, w}, {}, {}, false, true);
  all.second_x = values(or_zero(second[0], x));
  all.second_w = values(or_zero(second[1], w));
  return all;
}

void expect_equal(const Outcome& a, const Outcome& b, double tolerance) {
  const auto near = [&](const std::vector<double>& expected) {
    return Pointwise(::testing::DoubleNear(tolerance), expected);
  };
  EXPECT_THAT(a.value, near(b.value));
  EXPECT_THAT(a.to_x, near(b.to_x));
  EXPECT_THAT(a.to_w, near(b.to_w));
  const auto zeros_if_empty = [](std::vector<double> v) {
    return v.empty() ? std::vector<double>(4, 0) : v;
  };
  EXPECT_THAT(zeros_if_empty(a.second_x), near(zeros_if_empty(b.second_x)));
  EXPECT_THAT(zeros_if_empty(a.second_w), near(zeros_if_empty(b.second_w)));
}

TEST(InPlace, A33_EqualsOutOfPlaceInValueAndFirstAndSecondDerivative) {
  for (const InPlaceForm& form : forms()) {
    SCOPED_TRACE(form.name);
    const Tensor x = leaf({{0.5, -1.25}, {2, 0.75}}), w = leaf({{1.5, 2}, {-0.5, 3}});
    Tensor written = x * 2;
    form.write(written, w);
    expect_equal(outcome_of(written, x, w), outcome_of(form.out_of_place(x * 2, w), x, w), 0);
  }
}

/// x with the part that `window` shows replaced, by multiplication with masks.
Tensor with_part(const Tensor& x, const std::function<Tensor(const Tensor&)>& window,
                 const InPlaceForm& form, const Tensor& w) {
  Tensor mask = zeros({2, 2}, kFloat64);
  window(mask).fill_(1);
  return x * (1 - mask) + form.out_of_place(x, w) * mask;
}

TEST(InPlace, ThroughViewsEqualsOutOfPlaceInEveryDerivative) {
  const std::vector<std::function<Tensor(const Tensor&)>> windows = {
      [](const Tensor& t) { return as_strided(t, {2}, {1}, 0); },  // a row
      [](const Tensor& t) { return as_strided(t, {2}, {2}, 1); },  // a column
      [](const Tensor& t) { return as_strided(t, {}, {}, 3); },    // one element
      [](const Tensor& t) {
        return as_strided(t, {2, 2}, {1, 2});
      },  // transposed
      [](const Tensor& t) { return t.view({4}); },
      [](const Tensor& t) { return as_strided(t.view({4}), {2}, {3}, 0); },  // view of a view
  };
  for (const InPlaceForm& form : forms())
    for (std::size_t i = 0; i < windows.size(); ++i) {
      SCOPED_TRACE(form.name);
      SCOPED_TRACE(i);
      const Tensor x = leaf({{0.5, -1.25}, {2, 0.75}}), w = leaf({{1.5, 2}, {-0.5, 3}});
      Tensor written = x * 2, view = windows[i](written);
      form.write(view, windows[i](w));
      expect_equal(outcome_of(written, x, w),
                   outcome_of(with_part(x * 2, windows[i], form, w), x, w), 1e-12);
      expect_values(view, values(windows[i](written)));
    }
}

TEST(InPlace, GradientsAreRightThroughBaseViewSiblingAndViewOfView) {
  const Tensor x = leaf({1, 2, 3, 4});
  Tensor base = x * 1;
  const Tensor sibling = as_strided(base, {3}, {1}, 1);
  Tensor view = as_strided(base, {2}, {1}, 0), deeper = as_strided(view, {1}, {1}, 1);
  deeper.mul_(10);
  const auto gradient_of = [&](const Tensor& t) {
    return values(autograd::grad({t.sum()}, {x}, {}, true)[0]);
  };
  EXPECT_THAT(gradient_of(base), ElementsAre(1, 10, 1, 1));
  EXPECT_THAT(gradient_of(sibling), ElementsAre(0, 10, 1, 1));
  EXPECT_THAT(gradient_of(view), ElementsAre(1, 10, 0, 0));
  EXPECT_THAT(gradient_of(deeper), ElementsAre(0, 10, 0, 0));
  base.mul_(2);
  EXPECT_THAT(gradient_of(deeper), ElementsAre(0, 20, 0, 0));
  EXPECT_THAT(gradient_of(sibling), ElementsAre(0, 20, 2, 2));
}

TEST(InPlace, WritesToLeavesAreRefusedWithTwoTexts) {
  Tensor x = leaf({1, 2, 3});
  Tensor view = x.view({3, 1}), deeper = view.view({3});
  const Unchanged before({x, view, deeper});
  const char* of_leaf =
      "a leaf Variable that requires grad is being used in an in-place operation.";
  const char* of_view =
      "a view of a leaf Variable that requires grad is being used in an in-place operation.";
  expect_error<LeafInPlace>(of_leaf, [&] { x.add_(1); });
  expect_error<LeafInPlace>(of_leaf, [&] { x.copy_(constant({1, 1, 1})); });
  expect_error<LeafInPlace>(of_view, [&] { view.fill_(0); });
  expect_error<LeafInPlace>(of_view, [&] { deeper.mul_(2); });
  before.check();
  const NoGradGuard no_grad;
  x.add_(1);
  view.mul_(2);
  EXPECT_TRUE(x.is_leaf());
  EXPECT_TRUE(x.requires_grad());
  EXPECT_FALSE(x.grad_fn());
  expect_values(x, {4, 6, 8});
  EXPECT_EQ(x._version(), 2u);
}

TEST(InPlace, AViewThatIsItselfALeafIsProtectedToo) {
  const Tensor plain = constant({1, 2, 3});
  Tensor view = as_strided(plain, {2}, {1});
  view.requires_grad_();
  const Unchanged before({plain, view});
  expect_error<LeafInPlace>("a leaf Variable that requires grad", [&] { view.add_(1); });
  before.check();
}

TEST(InPlace, AnOperandThatRequiresGradMakesTheFamilyInterior) {
  const Tensor w = leaf({10, 20});
  Tensor base = constant({1, 2, 3});
  const Tensor earlier = base.view({3, 1}), missed = as_strided(base, {1}, {1}, 2);
  as_strided(base, {2}, {1}, 0).mul_(w);
  EXPECT_TRUE(base.requires_grad());
  EXPECT_FALSE(base.is_leaf());
  EXPECT_TRUE(earlier.requires_grad());
  EXPECT_FALSE(missed.requires_grad()) << "the write did not reach it";
  earlier.sum().backward();
  expect_values(w.grad(), {1, 2});
}

TEST(InPlace, IntegersCanBeWrittenFreely) {
  Tensor n = tensor({1, 2, 3});
  n.add_(leaf({1.0}).to(kInt64));
  expect_values(n, {2, 3, 4});
  EXPECT_FALSE(n.requires_grad());
}

TEST(InPlace, OverlapIsRefusedBeforeAnythingChanges) {
  const Tensor x = leaf({1, 2, 3, 4});
  Tensor y = x * 1;
  Tensor spread = as_strided(y, {1}, {1}).expand({3});
  Tensor front = as_strided(y, {3}, {1}, 0);
  const Tensor back = as_strided(y, {3}, {1}, 1);
  const Unchanged before({x, y, spread, front, back});
  expect_error<MemoryOverlap>(
      "more than one element of the written-to tensor refers to a single memory location",
      [&] { spread.add_(1); });
  expect_error<MemoryOverlap>(
      "some elements of the input tensor and the written-to tensor refer to a single memory "
      "location",
      [&] { front.add_(back); });
  expect_error<MemoryOverlap>("some elements of the input tensor", [&] { front.copy_(back); });
  before.check();
  front.add_(front);  // exactly the same region is fine
  expect_values(y, {2, 4, 6, 4});
  y.sum().backward();
  expect_values(x.grad(), {2, 2, 2, 1});
}

TEST(InPlace, TheSameRegionUnderAnotherDescriptionIsFineToo) {
  const Tensor x = leaf({{1, 2, 3, 4}});
  Tensor y = x * 1;
  y.add_(as_strided(y, {1, 4}, {77, 1}));  // the stride of a dimension of size 1 means nothing
  expect_values(y, {2, 4, 6, 8});
  y.sum().backward();
  expect_values(x.grad(), {2, 2, 2, 2});
}

TEST(InPlace, WhatSavesAValueThatItThenOverwritesSaysSoInBackward) {
  const Tensor x = leaf({1, 2});
  Tensor y = x * 1;
  y.mul_(y);
  expect_error<SavedTensorModified>("overwritten by mul_", [&] { y.sum().backward(); });
}

TEST(InPlace, AValueNeededAndOverwrittenIsCopiedPrivately) {
  const Tensor x = leaf({1, 2}), w = leaf({5, 7});
  Tensor y = x * 1;
  const int64_t copies = counters().self_copies;
  y.mul_(2);
  y.mul_(constant({1, 1}));
  EXPECT_EQ(counters().self_copies, copies) << "nothing needs the old value";
  y.mul_(w);
  EXPECT_EQ(counters().self_copies, copies + 1);
  y.sum().backward();
  expect_values(w.grad(), {2, 4});
  expect_values(x.grad(), {10, 14});
}

TEST(InPlace, ErrorsOfTheOperatorItselfChangeNothing) {
  const Tensor x = leaf({1, 2, 3});
  Tensor y = x * 1, n = tensor({1, 2, 3});
  const Unchanged before({x, y, n});
  expect_error<ShapeError>("", [&] { y.add_(constant({1, 2})); });
  expect_error<ShapeError>("", [&] { y.add_(constant({{1, 2, 3}, {4, 5, 6}})); });
  expect_error<DtypeError>("can't be cast to the desired output type int64", [&] { n.add_(1.5); });
  expect_error<UndefinedTensor>("", [&] { y.add_(Tensor()); });
  before.check();
}

TEST(InPlace, NoGradWritesLeaveHistoriesAloneAndAreIgnoredByGradients) {
  const Tensor x = leaf({1, 2});
  Tensor y = x * 3;
  const NodeRef history = y.grad_fn();
  {
    const NoGradGuard no_grad;
    y.mul_(100);
  }
  EXPECT_EQ(y.grad_fn(), history);
  EXPECT_EQ(y._version(), 1u);
  y.sum().backward();
  expect_values(x.grad(), {3, 3});
}

TEST(InPlace, A24_OldGraphsAreUnchangedByWrites) {
  const Tensor x = leaf({1, 2});
  Tensor y = x * 3;
  const NodeRef old = y.grad_fn();
  const std::vector<Edge> edges(old->next_edges().begin(), old->next_edges().end());
  const uint32_t depth = old->topological_nr();
  y.add_(1);
  as_strided(y, {1}, {1}).mul_(2);
  EXPECT_NE(y.grad_fn(), old);
  EXPECT_EQ(old->topological_nr(), depth);
  for (std::size_t i = 0; i < edges.size(); ++i)
    EXPECT_EQ(old->next_edge(i).function, edges[i].function);
}

/// Everything that can be reached from a node: names, depths, numbers, edges.
std::string whole_graph(const NodeRef& root) {
  std::ostringstream text;
  std::set<const Node*> seen;
  const std::function<void(const Node&)> visit = [&](const Node& node) {
    if (!seen.insert(&node).second) return;
    text << &node << node.name() << node.topological_nr() << ':' << node.sequence_nr();
    for (const Edge& edge : node.next_edges())
      text << '>' << edge.function.get() << '.' << edge.input_nr;
    for (const Edge& edge : node.next_edges())
      if (edge.function) visit(*edge.function);
  };
  visit(*root);
  return text.str();
}

TEST(InPlace, A24_RandomWritesLeaveEveryEarlierGraphAsItWas) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Generator random(seed);
    const Tensor x = counting_leaf(4);
    std::vector<Tensor> tensors = {x * 1, x * 2};
    std::vector<std::pair<NodeRef, std::string>> earlier;
    for (int i = 0; i < 12; ++i) {
      Tensor a = tensors[random.below(tensors.size())];
      const Tensor b = tensors[random.below(tensors.size())];
      for (const Tensor& tensor : tensors)
        earlier.emplace_back(tensor.grad_fn(), whole_graph(tensor.grad_fn()));
      switch (random.below(4)) {
        case 0:
          tensors.push_back(a.view({4}));
          break;
        case 1:
          a.add_(b);
          break;
        case 2:
          as_strided(a, {2}, {2}, 1).mul_(3);
          break;
        default:
          a.copy_(b.detach());
      }
    }
    for (const auto& [node, before] : earlier)
      ASSERT_EQ(whole_graph(node), before) << "seed " << seed;
  }
}

TEST(InPlace, ATableFilledFromItselfIsAccepted) {
  const Tensor x = leaf({1.5});
  Tensor table = zeros({40}, kFloat64);
  const auto cell = [&](int64_t i) { return as_strided(table, {1}, {1}, i); };
  cell(0).fill_(1);
  for (int64_t i = 1; i < 40; ++i) cell(i).copy_(cell(i - 1) * x);
  cell(39).sum().backward();
  expect_values(x.grad(), {39 * std::pow(1.5, 38)}, 1e-6);
}

}  // namespace
}  // namespace notape::testing
