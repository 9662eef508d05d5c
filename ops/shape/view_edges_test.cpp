// Views at the edges: 0-d, empty, offsets, bad arguments, 0-stride and overlapping windows.
#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

TEST(ViewEdges, ZeroDimensionalTensorsHaveViewsToo) {
  const Tensor x = leaf(5);
  const auto scalar = [](const Tensor& y) {
    expect_values(y, {5});
    return y.sizes().vec();
  };
  EXPECT_EQ(scalar(x.flatten()), std::vector<int64_t>{1});
  EXPECT_EQ(scalar(x.permute({})), std::vector<int64_t>{});
  EXPECT_EQ(scalar(x.transpose(0, -1)), std::vector<int64_t>{});
  EXPECT_EQ(scalar(x.t()), std::vector<int64_t>{});
  EXPECT_EQ(scalar(x.squeeze()), std::vector<int64_t>{});
  EXPECT_EQ(scalar(x.squeeze(-1)), std::vector<int64_t>{});
  EXPECT_EQ(scalar(x.unsqueeze(-1)), std::vector<int64_t>{1});
  EXPECT_EQ(scalar(x.unsqueeze(0).squeeze(0)), std::vector<int64_t>{});
  EXPECT_EQ(scalar(stack({x, x})[1]), std::vector<int64_t>{});
  (x.flatten() * x.unsqueeze(0) * x.t()).sum().backward();
  expect_values(x.grad(), {75});
}

TEST(ViewEdges, EmptyTensorsKeepTheirShapes) {
  const Tensor x = zeros({2, 0, 3}, dtype(kFloat64).requires_grad(true));
  const auto sizes_of = [](const Tensor& y) { return y.sizes().vec(); };
  EXPECT_EQ(sizes_of(x.permute({2, 1, 0})), (std::vector<int64_t>{3, 0, 2}));
  EXPECT_EQ(sizes_of(x.flatten(1)), (std::vector<int64_t>{2, 0}));
  EXPECT_EQ(sizes_of(x.select(2, 1)), (std::vector<int64_t>{2, 0}));
  EXPECT_EQ(sizes_of(x.narrow(1, 0, 0)), (std::vector<int64_t>{2, 0, 3}));
  EXPECT_EQ(sizes_of(x.slice(0, 2)), (std::vector<int64_t>{0, 0, 3}));
  EXPECT_EQ(sizes_of(x.diagonal(5, 0, 2)), (std::vector<int64_t>{0, 0}));
  EXPECT_EQ(x.split(0, 1).size(), 1u);
  EXPECT_EQ(x.split(2, 1).size(), 1u);
  EXPECT_EQ(x.chunk(3, 1).size(), 3u);
  EXPECT_TRUE(x.unbind(1).empty());
  EXPECT_EQ(sizes_of(stack({x, x}, -1)), (std::vector<int64_t>{2, 0, 3, 2}));
  x.select(2, 1).sum().backward();
  EXPECT_EQ(sizes_of(x.grad()), (std::vector<int64_t>{2, 0, 3}));
}

TEST(ViewEdges, OffsetsAddUp) {
  const Tensor base = arange(24);
  const Tensor x = base.view({2, 3, 4});
  const Tensor y = x[1].narrow(0, 1, 2).slice(1, 1, {}, 2);
  EXPECT_EQ(y.storage_offset(), 17);
  EXPECT_EQ(y.strides().vec(), (std::vector<int64_t>{4, 2}));
  expect_values(y, {17, 19, 21, 23});
  EXPECT_TRUE(y._base().is_same(base));
}

TEST(ViewEdges, PiecesCoverTheWholeAndTheLastMayBeShort) {
  const Tensor x = arange(5);
  std::vector<int64_t> lengths;
  for (const Tensor& piece : x.split(2)) lengths.push_back(piece.numel());
  EXPECT_EQ(lengths, (std::vector<int64_t>{2, 2, 1}));
  lengths.clear();
  for (const Tensor& piece : x.chunk(4)) lengths.push_back(piece.numel());
  EXPECT_EQ(lengths, (std::vector<int64_t>{2, 2, 1}));  // LibTorch: at most 4
  EXPECT_EQ(x.unbind().size(), 5u);
}

TEST(ViewEdges, OutputsOfSplitChunkAndUnbindMayBeWritten) {
  const Tensor x = counting_leaf(6);
  const Tensor y = x * 1;
  y.split(4)[1].mul_(10);
  y.chunk(3)[0].mul_(y.chunk(3)[1]);
  y.unbind()[5].zero_();
  expect_values(y, {3, 8, 3, 4, 50, 0});
  y.sum().backward();
  expect_values(x.grad(), {3, 4, 1 + 1, 2 + 1, 10, 0});
}

TEST(ViewEdges, OfAWrittenViewSeeTheNewHistory) {
  const Tensor x = arange(12, dtype(kFloat64)).reshape({3, 4}).detach().requires_grad_();
  const Tensor y = x * 2;
  y.t().select(0, 1).mul_(3);
  expect_values(y, {0, 6, 4, 6, 8, 30, 12, 14, 16, 54, 20, 22});
  (y * y).sum().backward();
  expect_values(x.grad(), {0, 72, 16, 24, 32, 360, 48, 56, 64, 648, 80, 88});
}

TEST(ViewEdges, OverlappingViewsChainTheirWrites) {
  const Tensor x = arange(12, dtype(kFloat64)).reshape({3, 4}).detach().requires_grad_();
  const Tensor y = x * 1;
  const Tensor middle = y.view({12}).narrow(0, 2, 8).view({2, 4});
  middle[1].mul_(x[0].detach());
  y.diagonal().mul_(2);
  expect_values(y, {0, 1, 2, 3, 4, 10, 0, 7, 16, 27, 20, 11});
  (y * y).sum().backward();
  expect_values(x.grad(), {0, 2, 4, 6, 8, 40, 0, 14, 64, 162, 80, 22});
}

TEST(ViewEdges, DisjointWritesLeaveSavedValuesAlone) {
  const Tensor x = leaf({{1, 2}, {3, 4}});
  const Tensor y = x * 1;
  Tensor left = y.narrow(1, 0, 1);
  const Tensor right = y.narrow(1, 1, 1);
  left.mul_(right);  // saves the right column; LibTorch refuses in backward
  (y * y).sum().backward();
  expect_values(x.grad(), {8, 4 + 4, 96, 8 + 72});
}

TEST(ViewEdges, ExpandedTensorsCannotBeWritten) {
  Tensor y = zeros({1, 3}).expand({2, 3});
  const Unchanged before({y});
  const auto text = "more than one element of the written-to tensor refers to a single memory";
  expect_error<MemoryOverlap>(text, [&] { y.mul_(2); });
  expect_error<MemoryOverlap>(text, [&] { y.copy_(ones({2, 3})); });
  expect_error<MemoryOverlap>(text, [&] { y.select(1, 0).fill_(1); });
  before.check();
}

TEST(ViewEdges, PartlyOverlappingOperandsCannotBeAdded) {
  const int64_t n = 4;
  Tensor b = arange(n + 1, kFloat64);
  const Unchanged before({b});
  expect_error<MemoryOverlap>("some elements of the input tensor and the written-to tensor",
                              [&] { b.narrow(0, 1, n).add_(b.narrow(0, 0, n)); });
  before.check();
  b.narrow(0, 1, n).add_(b.narrow(0, 1, n));
  expect_values(b, {0, 2, 4, 6, 8});
  b.slice(0, 1, {}, 2).add_(b.slice(0, 0, 4, 2));  // interleaved, yet disjoint
  expect_values(b, {0, 2, 4, 10, 8});
}

TEST(ViewEdges, OverlappingWindowsSumTheirGradients) {
  const Tensor x = counting_leaf(5);
  as_strided(x, {3, 3}, {1, 1}).sum().backward();
  expect_values(x.grad(), {1, 2, 3, 2, 1});
  const Tensor one = leaf({2});
  as_strided(one, {3}, {0}).sum().backward();
  one.expand({2, 4}).sum().backward();
  expect_values(one.grad(), {3 + 8});
}

TEST(ViewEdges, NameTheirNodes) {
  const Tensor x = zeros({2, 2}, dtype(kFloat64).requires_grad(true));
  const auto name = [](const Tensor& y) { return std::string(y.grad_fn()->name()); };
  EXPECT_EQ(name(x[0]), "SelectBackward0");
  EXPECT_EQ(name(x.t()), "TBackward0");
  EXPECT_EQ(name(x.transpose(0, 1)), "TransposeBackward0");
  EXPECT_EQ(name(x.permute({1, 0})), "PermuteBackward0");
  EXPECT_EQ(name(x.slice(0)), "SliceBackward0");
  EXPECT_EQ(name(x.squeeze()), "SqueezeBackward0");
  EXPECT_EQ(name(x.squeeze(0)), "SqueezeBackward1");
  EXPECT_EQ(name(x.unsqueeze(0)), "UnsqueezeBackward0");
  EXPECT_EQ(name(x.diagonal()), "DiagonalBackward0");
  EXPECT_EQ(name(x.split(1)[1]), "SplitBackward0");
  EXPECT_EQ(name(x.unbind()[1]), "UnbindBackward0");
  EXPECT_EQ(name(cat({x, x})), "CatBackward0");
  EXPECT_EQ(x.select(0, 0).grad_fn()->at().line(), static_cast<uint32_t>(kProvenance * __LINE__));
}

struct Refusal {
  const char* text;
  void (*program)(const Tensor&);
};

template <typename E>
void expect_refusals(const std::vector<Refusal>& refusals) {
  const Tensor x = arange(24, dtype(kFloat64)).reshape({2, 3, 4});
  for (const Refusal& refusal : refusals)
    expect_error<E>(refusal.text, [&] { refusal.program(x); });
}

TEST(ViewEdges, DimensionsAndIndicesOutOfRangeAreIndexErrors) {
  expect_refusals<IndexError>({
      {"index 5 is out of bounds for dimension 0 with size 2", [](const Tensor& x) { x[5]; }},
      {"index -5 is out of bounds for dimension -1 with size 4",
       [](const Tensor& x) { x.select(-1, -5); }},
      {"select() cannot be applied to a 0-dim tensor", [](const Tensor& x) { x.sum()[0]; }},
      {"slice() cannot be applied to a 0-dim tensor", [](const Tensor& x) { x.sum().slice(); }},
      {"Dimension specified as 0 but tensor has no dimensions",
       [](const Tensor& x) { x.sum().unbind(); }},
      {"start out of range (expected to be in range of [-2, 2], but got 5)",
       [](const Tensor& x) { x.narrow(0, 5, 1); }},
      {"Dimension out of range (expected to be in range of [-3, 2], but got 5)",
       [](const Tensor& x) { x.squeeze(5); }},
      {"Dimension out of range (expected to be in range of [-4, 3], but got 4)",
       [](const Tensor& x) { x.unsqueeze(4); }},
      {"Dimension out of range", [](const Tensor& x) { x.transpose(0, 3); }},
      {"Dimension out of range",
       [](const Tensor& x) {
         x.permute({0, 1, 3});
       }},
      {"Dimension out of range", [](const Tensor& x) { x.flatten(-4); }},
      {"Dimension out of range", [](const Tensor& x) { x.diagonal(0, 0, 3); }},
      {"Dimension out of range", [](const Tensor& x) { stack({x}, 4); }},
      {"Dimension out of range", [](const Tensor& x) { cat({x}, 3); }},
  });
}

TEST(ViewEdges, ImpossibleShapesAreShapeErrors) {
  expect_refusals<ShapeError>({
      {"start (1) + length (2) exceeds dimension size (2).",
       [](const Tensor& x) { x.narrow(0, 1, 2); }},
      {"length must be non-negative", [](const Tensor& x) { x.narrow(0, 1, -1); }},
      {"narrow() cannot be applied to a 0-dim tensor",
       [](const Tensor& x) { x.sum().narrow(0, 0, 1); }},
      {"input.dim() = 3 is not equal to len(dims) = 2",
       [](const Tensor& x) {
         x.permute({0, 1});
       }},
      {"duplicate dims are not allowed",
       [](const Tensor& x) {
         x.permute({0, 2, -1});
       }},
      {"t() expects a tensor with <= 2 dimensions, but self is 3D", [](const Tensor& x) { x.t(); }},
      {"start_dim cannot come after end_dim", [](const Tensor& x) { x.flatten(2, 1); }},
      {"diagonal dimensions cannot be identical 1, -2",
       [](const Tensor& x) { x.diagonal(0, 1, -2); }},
      {"split expects split_size be non-negative, but got split_size=-1",
       [](const Tensor& x) { x.split(-1); }},
      {"split_size can only be 0 if dimension size is 0, but got dimension size of 2",
       [](const Tensor& x) { x.split(0); }},
      {"split expects at least a 1-dimensional tensor", [](const Tensor& x) { x.sum().split(1); }},
      {"chunk expects `chunks` to be greater than 0, got: 0", [](const Tensor& x) { x.chunk(0); }},
  });
  expect_refusals<ValueError>(
      {{"slice step must be positive", [](const Tensor& x) { x.slice(0, 0, 2, 0); }}});
}

}  // namespace
}  // namespace notape::testing
