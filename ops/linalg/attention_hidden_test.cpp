// scaled_dot_product_attention does not read what its mask hides: with NaN and infinity there it
// gives what it gives with zeros there, in value and in derivatives of either mode and order.
#include "ops/linalg/testing/second_source.h"

namespace notape::testing {
namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

enum class Hiding { Choice, PaddingChoice, Addend, PaddingAddend, Causal };
constexpr Hiding kHidings[] = {Hiding::Choice, Hiding::PaddingChoice, Hiding::Addend,
                               Hiding::PaddingAddend, Hiding::Causal};

/// The last keys are hidden from all queries, of masks by pairs others from some, and the last
/// query sees nothing.
struct HiddenCase {
  Hiding hiding;
  int64_t queries, keys, seen;
  ScalarType type = kFloat64;
  bool broadcasts = false;  // key and value have one head less than the query: no kernel takes it
  double dropout = 0;

  bool by_pairs() const { return hiding == Hiding::Choice || hiding == Hiding::Addend; }

  Tensor mask() const {
    if (hiding == Hiding::Causal) return {};
    const int64_t rows = by_pairs() ? queries : 1;
    Tensor seen_pairs = ones({rows, keys}, kBool);
    if (by_pairs()) {
      seen_pairs =
          gt(sin(arange(0, rows * keys, TensorOptions(kFloat64)).reshape({rows, keys})), 0);
      seen_pairs.select(1, 0).fill_(true);
      seen_pairs.select(0, rows - 1).fill_(false);
    }
    seen_pairs.slice(1, seen).fill_(false);
    if (hiding == Hiding::Choice || hiding == Hiding::PaddingChoice) return seen_pairs;
    return where(seen_pairs, ones({rows, keys}, type) / 4, -kInfinity);
  }

  TensorList operands(double hidden) const {
    const auto numbers = [&](std::vector<int64_t> sizes, int64_t key) {
      const Tensor places = arange(0, Geometry(sizes).numel(), TensorOptions(kFloat64));
      return to(sin(places * static_cast<double>(key)), type).reshape(sizes);
    };
    const int64_t heads = broadcasts ? 1 : 2;
    TensorList x = {numbers({2, queries, 5}, 5), numbers({heads, keys, 5}, 7),
                    numbers({heads, keys, 3}, 3)};
    for (std::size_t i : {1, 2}) x[i].slice(1, seen).fill_(hidden);
    if (by_pairs()) x[0].select(1, queries - 1).fill_(hidden);
    return x;
  }

  Tensor attend(const variable_list& x, const Tensor& of_mask) const {
    manual_seed(5);
    return scaled_dot_product_attention(x[0], x[1], x[2], of_mask, dropout,
                                        hiding == Hiding::Causal);
  }

  /// The result, its gradients, and the gradients of a sum of these.
  TensorList derivatives(double hidden, bool second) const {
    variable_list leaves;
    for (const Tensor& operand : operands(hidden))
      leaves.push_back(operand.detach().requires_grad_());
    Tensor of_mask = mask();
    if (of_mask.defined() && of_mask.is_floating_point())
      leaves.push_back(of_mask.requires_grad_());
    const Tensor result = attend(leaves, of_mask);
    TensorList all = {result.detach()};
    const variable_list first =
        autograd::grad({result}, leaves, {result.detach().cos()}, {}, second);
    Tensor sum;
    for (const Tensor& gradient : first) {
      all.push_back(gradient.detach());
      if (second) sum = sum.defined() ? sum + gradient.square().sum() : gradient.square().sum();
    }
    if (second)
      for (const Tensor& gradient : autograd::grad({sum}, leaves)) all.push_back(gradient);
    return all;
  }
};

void expect_same_numbers(const TensorList& all, const TensorList& expected) {
  ASSERT_EQ(all.size(), expected.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_TRUE(equal(all[i], expected[i])) << i << "\n" << all[i] << "\nand not\n" << expected[i];
    EXPECT_FALSE(isnan(expected[i]).any().item<bool>());
  }
}

void expect_unread(const HiddenCase& c) {
  for (const double hidden : {kNotANumber, kInfinity, -kInfinity}) {
    SCOPED_TRACE(format_message("mask {}, {} keys, {}, {} in place of 0",
                                {static_cast<int>(c.hiding), c.keys, name_of(c.type), hidden}));
    for (const bool second : {false, true})
      expect_same_numbers(c.derivatives(hidden, second), c.derivatives(0, second));
  }
}

TEST(HiddenFromAttention, IsNotReadByValueOrGradientsOfAnyOrder) {
  for (const Hiding hiding : kHidings)
    for (const ScalarType type : {kFloat64, kFloat32, kHalf}) {
      expect_unread({hiding, 3, 5, 3, type});
      expect_unread({hiding, 70, 150, 70, type});
    }
}

TEST(HiddenFromAttention, IsNotReadWhereNoKernelTakesIt) {
  for (const Hiding hiding : kHidings) {
    expect_unread({.hiding = hiding, .queries = 4, .keys = 6, .seen = 4, .broadcasts = true});
    expect_unread({.hiding = hiding, .queries = 4, .keys = 6, .seen = 4, .dropout = 0.3});
  }
}

TEST(HiddenFromAttention, IsNotReadInForwardMode) {
  for (const Hiding hiding : kHidings)
    for (std::size_t i = 0; i < 3; ++i) {
      const HiddenCase c{hiding, 4, 7, 4};
      const auto tangent = [&](double hidden) {
        const TensorList operands = c.operands(hidden);
        return directional_derivative(
            [&](const Tensor& x) {
              variable_list changed(operands.begin(), operands.end());
              changed[i] = x;
              return c.attend(changed, c.mask());
            },
            operands[i], where(isfinite(operands[i]), c.operands(0)[i].cos(), hidden));
      };
      for (const double hidden : {kNotANumber, kInfinity})
        expect_same_numbers({tangent(hidden)}, {tangent(0)});
    }
}

TEST(HiddenFromAttention, IsNotReadUnderVmap) {
  for (const Hiding hiding : kHidings) {
    const HiddenCase c{hiding, 4, 7, 4};
    const auto mapped = [&](double hidden) {
      const TensorList x = c.operands(hidden);
      const auto one = [&](const variable_list& sample) -> variable_list {
        return {c.attend(sample, c.mask())};
      };
      return autograd::functional::vmap(one)(variable_list{x[0], x[1], x[2]})[0];
    };
    expect_same_numbers({mapped(kNotANumber)}, {mapped(0)});
  }
}

/// What some queries see and others do not is read for those alone.
TEST(HiddenFromAttention, ReachesTheQueriesThatSeeIt) {
  for (const double there : {kNotANumber, kInfinity})
    for (const int64_t at : {1, 66}) {
      const HiddenCase c{Hiding::Causal, 70, 70, 70};
      variable_list x, y;
      for (const Tensor& operand : c.operands(0)) x.push_back(operand.clone().requires_grad_());
      for (const Tensor& operand : c.operands(0)) y.push_back(operand.clone());
      y[2].select(1, at).fill_(there);
      for (Tensor& operand : y) operand.requires_grad_();
      const Tensor clean = c.attend(x, {}), result = c.attend(y, {});
      EXPECT_TRUE(equal(result.slice(1, 0, at), clean.slice(1, 0, at)));
      EXPECT_TRUE(equal(result.slice(1, at), full({2, 70 - at, 3}, there, kFloat64)) ||
                  (there != there && isnan(result.slice(1, at)).all().item<bool>()));
      const Tensor incoming = clean.detach().cos();
      EXPECT_TRUE(equal(autograd::grad({result}, {y[0]}, {incoming})[0].slice(1, 0, at),
                        autograd::grad({clean}, {x[0]}, {incoming})[0].slice(1, 0, at)));
      for (const bool by_operators : {false, true}) {  // in operators, too
        const Tensor again = by_operators
                                 ? scaled_dot_product_attention(y[0], y[1].slice(0, 0, 1),
                                                                y[2].slice(0, 0, 1), {}, 0, true)
                                 : result;
        EXPECT_TRUE(equal(isnan(again), isnan(result)));
        EXPECT_TRUE(equal(isinf(again), isinf(result)));
      }
    }
}

TEST(HiddenFromAttention, IsNotReadByHeadsThatTellTheirWeights) {
  const Tensor identity = eye(4, kFloat64), nothing = zeros({4}, kFloat64);
  const auto attend = [&](double hidden, bool tells) {
    const Tensor q = pattern({3, 1, 4}, 5), k = pattern({5, 1, 4}, 7), v = pattern({5, 1, 4}, 3);
    for (const Tensor& one : {k, v}) one.slice(0, 3).fill_(hidden);
    return std::get<0>(multi_head_attention_forward(q, k, v, 4, 2, {}, zeros({12}, kFloat64), {},
                                                    {}, false, 0, identity, nothing, false,
                                                    tensor({{false, false, false, true, true}}),
                                                    tells, {}, true, identity, identity, identity));
  };
  for (const bool tells : {false, true})
    expect_same_numbers({attend(kNotANumber, tells)}, {attend(0, tells)});
}

}  // namespace
}  // namespace notape::testing
