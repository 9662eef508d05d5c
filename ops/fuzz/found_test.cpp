// What ./run fuzz has found, and now is an error that names the operator.
#include "autograd/testing/expect.h"
#include "ops/conv/conv2d.h"
#include "ops/ops.h"
#include "ops/out.h"

namespace notape::testing {
namespace {

constexpr int64_t kFar = int64_t{1} << 40;

TEST(FoundByFuzz, NumbersThatNoMemoryHolds) {
  const Tensor image = ones({1, 4, 2, 2}, kFloat64);
  expect_error<OutOfMemory>("adaptive_avg_pool2d: an output of size", [&] {
    adaptive_avg_pool2d(image, {kFar, 1});
  });
  expect_error<OutOfMemory>("adaptive_max_pool2d: an output of size", [&] {
    adaptive_max_pool2d(image, {1, kFar});
  });
  expect_error<OutOfMemory>("upsample_nearest2d: an output of sizes", [&] {
    upsample_nearest2d(image, {kFar, 1});
  });
}

TEST(FoundByFuzz, PiecesOfNothing) {
  expect_error<OutOfMemory>("chunk: 1099511627776 pieces are too many", [] {
    chunk(ones({0, 2}), kFar);
  });
  EXPECT_EQ(chunk(ones({0, 2}), 3).size(), 3U);
}

TEST(FoundByFuzz, PiecesAndPaddingThatNoMemoryHolds) {
  expect_error<OutOfMemory>("tensor_split: 1099511627776 sections are too many",
                            [] { tensor_split(ones({3}), kFar); });
  expect_error<OutOfMemory>("replication_pad1d: padding of 0 and 1099511627776 entries", [] {
    replication_pad1d(ones({1, 3}), {0, kFar});
  });
}

TEST(FoundByFuzz, IndicesWithoutDimensions) {
  const Tensor place = full({}, 1, kInt64);
  EXPECT_TRUE(equal(scatter_reduce(ones({3}), 0, place, full({}, 5.0), "amax"),
                    tensor({1, 5, 1}).to(kFloat32)));
  expect_error<IndexError>("select_backward: Dimension out of range",
                           [] { select_backward(ones({}), {3}, 2, 0); });
}

TEST(FoundByFuzz, NumbersWhoseProductIsNone) {
  const Tensor image = ones({1, 4, 2, 2}, kFloat64);
  expect_error<ValueError>("pixel_shuffle: expects a smaller upscale_factor",
                           [&] { pixel_shuffle(image, int64_t{1} << 32); });
  expect_error<ShapeError>("col2im: expected size of input's dimension 1", [] {
    col2im(ones({1, 4, 2}, kFloat64), 3, Pair(int64_t{1} << 32), 1, 0, 1);
  });
  expect_error<ShapeError>("im2col: sizes of images and kernels", [&] {
    im2col(image, Pair(std::numeric_limits<int64_t>::max(), 1), 3, 0, 1);
  });
}

TEST(FoundByFuzz, WindowsBeyondEveryNumber) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  const Tensor x = ones({1, 4, 4}, kFloat64);
  EXPECT_EQ(max_pool2d(x, 2, Pair(kMost), 0, 1, true).sizes(), (std::vector<int64_t>{1, 1, 1}));
  EXPECT_EQ(avg_pool2d(x, 2, Pair(kMost), 0, true).sizes(), (std::vector<int64_t>{1, 1, 1}));
  expect_error<ShapeError>("max_pool2d", [&] { max_pool2d(x, Pair(2), 1, 0, Pair(kMost)); });
  expect_error<ShapeError>("max_pool1d", [&] { max_pool1d(x[0], kMost, 1, kMost / 2 - 8, kMost); });
  expect_error<ShapeError>("max_unpool2d: the number of elements of size [4, ", [&] {
    max_unpool2d(x, zeros({1, 4, 4}, kInt64), Pair(4, kMost));
  });
}

TEST(FoundByFuzz, PaddingBeyondEveryNumber) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  for (const std::vector<int64_t>& pad :
       std::vector<std::vector<int64_t>>{{0, kMost}, {kMost, kMost}, {kMost, 0}, {-kMost - 1, -2}})
    expect_error<ShapeError>("constant_pad_nd: ", [&] { constant_pad_nd(ones({3}), pad, 0); });
}

TEST(FoundByFuzz, SizesThatWrapWhenTheyAreAddedOrMultiplied) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max(), kLeast = -kMost - 1;
  constexpr int64_t kInt = std::numeric_limits<int32_t>::max();
  const Tensor row = ones({1, 3}, kFloat64), image = ones({1, 4, 4, 4}, kFloat64);
  const Tensor line = ones({3}), none = ones({0, 3}), number = ones({1});
  struct Case {
    const char* message;
    std::function<void()> call;
  };
  const std::vector<Case> cases = {
      // These read or wrote memory of somebody else, or gave a result.
      {"reflection_pad1d: a size of",
       [&] {
         reflection_pad1d(row, {kLeast, kLeast});
       }},
      {"replication_pad1d: a size of",
       [&] {
         replication_pad1d(row, {kLeast, kLeast});
       }},
      {"im2col: the number of elements", [&] { im2col(image, kInt, 1, kInt / 2, 1); }},
      // These blamed an operator that nobody called, or nobody.
      {"diag: a size of", [&] { diag(line, kLeast); }},
      {"diag: the number of elements", [&] { diag(line, kMost / 2); }},
      {"diag_embed: a size of", [&] { diag_embed(line, kMost); }},
      {"tile: the number of elements",
       [&] {
         tile(line, {kMost, kMost});
       }},
      {"repeat: the number of elements",
       [&] {
         line.repeat({kMost, 1});
       }},
      {"broadcast_to: the number",
       [&] {
         broadcast_to(number, {kMost, kMost});
       }},
      {"repeat_interleave: the number", [&] { line.repeat_interleave(kMost); }},
      {"repeat: the number of elements",
       [&] {
         none.repeat({kMost, kMost});
       }},
      {"repeat_interleave: the number", [&] { none.repeat_interleave(kMost, 0); }},
      {"repeat_interleave: a size of",
       [] {
         repeat_interleave(notape::tensor({kMost, kMost}));
       }},
      {"unflatten: the number",
       [&] {
         none.unflatten(0, {0, kMost, kMost});
       }},
      {"reshape: shape",
       [&] {
         none.reshape({0, kMost, kMost});
       }},
      {"select_backward: the number",
       [&] {
         select_backward(number, {kMost, kMost}, 0, 0);
       }},
      {"group_norm: the number",
       [] {
         group_norm(ones({2, 0, 3}), kMost);
       }},
      {"one_hot: a size of", [&] { one_hot(notape::tensor({kMost})); }},
      {"one_hot: the number", [&] { one_hot(zeros({2}, kInt64), kMost); }},
      {"affine_grid_generator: the number",
       [] {
         affine_grid_generator(ones({1, 2, 3}), {1, 1, kMost, kMost}, false);
       }},
      {"conv_transpose2d: the number",
       [] {
         conv_transpose2d(ones({1, 0, 2, 2}), ones({0, 3, 1, 1}), {}, 1, 0, 0, kMost);
       }},
      {"cat: a size of",
       [&] {
         const Tensor wide = number.expand({int64_t{1} << 59});
         cat(TensorList(16, wide));
       }},
      // And these threw what is no Error.
      {"split: 1099511627776 pieces", [&] { number.expand({kFar}).split(1); }},
      {"unbind: 1099511627776 pieces", [&] { number.expand({kFar}).unbind(); }}};
  for (const Case& one : cases)
    EXPECT_THAT(one.call, ::testing::ThrowsMessage<Error>(HasSubstr(one.message))) << one.message;
  EXPECT_EQ(as_strided(number, {1, 1}, {kMost, kMost}).diagonal().sizes(), IntArrayRef(1));
}

TEST(FoundByFuzz, ScalesThatLeadBeyondEveryNumber) {
  const Tensor x = ones({1, 1, 3, 3}, kFloat64);
  for (const double scale : {1e-300, 5e-324, 1e300}) {
    EXPECT_TRUE(upsample_nearest2d(x, {2, 2}, scale, scale).equal(ones({1, 1, 2, 2}, kFloat64)));
    EXPECT_EQ(upsample_bicubic2d(x, {2, 2}, false, scale, scale).size(3), 2);
    EXPECT_EQ(upsample_bilinear2d(x, {2, 2}, false, scale, scale).size(3), 2);
  }
}

TEST(FoundByFuzz, DimensionsAndTensorsThatAreNotThere) {
  const Tensor x = ones({2, 2}, kFloat64);
  expect_error<IndexError>("softmax: Dimension out of range", [&] { softmax(x, 2); });
  expect_error<IndexError>("squeeze: Dimension out of range", [&] { squeeze(x, -3); });
  expect_error<IndexError>("glu: Dimension out of range", [&] { glu(x, 7); });
  expect_error<ShapeError>("as_strided: 2 sizes but 1 strides", [&] {
    as_strided(x, {1, 1}, {1});
  });
  expect_error<ShapeError>("expand: the expanded size of dimension 1 is negative", [] {
    expand(ones({2, 1}), {2, -2});
  });
  expect_error<UndefinedTensor>("cumsum: an operand", [] { cumsum(Tensor(), 0); });
  expect_error<UndefinedTensor>("contiguous: an operand", [] { contiguous(Tensor()); });
  expect_error<UndefinedTensor>("sub_: an operand", [&] { x.sub_(Tensor()); });
  expect_error<UndefinedTensor>("max: an operand", [] { max(Tensor(), 0); });
  expect_error<UndefinedTensor>("to: an operand", [] { Tensor().to(kFloat64); });
  expect_error<UndefinedTensor>("to: an operand", [] { Tensor().cpu(); });
}

TEST(FoundByFuzz, SizesThatNoOutHas) {
  Tensor out = ones({2}, kFloat64);
  expect_error<ShapeError>("zeros_out: negative dimension -1", [&] { zeros_out(out, {-1}); });
  expect_error<ShapeError>("eye_out: negative dimension -3", [&] { eye_out(out, 2, -3); });
  expect_error<ShapeError>("empty_out: negative dimension -1", [&] { empty_out(out, {-1}); });
  expect_error<ShapeError>("resize_: negative dimension -1", [&] { out.resize_({-1}); });
  expect_error<ValueError>("randint: expects", [&] { randint_out(out, 4, 1, {2}); });
}

TEST(FoundByFuzz, OperandsOfAnotherConvolution) {
  const Conv2dProblem problem{
      .image = {1, 1, 3, 3}, .filter = {1, 1, 2, 2}, .response = {1, 1, 2, 2}};
  const Tensor response = ones({1, 1, 2, 2}, kFloat64), flat = ones({4}, kFloat64);
  expect_error<ShapeError>("conv2d_backward_input: expected an operand of shape [1, 1, 2, 2]",
                           [&] { conv2d_backward_input(response, flat, problem); });
  expect_error<ShapeError>("conv2d_backward_weight: expected an operand of shape [1, 1, 3, 3]",
                           [&] { conv2d_backward_weight(response, flat, problem); });
}

}  // namespace
}  // namespace notape::testing
