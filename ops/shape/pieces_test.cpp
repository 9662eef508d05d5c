// split, chunk and unbind record one node, whose outputs the pieces are until they are rewritten.
#include "ops/shape/pieces.h"

#include "autograd/forward/dual.h"
#include "autograd/graph/region.h"
#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

using autograd::grad;

struct Cut {
  const char* name;
  TensorList (*pieces)(const Tensor& x);
  int64_t dim;
  const char* node;
};
/// Of a 4 x 3 matrix.
const std::vector<Cut> cuts = {
    {"split(3)", [](const Tensor& x) { return x.split(3); }, 0, "SplitBackward0"},
    {"split(2, 1)", [](const Tensor& x) { return x.split(2, 1); }, 1, "SplitBackward0"},
    {"chunk(2)", [](const Tensor& x) { return x.chunk(2); }, 0, "SplitBackward0"},
    {"chunk(3, -1)", [](const Tensor& x) { return x.chunk(3, -1); }, 1, "SplitBackward0"},
    {"unbind()", [](const Tensor& x) { return x.unbind(); }, 0, "UnbindBackward0"},
    {"unbind(1)", [](const Tensor& x) { return x.unbind(1); }, 1, "UnbindBackward0"},
};

Tensor matrix() { return counting_leaf(12).detach().view({4, 3}).detach().requires_grad_(); }

/// The number of the piece in which element (row, column) of the matrix lies.
std::size_t piece_of(const Cut& cut, const Tensor& x, int64_t row, int64_t column) {
  const TensorList pieces = cut.pieces(x);
  for (std::size_t i = 0; i < pieces.size(); ++i)
    for (const double value : values(pieces[i]))
      if (value == values(x)[static_cast<std::size_t>(row * 3 + column)]) return i;
  return pieces.size();
}

/// What weights 10, 20, ... on the pieces of `used` give at each element.
std::vector<double> weights(const Cut& cut, const std::vector<bool>& used) {
  std::vector<double> result;
  for (int64_t i = 0; i < 12; ++i) {
    const std::size_t piece = piece_of(cut, matrix(), i / 3, i % 3);
    result.push_back(used[piece] ? 10 * static_cast<double>(piece + 1) : 0);
  }
  return result;
}

Tensor weighted_sum(const TensorList& pieces, const std::vector<bool>& used) {
  Tensor sum = constant(0);
  for (std::size_t i = 0; i < pieces.size(); ++i)
    if (used[i]) sum = sum + (pieces[i] * (10 * static_cast<double>(i + 1))).sum();
  return sum;
}

TEST(Pieces, AreOutputsOfOneNode) {
  for (const Cut& cut : cuts) {
    SCOPED_TRACE(cut.name);
    const Tensor y = matrix() * 1;
    const int64_t before = counters().nodes_created;
    const TensorList pieces = cut.pieces(y);
    EXPECT_EQ(counters().nodes_created - before, 1);
    const NodeRef node = pieces[0].grad_fn();
    EXPECT_EQ(node->name(), cut.node);
    EXPECT_EQ(node->num_edges(), 1u);
    ASSERT_EQ(node->num_inputs(), pieces.size());
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      EXPECT_EQ(pieces[i].grad_fn(), node);
      EXPECT_EQ(pieces[i].output_nr(), i);
      EXPECT_EQ(node->input_metadata(i).sizes(), pieces[i].sizes());
      EXPECT_TRUE(pieces[i].is_view());
    }
  }
}

TEST(Pieces, GiveTheWholeTheGradientsOfThoseThatWereUsed) {
  for (const Cut& cut : cuts) {
    SCOPED_TRACE(cut.name);
    const std::size_t count = cut.pieces(matrix()).size();
    for (uint32_t mask = 1; mask < 1u << count; ++mask) {
      std::vector<bool> used;
      for (std::size_t i = 0; i < count; ++i) used.push_back(mask >> i & 1);
      const Tensor x = matrix();
      weighted_sum(cut.pieces(x), used).backward();
      expect_values(x.grad(), weights(cut, used));
      const Tensor y = x * 2;  // an interior base, whose other use adds to the pieces'
      std::vector<double> twice = weights(cut, used);
      for (double& g : twice) g = 2 * (g + 1);
      expect_values(grad({weighted_sum(cut.pieces(y), used) + y.sum()}, {x})[0], twice);
    }
  }
}

TEST(Pieces, OfABaseThatIsNotRowMajor) {
  const Tensor x = matrix();
  const TensorList columns = (x * 1).t().split(2);  // columns 0 and 1, then column 2
  (columns[0].sum() * 3 + columns[1][0][1] * 5).backward();
  expect_values(x.grad(), {3, 3, 0, 3, 3, 5, 3, 3, 0, 3, 3, 0});
}

TEST(Pieces, HaveDerivativesOfEveryOrder) {
  for (const Cut& cut : cuts) {
    SCOPED_TRACE(cut.name);
    for (const bool all : {true, false}) {
      const Tensor x = matrix();
      std::vector<bool> used(cut.pieces(x).size(), all);
      used[1] = true;
      TensorList cubes = cut.pieces(x);
      for (Tensor& piece : cubes) piece = piece * piece * piece;
      const Tensor first = grad({weighted_sum(cubes, used)}, {x}, {}, true, true)[0];
      const Tensor second = grad({first.sum()}, {x}, {}, true, true)[0];
      const Tensor third = grad({second.sum()}, {x})[0];
      std::vector<double> expected = weights(cut, used);
      for (double& g : expected) g *= 6;
      expect_values(third, expected);
      for (std::size_t i = 0; i < expected.size(); ++i) expected[i] *= static_cast<double>(i + 1);
      expect_values(second, expected);
    }
  }
}

TEST(Pieces, AWrittenOneGetsAHistoryOfItsOwnAndTheOthersKeepTheirs) {
  for (const Cut& cut : cuts) {
    SCOPED_TRACE(cut.name);
    const Tensor x = matrix();
    const Tensor y = x * 1;
    TensorList pieces = cut.pieces(y);
    const NodeRef node = pieces[0].grad_fn();
    pieces[1].mul_(7);
    EXPECT_EQ(pieces[0].grad_fn(), node);
    EXPECT_EQ(pieces[1].grad_fn()->name(), "ViewBackward");
    std::vector<bool> used(pieces.size(), true);
    std::vector<double> expected = weights(cut, used);
    for (double& g : expected)
      if (g == 20) g *= 7;
    expect_values(grad({weighted_sum(pieces, used)}, {x}, {}, true)[0], expected);
    expect_values(grad({weighted_sum(cut.pieces(y), used)}, {x}, {}, true)[0], expected);
    std::vector<double> slopes = weights(cut, used);
    for (double& g : slopes) g = g == 20 ? 7 : 1;
    expect_values(grad({y.sum()}, {x})[0], slopes);
  }
}

TEST(Pieces, HooksAndRetainedGradientsSeeTheirOwnPiece) {
  const Tensor x = matrix();
  TensorList rows = (x * 1).unbind();
  std::vector<double> seen, of_unused = {1};
  rows[1].register_hook([&](const Tensor& g) {
    seen = values(g);
    return g * 2;
  });
  rows[3].register_hook(
      [&](const Tensor& g) { of_unused = g.defined() ? values(g) : std::vector<double>(); });
  rows[1].retain_grad();
  rows[2].retain_grad();
  ((rows[1] * 5).sum() + rows[0].sum()).backward({}, true);
  EXPECT_THAT(seen, ElementsAre(5, 5, 5));
  EXPECT_TRUE(of_unused.empty()) << "called, with no gradient";
  expect_values(rows[1].grad(), {10, 10, 10});
  EXPECT_FALSE(rows[2].grad().defined());
  expect_values(x.grad(), {1, 1, 1, 10, 10, 10, 0, 0, 0, 0, 0, 0});
}

TEST(Pieces, AHookFiresForAWriteThroughItsPiece) {
  const Tensor x = matrix();
  const Tensor y = x * 1;
  TensorList rows = y.unbind();
  std::vector<double> seen;
  rows[1].register_hook([&](const Tensor& g) { seen = values(g); });
  rows[1].mul_(10);
  y.sum().backward();
  EXPECT_THAT(seen, ElementsAre(10, 10, 10));
  expect_values(x.grad(), {1, 1, 1, 10, 10, 10, 1, 1, 1, 1, 1, 1});
}

TEST(Pieces, OneMayBeAskedForItsGradient) {
  const Tensor x = matrix();
  const TensorList rows = (x * 1).unbind();
  const Tensor z = (rows[1] * rows[1]).sum() + rows[2].sum();
  const variable_list g = grad({z}, {rows[1], rows[2], x}, {}, true);
  expect_values(g[0], {8, 10, 12});
  expect_values(g[1], {1, 1, 1});
  expect_values(g[2], {0, 0, 0, 8, 10, 12, 1, 1, 1, 0, 0, 0});
  expect_error<UnusedInput>("element 0 of the input tensors appears to not have been used",
                            [&] { grad({z}, {rows[0]}, {}, true); });
  EXPECT_FALSE(grad({z}, {rows[0]}, {}, true, false, /*allow_unused=*/true)[0].defined());
}

TEST(Pieces, ShowTheTangentsOfTheWhole) {
  namespace fwd = autograd::forward_ad;
  for (const Cut& cut : cuts) {
    SCOPED_TRACE(cut.name);
    const fwd::DualLevelGuard level;
    const Tensor direction = matrix().detach() * 10;
    const Tensor x = fwd::make_dual(matrix(), direction);
    const TensorList pieces = cut.pieces(x), expected = cut.pieces(direction);
    for (std::size_t i = 0; i < pieces.size(); ++i)
      expect_values(fwd::unpack_dual(pieces[i]).tangent, values(expected[i]));
  }
}

TEST(Pieces, RecordNothingWhereNothingIsWanted) {
  const Tensor x = matrix();
  const int64_t before = counters().nodes_created;
  x.detach().split(2);
  ones({4}, dtype(kInt64)).unbind();
  zeros({0, 3}, dtype(kFloat64).requires_grad(true)).unbind();
  {
    const NoGradGuard no_grad;
    for (const Tensor& row : x.unbind()) EXPECT_FALSE(row.grad_fn());
  }
  EXPECT_EQ(counters().nodes_created, before);
  const Tensor leaf_once = matrix(), view = leaf_once.t();
  leaf_once.set_volatile(true);
  for (const Tensor& piece : view.chunk(2)) {
    EXPECT_FALSE(piece.grad_fn());
    EXPECT_TRUE(piece.is_volatile());
  }
}

struct SavesAPiece : autograd::Function<SavesAPiece> {
  static Tensor forward(autograd::AutogradContext* ctx, const Tensor& x) {
    const Tensor half = (x * x).chunk(2)[0];
    ctx->save_for_backward({half});
    return half * 1;
  }
  static variable_list backward(autograd::AutogradContext* ctx, variable_list gradients) {
    const Tensor product = gradients[0] * ctx->get_saved_variables()[0];
    return {cat({product, product})};
  }
};

TEST(Pieces, InsideAUserFunctionAreMarkedAsUnrecorded) {
  const Tensor x = leaf({1, 2});
  const Tensor first = grad({SavesAPiece::apply(x)}, {x}, {}, true, true)[0];
  expect_error<DerivativeNotImplemented>("the derivative for 'SavesAPiece' is not implemented.",
                                         [&] { first.sum().backward(); });
}

struct WantsAll final : Wanted {
  bool operator()(std::size_t) const override { return true; }
};

TEST(Pieces, SomeTravelAsRegionsAllAsOneGradient) {
  const Tensor x = matrix();
  const TensorList rows = x.unbind();
  const NoGradGuard as_in_backward;
  RegionSink sink;
  thread_state.region_sink = &sink;
  Tensor gradients[] = {Tensor(), constant({1, 2, 3}), Tensor(), constant({4, 5, 6})};
  Tensor result;
  rows[0].grad_fn()->apply(gradients, &result, WantsAll());
  EXPECT_FALSE(result.defined());
  ASSERT_EQ(sink.regions.size(), 2u);
  EXPECT_EQ(sink.regions[1].view.offset(), 9);
  expect_values(sink.regions[1].value, {4, 5, 6});
  sink.regions.clear();
  Tensor of_all[] = {constant({1, 1, 1}), constant({2, 2, 2}), constant({3, 3, 3}),
                     constant({4, 4, 4})};
  rows[0].grad_fn()->apply(of_all, &result, WantsAll());
  thread_state.region_sink = nullptr;
  EXPECT_TRUE(sink.regions.empty());
  expect_values(result, {1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4});
}

TEST(Pieces, MoreThanANodeHasOutputsGetANodeEach) {
  const NothingLeaks all_gone;
  const int64_t n = static_cast<int64_t>(VariadicNode::kMostTensors) + 5;
  const Tensor x = zeros({n}, dtype(kFloat64).requires_grad(true));
  const TensorList cells = x.unbind();
  ASSERT_EQ(cells.size(), static_cast<std::size_t>(n));
  (cells.back() * 3 + cells[1] * 2).backward();
  EXPECT_EQ(values(x.grad().slice(0, 0, 3)), (std::vector<double>{0, 2, 0}));
  EXPECT_EQ(x.grad()[n - 1].item(), 3);
}

}  // namespace
}  // namespace notape::testing
