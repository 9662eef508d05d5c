// What is refused is refused before a number is drawn: the generator goes on as if nobody had
// asked.
#include "autograd/functional/vmap.h"
#include "autograd/modes/inference_mode.h"
#include "ops/ops.h"
#include "ops/reduce/testing/derivatives.h"

namespace notape::testing {
namespace {

using autograd::functional::vmap;

/// `message` has to stand in the error.
template <typename E>
void expect_no_draw(const char* message, const std::function<void()>& call) {
  manual_seed(21);
  const std::vector<double> next = values(rand({3}, kFloat64));
  manual_seed(21);
  expect_error<E>(message, call);
  expect_values(rand({3}, kFloat64), next);
}

struct RandomWrite {
  const char* name;
  std::function<void(Tensor&)> call;
};
const std::vector<RandomWrite> kRandomWrites = {
    {"uniform_", [](Tensor& x) { x.uniform_(); }},
    {"normal_", [](Tensor& x) { x.normal_(); }},
    {"exponential_", [](Tensor& x) { x.exponential_(); }},
    {"random_", [](Tensor& x) { x.random_(0, 9); }},
    {"bernoulli_", [](Tensor& x) { x.bernoulli_(0.3); }},
    {"bernoulli_", [](Tensor& x) { x.bernoulli_(full({6}, 0.3)); }},
    {"dropout_", [](Tensor& x) { dropout_(x, 0.4, true); }},
    {"feature_dropout_", [](Tensor& x) { feature_dropout_(x, 0.4, true); }},
    {"alpha_dropout_", [](Tensor& x) { alpha_dropout_(x, 0.4, true); }},
    {"feature_alpha_dropout_", [](Tensor& x) { feature_alpha_dropout_(x, 0.4, true); }},
    {"rrelu_", [](Tensor& x) { rrelu_(x, 0.1, 0.3, true); }},
};

TEST(RefusedDraw, OfATensorThatMustNotBeWritten) {
  Tensor overlapping = ones({1}).expand({4, 6}), made;
  {
    const InferenceMode inference;
    made = ones({4, 6});
  }
  for (const RandomWrite& fill : kRandomWrites) {
    expect_no_draw<MemoryOverlap>(fill.name, [&] { fill.call(overlapping); });
    expect_no_draw<InferenceTensorError>(fill.name, [&] { fill.call(made); });
    Tensor parameter = ones({4, 6}).requires_grad_(true);
    expect_no_draw<LeafInPlace>(fill.name, [&] { fill.call(parameter); });
  }
}

TEST(RefusedDraw, OfNumbersForEachSampleIntoATensorThatAllShare) {
  for (const RandomWrite& fill : kRandomWrites) {
    Tensor shared = ones({4, 6});
    const auto call = [&](const Tensor& x) {
      fill.call(shared);
      return x + shared;
    };
    expect_no_draw<BatchingNotImplemented>(fill.name, [&] {
      vmap(call, 0, 0, Randomness::Different)(ones({3, 4, 6}));
    });
    expect_values(shared, std::vector<double>(24, 1));
    vmap(call, 0, 0, Randomness::Same)(ones({3, 4, 6}));
  }
  Tensor shared = ones({2});
  expect_no_draw<BatchingNotImplemented>("bernoulli_: vmap: an in-place operation", [&] {
    vmap([&](const Tensor& p) { return shared.bernoulli_(p); }, 0, 0,
         Randomness::Same)(full({3, 2}, 0.5));
  });
}

TEST(RefusedDraw, OfADropoutThatDropsNothingIsNoWrite) {
  Tensor parameter = leaf({1, 2});
  EXPECT_TRUE(dropout_(parameter, 0.5, false).is_same(parameter));
  EXPECT_TRUE(alpha_dropout_(parameter, 0, true).is_same(parameter));
}

TEST(RefusedDraw, OfWeightsThatAreNoDistribution) {
  const Tensor second_row = tensor({{1., 2.}, {0., 0.}}), one = tensor({{1., 2.}, {3., 0.}});
  expect_no_draw<ValueError>("sum of probabilities is 0", [&] { multinomial(second_row, 1); });
  expect_no_draw<ValueError>("not enough non-negative", [&] { multinomial(one, 2); });
  expect_no_draw<ValueError>("sum of probabilities is 0", [] {
    multinomial(zeros({2, 0}), 1, true);
  });
  expect_no_draw<ValueError>("element < 0", [] { multinomial(tensor({1., -1.}), 1); });
  expect_no_draw<ValueError>("sum of probabilities is 0", [&] {
    vmap([](const Tensor& weights) { return multinomial(weights, 1); }, 0, 0,
         Randomness::Different)(second_row);
  });
}

TEST(RefusedDraw, OfAttentionThatCannotBeProjected) {
  const Tensor x = ones({3, 2, 4}), packed = ones({12, 4});
  const auto attend = [&](const Tensor& weight, const Tensor& bias) {
    return multi_head_attention_forward(x, x, x, 4, 2, packed, {}, {}, {}, false, 0.5, weight,
                                        bias);
  };
  expect_no_draw<ShapeError>("expected out_proj_weight of size [4, 4], but got [5, 5]", [&] {
    attend(ones({5, 5}), {});
  });
  expect_no_draw<ShapeError>("expected out_proj_bias of size [4], but got [5]", [&] {
    attend(ones({4, 4}), ones({5}));
  });
  expect_no_draw<DtypeError>("multi_head_attention_forward: ", [&] {
    attend(ones({4, 4}, kFloat64), {});
  });
}

}  // namespace
}  // namespace notape::testing
