// Which shapes of input and target each loss takes: those that LibTorch's operators take.
#include "ops/linalg/testing/torch_example.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

using Shape = std::vector<int64_t>;
using Loss = Tensor (*)(const Tensor& input, const Tensor& target, Reduction reduction);

struct NamedLoss {
  const char* name;
  Loss call;
};
constexpr NamedLoss kBroadcasting[] = {
    {"mse_loss",
     [](const Tensor& x, const Tensor& t, Reduction how) { return mse_loss(x, t, how); }},
    {"l1_loss", [](const Tensor& x, const Tensor& t, Reduction how) { return l1_loss(x, t, how); }},
    {"smooth_l1_loss",
     [](const Tensor& x, const Tensor& t, Reduction how) { return smooth_l1_loss(x, t, how); }},
    {"huber_loss",
     [](const Tensor& x, const Tensor& t, Reduction how) { return huber_loss(x, t, how); }},
    {"kl_div", [](const Tensor& x, const Tensor& t, Reduction how) { return kl_div(x, t, how); }},
    {"hinge_embedding_loss", [](const Tensor& x, const Tensor& t,
                                Reduction how) { return hinge_embedding_loss(x, t, 1, how); }},
    {"poisson_nll_loss",
     [](const Tensor& x, const Tensor& t, Reduction how) {
       return poisson_nll_loss(x, t, true, false, 1e-8, how);
     }},
};
constexpr NamedLoss kOther[] = {
    {"binary_cross_entropy", [](const Tensor& x, const Tensor& t,
                                Reduction how) { return binary_cross_entropy(x, t, {}, how); }},
    {"binary_cross_entropy_with_logits",
     [](const Tensor& x, const Tensor& t, Reduction how) {
       return binary_cross_entropy_with_logits(x, t, {}, {}, how);
     }},
    {"soft_margin_loss",
     [](const Tensor& x, const Tensor& t, Reduction how) { return soft_margin_loss(x, t, how); }},
};

/// The shape of the terms; none: ShapeError.
using Result = std::optional<Shape>;
constexpr std::nullopt_t kRefused = std::nullopt;

void expect_result(const NamedLoss& loss, const Shape& input, const Shape& target,
                   const Result& expected) {
  SCOPED_TRACE(format_message("{} of {} and {}", {loss.name, to_string(IntArrayRef(input)),
                                                  to_string(IntArrayRef(target))}));
  const Tensor x = full(input, 0.25, kFloat64).requires_grad_();
  const Tensor t = full(target, 0.75, kFloat64).requires_grad_();
  if (!expected) {
    for (const auto how : {Reduction::None, Reduction::Mean, Reduction::Sum})
      expect_error<ShapeError>(loss.name, [&] { loss.call(x, t, how); });
    return;
  }
  EXPECT_EQ(loss.call(x, t, Reduction::None).sizes(), IntArrayRef(*expected));
  EXPECT_EQ(loss.call(x, t, Reduction::Mean).dim(), 0);
  loss.call(x, t, Reduction::Sum).backward();
  EXPECT_EQ(x.grad().sizes(), x.sizes());
}

// Measured with torch._C._nn and torch of LibTorch 1.13. Where its binary_cross_entropy resizes its
// result, warns and returns a loss of some of the entries (a target larger than the input), ours
// refuses.
TEST(LossShapes, AreThoseOfLibTorch) {
  const struct {
    Shape input, target;
    Result broadcast, cross_entropy, with_logits, soft_margin;
  } cases[] = {
      {{4}, {4}, Shape{4}, Shape{4}, Shape{4}, Shape{4}},
      {{4, 1}, {4}, Shape{4, 4}, Shape{4, 1}, kRefused, kRefused},
      {{4}, {4, 1}, Shape{4, 4}, Shape{4}, kRefused, kRefused},
      {{2, 3}, {6}, kRefused, kRefused, kRefused, kRefused},
      {{6}, {2, 3}, kRefused, kRefused, kRefused, kRefused},
      {{2, 3}, {3, 2}, kRefused, kRefused, kRefused, kRefused},
      {{4}, {1}, Shape{4}, Shape{4}, kRefused, Shape{4}},
      {{1}, {4}, Shape{4}, kRefused, Shape{4}, kRefused},
      {{4}, {}, Shape{4}, Shape{4}, kRefused, Shape{4}},
      {{}, {1}, Shape{1}, Shape{}, Shape{1}, kRefused},
      {{1}, {}, Shape{1}, Shape{1}, kRefused, Shape{1}},
      {{}, {}, Shape{}, Shape{}, Shape{}, Shape{}},
      {{2, 3}, {3}, Shape{2, 3}, Shape{2, 3}, kRefused, Shape{2, 3}},
      {{2, 3}, {1, 3}, Shape{2, 3}, Shape{2, 3}, kRefused, Shape{2, 3}},
      {{1, 3}, {2, 3}, Shape{2, 3}, kRefused, Shape{2, 3}, kRefused},
      {{4}, {3}, kRefused, kRefused, kRefused, kRefused},
      {{0}, {0}, Shape{0}, Shape{0}, Shape{0}, Shape{0}},
      {{0}, {1}, Shape{0}, Shape{0}, kRefused, Shape{0}},
      {{0, 3}, {3, 0}, kRefused, kRefused, kRefused, kRefused},
  };
  for (const auto& one : cases) {
    for (const NamedLoss& loss : kBroadcasting)
      expect_result(loss, one.input, one.target, one.broadcast);
    expect_result(kOther[0], one.input, one.target, one.cross_entropy);
    expect_result(kOther[1], one.input, one.target, one.with_logits);
    expect_result(kOther[2], one.input, one.target, one.soft_margin);
  }
}

TEST(LossShapes, DimensionsOfSizeOneDoNotCountBesideProbabilities) {
  const Tensor x = constant({0.25, 0.5, 0.125, 0.75}), t = constant({1, 0, 0.5, 0.25});
  const Tensor expected = binary_cross_entropy(x, t, {}, Reduction::None);
  const Tensor column = binary_cross_entropy(x.view({4, 1}), t, {}, Reduction::None);
  EXPECT_TRUE(column.equal(expected.view({4, 1})));
  EXPECT_TRUE(binary_cross_entropy(x, t.view({4, 1}), {}, Reduction::None).equal(expected));
}

TEST(LossShapes, OfWeightsAreThatOfTheTermsOrBroadcastToIt) {
  const struct {
    Shape input, target, weight, pos_weight;
    bool is_refused;
  } cases[] = {
      {{4}, {4}, {4}, {}, false},
      {{4}, {4}, {1}, {}, false},
      {{4}, {4}, {3, 4}, {}, true},
      {{2, 3}, {2, 3}, {}, {3}, false},
      {{2, 3}, {2, 3}, {}, {4, 2, 3}, true},
      {{3}, {2, 3}, {}, {3}, false},
      {{1}, {4}, {4}, {4}, false},
      {{2, 3}, {2, 3}, {2, 1}, {1, 3}, false},
  };
  for (const auto& [input, target, weight, pos_weight, is_refused] : cases) {
    const Tensor x = full(input, 0.25), t = full(target, 0.75);
    const auto with_logits = [&, &w = weight, &p = pos_weight] {
      return binary_cross_entropy_with_logits(x, t, ones(w), ones(p), Reduction::None);
    };
    if (!is_refused) {
      EXPECT_EQ(with_logits().sizes(), t.sizes());
    } else {
      expect_error<ShapeError>("doesn't match the broadcast shape", with_logits);
    }
  }
  const Tensor x = full({4, 1}, 0.25), t = full({4}, 0.75);
  expect_error<ShapeError>("doesn't match the broadcast shape",
                           [&] { binary_cross_entropy(x, t, ones({4})); });
  expect_error<ShapeError>("doesn't match the broadcast shape", [&] {
    binary_cross_entropy(t, t, ones({3, 4}));
  });
  EXPECT_EQ(binary_cross_entropy(x, t, ones({1}), Reduction::None).sizes(), x.sizes());
}

TEST(LossShapes, OfClassesAreThoseOfLibTorch) {
  const struct {
    Shape scores, classes;
    bool is_refused;
  } cases[] = {
      {{4, 3}, {4}, false},
      {{4, 3}, {4, 1}, true},
      {{4, 3}, {}, true},
      {{3}, {}, false},
      {{3}, {1}, true},
      {{3}, {2}, true},
      {{4, 3, 2}, {4, 2}, false},
      {{4, 3, 2}, {4, 1}, true},
      {{4, 3, 2}, {8}, true},
      {{4, 3}, {3}, true},
      {{4, 3}, {1}, true},
      {{0, 3}, {0}, false},
      {{4, 3, 2, 2}, {4, 2, 2}, false},
      {{4, 3, 2, 2}, {4, 4}, true},
      {{4, 3, 1}, {4}, true},
  };
  for (const auto& [scores, classes, is_refused] : cases) {
    SCOPED_TRACE(to_string(IntArrayRef(scores)) + " " + to_string(IntArrayRef(classes)));
    const Tensor x = zeros(scores), t = zeros(classes, kInt64);
    for (const bool from_scores : {false, true}) {
      const auto loss = [&] {
        return from_scores ? cross_entropy(x, t, {}, Reduction::None)
                           : nll_loss(x, t, {}, Reduction::None);
      };
      if (!is_refused) {
        EXPECT_EQ(loss().sizes(), t.sizes());
      } else {
        expect_error<ShapeError>("", loss);
      }
    }
  }
}

TEST(LossShapes, OfThreeTensorsAreThoseOfLibTorch) {
  const struct {
    Shape a, b, c;
    Result ranking, cosine, triplet;
  } cases[] = {
      {{4}, {4}, {4}, Shape{4}, kRefused, Shape{}},
      {{4}, {1}, {4}, Shape{4}, kRefused, Shape{}},
      {{4, 3}, {4, 3}, {4}, kRefused, Shape{4}, kRefused},
      {{4, 3}, {1, 3}, {4}, kRefused, Shape{4}, kRefused},
      {{4, 3}, {4, 3}, {1}, kRefused, Shape{4}, kRefused},
      {{4, 3}, {4, 3}, {3}, kRefused, kRefused, kRefused},
      {{4, 3}, {3}, {4}, kRefused, kRefused, kRefused},
      {{3}, {3}, {}, kRefused, Shape{}, kRefused},
      {{4, 3}, {4, 3}, {}, kRefused, kRefused, kRefused},
      {{4, 3}, {4, 3}, {4, 1}, Shape{4, 3}, kRefused, Shape{4}},
      {{4, 3}, {1, 3}, {4, 3}, Shape{4, 3}, kRefused, Shape{4}},
      {{4, 3}, {4, 3}, {5, 3}, kRefused, kRefused, kRefused},
  };
  for (const auto& one : cases) {
    SCOPED_TRACE(to_string(IntArrayRef(one.a)) + to_string(IntArrayRef(one.b)) +
                 to_string(IntArrayRef(one.c)));
    const Tensor a = ones(one.a), b = ones(one.b), c = ones(one.c);
    const auto expect = [](const Result& expected, const auto& loss) {
      if (expected) {
        EXPECT_EQ(loss().sizes(), IntArrayRef(*expected));
      } else {
        expect_error<ShapeError>("", loss);
      }
    };
    expect(one.ranking, [&] { return margin_ranking_loss(a, b, c, 0, Reduction::None); });
    expect(one.cosine, [&] { return cosine_embedding_loss(a, b, c, 0, Reduction::None); });
    expect(one.triplet,
           [&] { return triplet_margin_loss(a, b, c, 1, 2, 1e-6, false, Reduction::None); });
  }
}

}  // namespace
}  // namespace notape::testing
