// Generators as arguments, and their states: every operator that draws goes on where it was.
#include "autograd/tensor/generator.h"

#include "ops/ops.h"
#include "ops/parallel.h"
#include "ops/reduce/testing/derivatives.h"

namespace notape::testing {
namespace {

using Drawing = Tensor (*)(const std::optional<Generator>&);
struct NamedDrawing {
  const char* name;
  Drawing draw;
};

Tensor weights() { return full({50}, 0.5); }

/// Everything that takes a generator in LibTorch; of odd sizes, so that blocks are left unfinished.
const NamedDrawing kDrawings[] = {
    {"rand", [](const auto& g) { return rand({7}, g); }},
    {"rand in double", [](const auto& g) { return rand({7}, g, kFloat64); }},
    {"randn", [](const auto& g) { return randn({7}, g); }},
    {"randint", [](const auto& g) { return randint(1000000, {7}, g); }},
    {"randint from", [](const auto& g) { return randint(-1000000, 1000000, {7}, g); }},
    {"randperm", [](const auto& g) { return randperm(50, g); }},
    {"rand_like", [](const auto& g) { return rand_like(weights(), g); }},
    {"randn_like", [](const auto& g) { return randn_like(weights(), g); }},
    {"uniform_", [](const auto& g) { return weights().uniform_(0, 1, g); }},
    {"normal_", [](const auto& g) { return weights().normal_(0, 1, g); }},
    {"exponential_", [](const auto& g) { return weights().exponential_(1, g); }},
    {"random_", [](const auto& g) { return weights().random_(g); }},
    {"random_ to", [](const auto& g) { return weights().random_(1000, g); }},
    {"random_ from to", [](const auto& g) { return weights().random_(-9, 1000, g); }},
    {"bernoulli_", [](const auto& g) { return weights().bernoulli_(0.5, g); }},
    {"bernoulli_ of a tensor", [](const auto& g) { return weights().bernoulli_(weights(), g); }},
    {"bernoulli", [](const auto& g) { return weights().bernoulli(g); }},
    {"bernoulli of a number", [](const auto& g) { return weights().bernoulli(0.5, g); }},
    {"bernoulli of a tensor", [](const auto& g) { return bernoulli(weights(), weights(), g); }},
    {"multinomial", [](const auto& g) { return weights().multinomial(20, false, g); }},
    {"multinomial, replacing", [](const auto& g) { return weights().multinomial(20, true, g); }},
    {"normal", [](const auto& g) { return normal(weights(), weights(), g); }},
    {"normal of a mean", [](const auto& g) { return normal(weights(), 2.0, g); }},
    {"normal of a deviation", [](const auto& g) { return normal(1.0, weights(), g); }},
    {"normal of a size", [](const auto& g) { return normal(1.0, 2.0, {7}, g); }},
    {"rrelu", [](const auto& g) { return rrelu(neg(weights()), 0.1, 0.9, true, g); }},
    {"rrelu_",
     [](const auto& g) {
       Tensor x = neg(weights());
       return rrelu_(x, 0.1, 0.9, true, g);
     }},
};
/// What has no generator of its own there.
const NamedDrawing kDefaultDrawings[] = {
    {"dropout", [](const auto&) { return dropout(weights(), 0.5, true); }},
    {"alpha_dropout", [](const auto&) { return alpha_dropout(weights(), 0.5, true); }},
    {"feature_dropout",
     [](const auto&) {
       return feature_dropout(ones({9, 9, 2}), 0.5, true);
     }},
    {"native_dropout", [](const auto&) { return std::get<0>(native_dropout(weights(), 0.5)); }},
};

TEST(GeneratorArgument, IsDrawnFromInTheDefaultOnesPlace) {
  for (const auto& [name, draw] : kDrawings) {
    SCOPED_TRACE(name);
    Generator mine(31);
    const Tensor untouched = default_generator().get_state();
    const Tensor first = draw(mine), second = draw(mine);
    EXPECT_TRUE(equal(default_generator().get_state(), untouched));
    EXPECT_FALSE(equal(first, second));
    manual_seed(31);
    EXPECT_TRUE(equal(draw(std::nullopt), first)) << "the same numbers as from manual_seed";
    EXPECT_TRUE(equal(draw(Generator()), second)) << "undefined: the default one";
  }
}

TEST(GeneratorArgument, GoesOnWhereItsStateWasTaken) {
  Generator mine(32);
  for (const auto& [name, draw] : kDrawings) {
    SCOPED_TRACE(name);
    mine.next32();  // in the middle of a block
    const Tensor state = mine.get_state();
    const Tensor first = draw(mine);
    draw(mine);
    mine.set_state(state);
    EXPECT_TRUE(equal(draw(mine), first));
    Generator other(1);
    other.set_state(state);
    EXPECT_TRUE(equal(draw(other), first)) << "of another one, too";
  }
}

TEST(DefaultGenerator, GoesOnWhereItsStateWasTaken) {
  manual_seed(33);
  const auto check = [](const NamedDrawing& one) {
    SCOPED_TRACE(one.name);
    default_generator().next32();
    const Tensor state = default_generator().get_state();
    const Tensor first = one.draw(std::nullopt);
    one.draw(std::nullopt);
    default_generator().set_state(state);
    EXPECT_TRUE(equal(one.draw(std::nullopt), first));
  };
  for (const NamedDrawing& one : kDrawings) check(one);
  for (const NamedDrawing& one : kDefaultDrawings) check(one);
}

TEST(GeneratorArgument, GivesTheSameForAnyNumberOfThreads) {
  const int before = get_num_threads();
  const auto draw = [] {
    Generator mine(34);
    std::vector<Tensor> all = {rand({200001}, mine), randn({200001}, mine)};
    for (const auto& fill : {+[](Tensor&t, Generator g) { t.uniform_(0, 1, g); },
                             +[](Tensor&t, Generator g) { t.exponential_(1, g); },
                             +[](Tensor&t, Generator g) { t.bernoulli_(0.5, g); }}) {
      Tensor x = zeros({200001});
      fill(x, mine);
      all.push_back(x);
    }
    return all;
  };
  set_num_threads(1);
  const auto alone = draw();
  set_num_threads(4);
  const auto shared = draw();
  set_num_threads(before);
  for (std::size_t i = 0; i < alone.size(); ++i) EXPECT_TRUE(equal(alone[i], shared[i])) << i;
}

TEST(GeneratorArgument, IsLeftAloneByErrors) {
  Generator mine(35);
  Tensor x = zeros({3});
  EXPECT_THROW(x.uniform_(1, 0, mine), ValueError);
  EXPECT_THROW(x.exponential_(-1, mine), ValueError);
  EXPECT_THROW(x.multinomial(2, false, mine), ValueError);
  EXPECT_THROW(rand({3}, mine, kInt64), DtypeError);
  EXPECT_THROW(normal(0.0, -1.0, {3}, mine), ValueError);
  EXPECT_EQ(values(x), values(zeros({3})));
  const Tensor unmoved = default_generator().get_state();
  randn({3});
  EXPECT_FALSE(equal(default_generator().get_state(), unmoved)) << "which is drawn from again";
}

TEST(NormalOfASize, HasMeanDeviationAndOptions) {
  Generator mine(36);
  const Tensor x = normal(3.0, 2.0, {100, 100}, mine, dtype(kFloat64).requires_grad(true));
  EXPECT_EQ(x.dtype(), kFloat64);
  EXPECT_TRUE(x.requires_grad());
  EXPECT_NEAR(x.mean().item(), 3, 0.1);
  EXPECT_NEAR(x.std().item(), 2, 0.1);
}

}  // namespace
}  // namespace notape::testing
