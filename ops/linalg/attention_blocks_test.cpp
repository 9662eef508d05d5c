// scaled_dot_product_attention of more than one block of queries and keys: against products and a
// softmax, and against numbers from PyTorch 2.15.
#include "autograd/tensor/counters.h"
#include "ops/linalg/attention.h"
#include "ops/linalg/testing/second_source.h"
#include "ops/parallel.h"

namespace notape::testing {
namespace {

/// Of a query, key, value and, where there is one, a mask.
struct AttentionCase {
  std::vector<int64_t> batch;
  int64_t queries, keys, width, value_width;
  std::vector<int64_t> mask = {};
  bool is_bool = false, is_causal = false;
};

const std::vector<AttentionCase> kAttentionCases = {
    {{}, 257, 130, 40, 24},
    {{2, 3}, 65, 200, 16, 64, {}, false, true},
    {{2}, 200, 65, 7, 3, {}, false, true},
    {{3}, 1, 129, 33, 17},
    {{2}, 70, 1, 5, 9},
    {{2, 2}, 66, 131, 8, 8, {66, 131}},
    {{2, 2}, 66, 131, 8, 8, {2, 1, 1, 131}},
    {{2, 2}, 66, 131, 8, 8, {2, 1, 66, 1}},
    {{2, 2}, 130, 67, 8, 8, {130, 67}, true},
    {{2, 2}, 130, 67, 8, 8, {2, 1, 1, 67}, true},
    {{1}, 192, 128, 80, 96, {2, 1, 1, 1}, true},  // more dimensions than queries have
};

Tensor numbers_for(std::vector<int64_t> batch, std::initializer_list<int64_t> last, int64_t key,
                   ScalarType type) {
  batch.insert(batch.end(), last);
  const Tensor places = arange(0, Geometry(batch).numel(), TensorOptions(kFloat64));
  return to(sin(places * static_cast<double>(key)) * 2, type).reshape(batch);
}

TensorList operands_of(const AttentionCase& c, ScalarType type) {
  TensorList result = {numbers_for(c.batch, {c.queries, c.width}, 5, type),
                       numbers_for(c.batch, {c.keys, c.width}, 7, type),
                       numbers_for(c.batch, {c.keys, c.value_width}, 3, type)};
  if (!c.mask.empty()) {
    const Tensor mask = numbers_for(c.mask, {}, 11, type);
    result.push_back(c.is_bool ? gt(mask, 0.5) : mask);
  }
  return result;
}

Tensor mask_of(const TensorList& x) { return x.size() > 3 ? x[3] : Tensor(); }

Tensor in_blocks(const AttentionCase& c, const TensorList& x) {
  return scaled_dot_product_attention(x[0], x[1], x[2], mask_of(x), 0, c.is_causal, 0.3);
}
Tensor in_operators(const AttentionCase& c, const TensorList& x) {
  return matmul(attention_weights({x[0], x[1], x[2], mask_of(x), 0.3, c.is_causal}, At::current()),
                x[2]);
}

/// The result, and gradients of its sum with weights.
template <typename F>
TensorList with_gradients(const F& f, const AttentionCase& c, const TensorList& operands) {
  variable_list leaves;
  for (const Tensor& operand : operands)
    leaves.push_back(operand.is_floating_point() ? operand.detach().requires_grad_() : operand);
  const Tensor result = f(c, leaves);
  TensorList all = {result.detach()};
  variable_list wanted;
  for (const Tensor& leaf : leaves)
    if (leaf.requires_grad()) wanted.push_back(leaf);
  const Tensor weights = numbers_for(result.sizes().vec(), {}, 13, result.dtype());
  for (const Tensor& gradient : autograd::grad({result}, wanted, {weights}))
    all.push_back(gradient);
  return all;
}

void expect_near(const TensorList& all, const TensorList& expected, double tolerance) {
  ASSERT_EQ(all.size(), expected.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE(i);
    ASSERT_EQ(all[i].sizes(), expected[i].sizes());
    const double size = expected[i].abs().max().item();
    EXPECT_LE((all[i] - expected[i]).abs().max().item(), tolerance * (1 + size));
  }
}

void expect_same_bits(const TensorList& all, const TensorList& expected) {
  ASSERT_EQ(all.size(), expected.size());
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_TRUE(equal(all[i], expected[i])) << i;
}

TEST(AttentionInBlocks, IsThatOfProductsAndASoftmax) {
  for (const AttentionCase& c : kAttentionCases)
    for (const auto& [type, tolerance] : {std::pair(kFloat64, 1e-13), std::pair(kFloat32, 2e-5)}) {
      SCOPED_TRACE(::testing::Message() << &c - kAttentionCases.data() << " " << name_of(type));
      const TensorList operands = operands_of(c, type);
      expect_near(with_gradients(in_blocks, c, operands), with_gradients(in_operators, c, operands),
                  tolerance);
    }
}

TEST(AttentionInBlocks, TakesAnyStrides) {
  const AttentionCase c{{2, 2}, 66, 131, 24, 24, {66, 131}};
  const TensorList operands = operands_of(c, kFloat32);
  TensorList moved;
  for (const Tensor& operand : operands) {
    const auto last = static_cast<int>(operand.dim()) - 1;
    std::vector<int> order = {last, last - 1};
    for (int d = last - 2; d >= 0; --d) order.push_back(d);
    moved.push_back(laid_out(operand, order, 1));
  }
  expect_same_bits(with_gradients(in_blocks, c, moved), with_gradients(in_blocks, c, operands));
  // (batch, steps, heads, width), and one key for all heads
  TensorList heads = {laid_out(operands[0], {0, 2, 1, 3}), laid_out(operands[1], {0, 2, 1, 3}),
                      laid_out(operands[2], {0, 2, 1, 3}), operands[3]};
  expect_same_bits(with_gradients(in_blocks, c, heads), with_gradients(in_blocks, c, operands));
  heads[1] = operands[1].narrow(1, 0, 1).expand(operands[1].sizes());
  expect_same_bits({in_blocks(c, heads)},
                   {in_blocks(c, {heads[0], heads[1].contiguous(), heads[2], heads[3]})});
}

TEST(AttentionInBlocks, HeadsThatLieSideBySideStaySo) {
  const AttentionCase c{{2, 4}, 66, 131, 24, 24};
  variable_list heads;
  for (const Tensor& operand : operands_of(c, kFloat32))
    heads.push_back(laid_out(operand, {0, 2, 1, 3}).detach().requires_grad_());
  const Tensor result = in_blocks(c, heads);
  EXPECT_EQ(result.strides(), heads[0].strides());
  EXPECT_TRUE(result.transpose(1, 2).is_contiguous());
  const auto gradients = autograd::grad({result.sum()}, heads);
  for (std::size_t i = 0; i < heads.size(); ++i)
    EXPECT_EQ(gradients[i].strides(), heads[i].strides()) << i;
  // Values of another width, and rows that are not contiguous: row-major.
  EXPECT_TRUE(in_blocks(c, {heads[0], heads[1], heads[2].narrow(-1, 0, 8)}).is_contiguous());
  EXPECT_TRUE(in_blocks(c, {laid_out(heads[0], {0, 1, 3, 2}), heads[1], heads[2]}).is_contiguous());
}

TEST(AttentionInBlocks, HasLibTorchsNumbers) {
  struct Expected {
    Tensor mask;
    bool is_causal;
    std::optional<double> scale;
    std::vector<std::vector<double>> numbers;  // sum, sum of squares and one entry of each
  };
  const std::vector<Expected> all = {{{},
                                      false,
                                      {},
                                      {{-6.57940839287, 54.1359805223, -0.0956101567219},
                                       {-89.630192447, 14.7358536057, 0.0246038422973},
                                       {0, 18.0141742399, -0.0733325694912},
                                       {1560.5, 900.423212969, 0.767324947779}}},
                                     {{},
                                      true,
                                      0.7,
                                      {{-19.7039993811, 206.043671736, -0.121024345343},
                                       {-132.101049061, 41.5056460509, 0.0311799269615},
                                       {0, 128.392551466, -0.051607749468},
                                       {1560.5, 1958.1576268, 0.252039965765}}},
                                     {pattern({130, 150}, 4),
                                      false,
                                      {},
                                      {{2.5204827103, 199.93031605, -0.20052720347},
                                       {-83.5431425406, 14.1959596927, -0.0500528283201},
                                       {0, 13.8945568037, -0.0840969672313},
                                       {1560.5, 906.501524044, 0.875514479207}}},
                                     {gt(pattern({2, 1, 1, 150}, 9), -1),
                                      false,
                                      {},
                                      {{6.09400026477, 164.744181732, -0.0408447569196},
                                       {-77.9216936007, 20.922693953, -0.0535551068643},
                                       {0, 15.8088289282, -0.0281234510873},
                                       {1560.5, 1169.74103464, 1.07657901973}}}};
  for (const Expected& e : all) {
    SCOPED_TRACE(&e - all.data());
    const variable_list x = {pattern_leaf({2, 3, 130, 5}, 5), pattern_leaf({2, 3, 150, 5}, 7),
                             pattern_leaf({2, 3, 150, 4}, 3)};
    const Tensor result =
        scaled_dot_product_attention(x[0], x[1], x[2], e.mask, 0, e.is_causal, e.scale);
    const Tensor weights = counting_like(result) / static_cast<double>(result.numel());
    TensorList seen = {result.detach()};
    for (const Tensor& gradient : autograd::grad({result}, x, {weights})) seen.push_back(gradient);
    for (std::size_t i = 0; i < seen.size(); ++i) {
      SCOPED_TRACE(i);
      EXPECT_NEAR(seen[i].sum().item(), e.numbers[i][0], 1e-8);
      EXPECT_NEAR(seen[i].square().sum().item(), e.numbers[i][1], 1e-8);
      EXPECT_NEAR(seen[i][1][2][100][1].item(), e.numbers[i][2], 1e-11);
    }
  }
}

TEST(AttentionInBlocks, RowsWithoutAnythingAreZero) {
  AttentionCase c{{2}, 130, 140, 8, 8};
  TensorList operands = operands_of(c, kFloat32);
  Tensor seen = ones({130, 140}, kBool);
  seen.select(0, 100).fill_(0);
  seen.narrow(1, 0, 70).fill_(0);  // the first block of keys, for all
  operands.push_back(seen);
  const TensorList all = with_gradients(in_blocks, c, operands);
  expect_near(all, with_gradients(in_operators, c, operands), 2e-5);
  for (std::size_t i : {0, 1}) EXPECT_EQ(all[i].select(1, 100).abs().max().item(), 0);
  for (std::size_t i : {2, 3}) EXPECT_EQ(all[i].narrow(1, 0, 70).abs().max().item(), 0);
  operands[3] = where(seen, zeros({130, 140}, kFloat32), -kInfinity);
  const TensorList added = with_gradients(in_blocks, c, operands);
  expect_same_bits({added[0], added[1], added[2], added[3]}, all);
}

/// Of rows with one weight of nearly 1 softmax knows its derivative; from rounded products it would
/// be noise.
TEST(AttentionInBlocks, HasGradientsOfSaturatedRows) {
  const AttentionCase c{{2}, 70, 140, 8, 8};
  TensorList operands = operands_of(c, kFloat64);
  operands[1].select(1, 100).fill_(5);
  operands[0].select(1, 3).fill_(2);
  operands[1].select(1, 5).fill_(-5);
  operands[0].select(1, 66).fill_(-1.5);
  const TensorList wide = with_gradients(in_operators, c, operands);
  for (Tensor& operand : operands) operand = to(operand, kFloat32);
  const TensorList all = with_gradients(in_blocks, c, operands);
  for (const int64_t row : {3, 66}) {
    const Tensor gradient = all[1].select(1, row), expected = wide[1].select(1, row);
    const double size = expected.abs().max().item();
    EXPECT_LT(size, 1e-4);
    EXPECT_GT(size, 0);
    EXPECT_LE((to(gradient, kFloat64) - expected).abs().max().item(), 1e-3 * size);
  }
}

TEST(AttentionInBlocks, IsNotANumberWhereTheCompositionIsNot) {
  const AttentionCase c{{}, 70, 70, 4, 4};
  for (const double number : {kNaN, kInfinity, -kInfinity}) {
    TensorList operands = operands_of(c, kFloat64);
    operands[0].select(0, 65).fill_(number);
    operands[1] = operands[1].abs() + 1;
    EXPECT_TRUE(equal(isnan(in_blocks(c, operands)), isnan(in_operators(c, operands))));
    EXPECT_TRUE(isnan(in_blocks(c, operands)).any().item() != 0);
  }
}

TEST(AttentionInBlocks, HasDerivativesOfEveryOrder) {
  for (AttentionCase c : {AttentionCase{{2}, 67, 66, 3, 2, {67, 66}},
                          AttentionCase{{2}, 67, 66, 3, 2, {}, false, true}}) {
    const TensorList operands = operands_of(c, kFloat64);
    const auto second = [&](const auto& f) {
      variable_list leaves;
      for (const Tensor& operand : operands) leaves.push_back(operand.detach().requires_grad_());
      const Tensor result = f(c, leaves);
      const Tensor weights = result.detach().sin().requires_grad_();
      const variable_list first = autograd::grad({result}, leaves, {weights}, {}, true);
      Tensor sum;
      for (const Tensor& gradient : first)
        sum = sum.defined() ? sum + gradient.sin().sum() : gradient.sin().sum();
      leaves.push_back(weights);
      TensorList all(first.begin(), first.end());
      for (const Tensor& gradient : autograd::grad({sum}, leaves)) all.push_back(gradient);
      return all;
    };
    expect_near(second(in_blocks), second(in_operators), 1e-12);
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const auto tangent = [&](const auto& f) {
        return directional_derivative(
            [&](const Tensor& x) {
              TensorList changed = operands;
              changed[i] = x;
              return f(c, changed);
            },
            operands[i], operands[i].cos());
      };
      expect_near({tangent(in_blocks)}, {tangent(in_operators)}, 1e-13);
    }
  }
}

TEST(AttentionInBlocks, BitsDependOnNothingElse) {
  struct Threads {
    int before = get_num_threads();
    ~Threads() { set_num_threads(before); }
  } threads;
  for (const AttentionCase& c :
       {AttentionCase{{}, 400, 700, 16, 8}, AttentionCase{{3}, 300, 260, 8, 8}}) {
    const TensorList operands = operands_of(c, kFloat32);
    operands[1].select(-2, 258).fill_(5);  // one weight dominates a row
    operands[0].select(-2, 70).fill_(2);
    set_num_threads(1);
    const TensorList all = with_gradients(in_blocks, c, operands);
    for (const int count : {2, 4}) {
      set_num_threads(count);
      expect_same_bits(with_gradients(in_blocks, c, operands), all);
    }
    expect_same_bits({in_blocks(c, operands)}, {all[0]});
    for (std::size_t i = 0; i < 3; ++i) {  // each gradient alone
      TensorList alone = operands;
      alone[i] = alone[i].detach().requires_grad_();
      const Tensor result = in_blocks(c, alone);
      const Tensor weights = numbers_for(result.sizes().vec(), {}, 13, kFloat32);
      for (const bool is_recorded : {true, false})
        expect_same_bits(autograd::grad({result}, {alone[i]}, {weights}, true, is_recorded),
                         {all[i + 1]});
    }
  }
}

TEST(AttentionInBlocks, KeepsNothingOfTheSizeOfTheScores) {
  const AttentionCase c{{}, 1000, 1200, 8, 4};
  const TensorList operands = operands_of(c, kFloat32);
  variable_list leaves;
  for (const Tensor& operand : operands) leaves.push_back(operand.detach().requires_grad_());
  const int64_t before = counters().saved_bytes, alive = counters().live_bytes;
  const Tensor result = in_blocks(c, leaves);
  const auto bytes = static_cast<int64_t>(sizeof(float));
  EXPECT_EQ(counters().saved_bytes - before,
            bytes * (1000 * 8 + 1200 * 8 + 1200 * 4 + 1000 * 4 + 2 * 1000));
  EXPECT_EQ(counters().live_bytes - alive, bytes * (1000 * 4 + 2 * 1000));
}

}  // namespace
}  // namespace notape::testing
