#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

constexpr int64_t kSteps = 3, kReads = 4, kBatch = 2, kEmbed = 6, kHeads = 2;

struct Attention {
  Tensor query = random({kSteps, kBatch, kEmbed}), key = random({kReads, kBatch, kEmbed});
  Tensor value = random({kReads, kBatch, kEmbed}), weight = random({3 * kEmbed, kEmbed});
  Tensor bias = random({3 * kEmbed}), out_weight = random({kEmbed, kEmbed});
  Tensor out_bias = random({kEmbed});
  Tensor bias_k, bias_v, padding, mask;
  bool zero = false, weights = true, average = true;

  static Tensor random(std::vector<int64_t> sizes) {
    return randn(sizes, kFloat64).requires_grad_();
  }
  std::tuple<Tensor, Tensor> operator()() const {
    return multi_head_attention_forward(query, key, value, kEmbed, kHeads, weight, bias, bias_k,
                                        bias_v, zero, 0, out_weight, out_bias, true, padding,
                                        weights, mask, false, {}, {}, {}, {}, {}, average);
  }
};

/// Head by head and sequence by sequence.
Tensor plain(const Attention& a) {
  const int64_t width = kEmbed / kHeads;
  std::vector<Tensor> sequences;
  for (int64_t n = 0; n < kBatch; ++n) {
    std::vector<Tensor> heads;
    for (int64_t h = 0; h < kHeads; ++h) {
      const auto part = [&](const Tensor& x, int64_t which) {
        const int64_t first = which * kEmbed + h * width;
        return x.select(1, n).mm(a.weight.narrow(0, first, width).t()) +
               a.bias.narrow(0, first, width);
      };
      Tensor scores = part(a.query, 0).mm(part(a.key, 1).t()) / std::sqrt(double(width));
      if (a.mask.defined()) scores = scores.masked_fill(a.mask, -INFINITY);
      if (a.padding.defined())
        scores = scores.masked_fill(a.padding.select(0, n).expand({kSteps, kReads}), -INFINITY);
      heads.push_back(scores.softmax(1).mm(part(a.value, 2)));
    }
    sequences.push_back(linear(cat(heads, 1), a.out_weight, a.out_bias));
  }
  return stack(sequences, 1);
}

void expect_same(const Tensor& a, const Tensor& b) {
  EXPECT_TRUE(allclose(a, b, 1e-12, 1e-12)) << a << b;
}

void expect_same_as_plain(const Attention& a) {
  const Tensor ours = std::get<0>(a()), other = plain(a);
  expect_same(ours, other);
  const std::vector<Tensor> leaves = {a.query, a.key, a.value, a.weight, a.bias, a.out_weight};
  const Tensor seed = randn(ours.sizes(), kFloat64);
  const auto mine = autograd::grad({ours}, leaves, {seed}),
             theirs = autograd::grad({other}, leaves, {seed});
  for (std::size_t i = 0; i < leaves.size(); ++i) expect_same(mine[i], theirs[i]);
}

TEST(MultiHeadAttention, IsAttentionOfEachHead) {
  for (const bool weights : {true, false})
    for (const int masks : {0, 1, 2, 3}) {
      Attention a;
      a.weights = weights;
      if (masks & 1) a.mask = triu(ones({kSteps, kReads}), 2) > 0;
      if (masks & 2) a.padding = tensor({0, 0, 0, 1, 0, 0, 1, 1}).view({kBatch, kReads}) > 0;
      SCOPED_TRACE(masks);
      expect_same_as_plain(a);
    }
}

TEST(MultiHeadAttention, TellsWeights) {
  Attention a;
  const Tensor mean = std::get<1>(a());
  EXPECT_EQ(mean.sizes(), IntArrayRef({kBatch, kSteps, kReads}));
  expect_same(mean.sum(-1), ones({kBatch, kSteps}, kFloat64));
  a.average = false;
  expect_same(std::get<1>(a()).mean(IntArrayRef{1}), mean);
  a.weights = false;
  EXPECT_FALSE(std::get<1>(a()).defined());
}

TEST(MultiHeadAttention, StepsThatAreAddedAreNotMasked) {
  Attention a;
  a.zero = true;
  a.bias_k = Attention::random({1, 1, kEmbed});
  a.bias_v = Attention::random({1, 1, kEmbed});
  a.padding = ones({kBatch, kReads}) > 0;  // only what was added is left
  a.mask = zeros({kSteps, kReads}) > 0;
  const auto [output, weights] = a();
  EXPECT_EQ(weights.size(2), kReads + 2);
  expect_same(weights.narrow(2, 0, kReads), zeros({kBatch, kSteps, kReads}, kFloat64));
  a.weights = false;
  expect_same(std::get<0>(a()), output);
}

TEST(MultiHeadAttention, TakesProjectionsOneByOneAndOneSequence) {
  const Attention a;
  const auto weight = [&](int64_t i) { return a.weight.narrow(0, i * kEmbed, kEmbed); };
  const auto with = [&](const Tensor& q, const Tensor& k, const Tensor& v) {
    return std::get<0>(multi_head_attention_forward(
        q, k, v, kEmbed, kHeads, {}, a.bias, {}, {}, false, 0, a.out_weight, a.out_bias, true, {},
        true, {}, true, weight(0), weight(1), weight(2)));
  };
  const Tensor all = std::get<0>(a());
  expect_same(with(a.query, a.key, a.value), all);
  expect_same(with(a.query.select(1, 0), a.key.select(1, 0), a.value.select(1, 0)),
              all.select(1, 0));
}

TEST(MultiHeadAttention, SaysWhatDoesNotFit) {
  Attention a;
  a.weight = Attention::random({3, kEmbed});
  expect_error<ShapeError>("multi_head_attention_forward: expected in_proj_weight", [&] { a(); });
  a = Attention();
  a.bias_k = Attention::random({1, 1, kEmbed});
  expect_error<ValueError>("multi_head_attention_forward: bias_k and bias_v", [&] { a(); });
  a = Attention();
  a.mask = ones({2, kReads}) > 0;
  expect_error<ShapeError>("multi_head_attention_forward: expected attn_mask", [&] { a(); });
  a.mask = ones({kSteps, kReads}, kInt64);
  expect_error<DtypeError>("multi_head_attention_forward: only bool and floating", [&] { a(); });
}

}  // namespace
}  // namespace notape::testing
