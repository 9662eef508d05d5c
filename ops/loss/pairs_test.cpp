#include "ops/linalg/testing/torch_example.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

Tensor labels() { return constant({{1, -1, 1}, {-1, -1, 1}}); }

const TorchExample kMoreLosses[] = {
    {.name = "hinge_embedding_loss None",
     .inputs = {{{2, 3}, 5}},
     .call =
         [](const variable_list& x) {
           return hinge_embedding_loss(x[0], labels(), 0.8, Reduction::None);
         },
     .sizes = {2, 3},
     .output = {-0.25, 0, -1, 0.55, 0, -0.5},
     .gradients = {{-0.5, 0, 1.5, 0.75, 0, 1.25}}},
    {.name = "margin_ranking_loss None",
     .inputs = {{{2, 3}, 5}, {{2, 3}, 7}},
     .call =
         [](const variable_list& x) {
           return margin_ranking_loss(x[0], x[1], labels(), 0.3, Reduction::None);
         },
     .sizes = {2, 3},
     .output = {0.8, 2.55, 1.8, 1.55, 1.05, 0.05},
     .gradients = {{0.5, 0.5, -1.5, -0.75, 0.25, -1.25}, {-0.5, -0.5, 1.5, 0.75, -0.25, 1.25}}},
    {.name = "soft_margin_loss None",
     .inputs = {{{2, 3}, 5}},
     .call =
         [](const variable_list& x) { return soft_margin_loss(x[0], labels(), Reduction::None); },
     .sizes = {2, 3},
     .output = {0.82593941988, 1.3132616875, 1.3132616875, 0.82593941988, 1.701413278,
                0.97407698418},
     .gradients = {{0.28108825044, 0.36552928932, -1.0965878679, -0.42163237566, 0.20439361905,
                    -0.778074164}}},
    {.name = "poisson_nll_loss None",
     .inputs = {{{2, 3}, 5}, {{2, 3}, 7}},
     .call =
         [](const variable_list& x) {
           return poisson_nll_loss(x[0], x[1] + 2.1, true, true, 1e-8, Reduction::None);
         },
     .sizes = {2, 3},
     .output = {2.3703230015, 1.8682818285, 4.248903454, 0.98046023758, 1.7841462344, 1.405662689},
     .gradients = {{0.78559960846, 0.93414091423, -3.3481808382, -0.13801906252, 0.40792226758,
                    -0.92933667536},
                   {-0.6585906428, -0.5, 3.221728706, -0.22489172576, -0.069310602307,
                    1.4630937035}}},
    {.name = "poisson_nll_loss of rates, None",
     .inputs = {{{2, 3}, 5}, {{2, 3}, 7}},
     .call =
         [](const variable_list& x) {
           return poisson_nll_loss(x[0] + 2, x[1] + 2.1, false, false, 0.1, Reduction::None);
         },
     .sizes = {2, 3},
     .output = {0.30431374814, 2.0383082052, 0.75219353251, 1.310143139, -0.15066145957,
                0.86549510052},
     .gradients = {{0.13513513514, 0.36290322581, -2.0454545455, -0.39893617021, 0.052083333333,
                    0.1953125},
                   {0.30759281955, -0.56570105575, -0.14296526971, 0.64081149612, -0.32023346137,
                    -0.58750453656}}},
    {.name = "hinge_embedding_loss Mean",
     .inputs = {{{2, 3}, 5}},
     .call =
         [](const variable_list& x) {
           return hinge_embedding_loss(x[0], labels(), 0.8, Reduction::Mean);
         },
     .sizes = {},
     .output = {-0.2},
     .gradients = {{-0.083333333333, 0, -0.083333333333, 0.083333333333, 0, -0.083333333333}}},
    {.name = "margin_ranking_loss Mean",
     .inputs = {{{2, 3}, 5}, {{2, 3}, 7}},
     .call =
         [](const variable_list& x) {
           return margin_ranking_loss(x[0], x[1], labels(), 0.3, Reduction::Mean);
         },
     .sizes = {},
     .output = {1.3},
     .gradients = {{0.083333333333, -0.083333333333, 0.083333333333, -0.083333333333,
                    -0.083333333333, 0.083333333333},
                   {-0.083333333333, 0.083333333333, -0.083333333333, 0.083333333333,
                    0.083333333333, -0.083333333333}}},
    {.name = "soft_margin_loss Mean",
     .inputs = {{{2, 3}, 5}},
     .call =
         [](const variable_list& x) { return soft_margin_loss(x[0], labels(), Reduction::Mean); },
     .sizes = {},
     .output = {1.1589820795},
     .gradients = {{0.04684804174, -0.060921548219, 0.060921548219, -0.04684804174, -0.068131206349,
                    0.051871610933}}},
    {.name = "poisson_nll_loss Mean",
     .inputs = {{{2, 3}, 5}, {{2, 3}, 7}},
     .call =
         [](const variable_list& x) {
           return poisson_nll_loss(x[0], x[1] + 2.1, true, true, 1e-8, Reduction::Mean);
         },
     .sizes = {},
     .output = {2.1096295741},
     .gradients = {{0.13093326808, -0.15569015237, 0.18601004657, -0.015335451391, -0.13597408919,
                    0.061955778357},
                   {-0.10976510713, 0.083333333333, -0.17898492811, -0.024987969529, 0.023103534102,
                    -0.097539580235}}},
    {.name = "poisson_nll_loss of rates, Mean",
     .inputs = {{{2, 3}, 5}, {{2, 3}, 7}},
     .call =
         [](const variable_list& x) {
           return poisson_nll_loss(x[0] + 2, x[1] + 2.1, false, false, 0.1, Reduction::Mean);
         },
     .sizes = {},
     .output = {0.85329871098},
     .gradients = {{0.022522522523, -0.060483870968, 0.11363636364, -0.044326241135,
                    -0.017361111111, -0.013020833333},
                   {0.051265469924, 0.094283509291, 0.0079425149837, 0.071201277346, 0.10674448712,
                    0.039166969104}}},
    {.name = "hinge_embedding_loss Sum",
     .inputs = {{{2, 3}, 5}},
     .call =
         [](const variable_list& x) {
           return hinge_embedding_loss(x[0], labels(), 0.8, Reduction::Sum);
         },
     .sizes = {},
     .output = {-1.2},
     .gradients = {{-0.5, 0, -0.5, 0.5, 0, -0.5}}},
    {.name = "margin_ranking_loss Sum",
     .inputs = {{{2, 3}, 5}, {{2, 3}, 7}},
     .call =
         [](const variable_list& x) {
           return margin_ranking_loss(x[0], x[1], labels(), 0.3, Reduction::Sum);
         },
     .sizes = {},
     .output = {7.8},
     .gradients = {{0.5, -0.5, 0.5, -0.5, -0.5, 0.5}, {-0.5, 0.5, -0.5, 0.5, 0.5, -0.5}}},
    {.name = "soft_margin_loss Sum",
     .inputs = {{{2, 3}, 5}},
     .call =
         [](const variable_list& x) { return soft_margin_loss(x[0], labels(), Reduction::Sum); },
     .sizes = {},
     .output = {6.953892477},
     .gradients = {{0.28108825044, -0.36552928932, 0.36552928932, -0.28108825044, -0.4087872381,
                    0.3112296656}}},
    {.name = "poisson_nll_loss Sum",
     .inputs = {{{2, 3}, 5}, {{2, 3}, 7}},
     .call =
         [](const variable_list& x) {
           return poisson_nll_loss(x[0], x[1] + 2.1, true, true, 1e-8, Reduction::Sum);
         },
     .sizes = {},
     .output = {12.657777445},
     .gradients = {{0.78559960846, -0.93414091423, 1.1160602794, -0.092012708344, -0.81584453517,
                    0.37173467014},
                   {-0.6585906428, 0.5, -1.0739095687, -0.14992781717, 0.13862120461,
                    -0.58523748141}}},
    {.name = "poisson_nll_loss of rates, Sum",
     .inputs = {{{2, 3}, 5}, {{2, 3}, 7}},
     .call =
         [](const variable_list& x) {
           return poisson_nll_loss(x[0] + 2, x[1] + 2.1, false, false, 0.1, Reduction::Sum);
         },
     .sizes = {},
     .output = {5.1197922659},
     .gradients = {{0.13513513514, -0.36290322581, 0.68181818182, -0.26595744681, -0.10416666667,
                    -0.078125},
                   {0.30759281955, 0.56570105575, 0.047655089902, 0.42720766408, 0.64046692273,
                    0.23500181462}}},
};

TEST(LossesOfPairs, HaveTheValuesAndGradientsOfLibTorch) {
  for (const TorchExample& example : kMoreLosses) expect_example(example);
}

TEST(LossesOfPairs, DoNotOverflow) {
  expect_values(soft_margin_loss(tensor({-200.f}), tensor({1.f})), {200});
}

TEST(LossesOfPairs, OfNothingAreNanInTheMean) {
  const Tensor none = zeros({0, 2}, kFloat64);
  expect_close(soft_margin_loss(none, none), {kNaN});
  expect_close(margin_ranking_loss(none, none, none), {kNaN});
  expect_close(cross_entropy(none, none, {}, Reduction::Mean, -100, 0.1), {kNaN});
  EXPECT_EQ(pairwise_distance(none, none).sizes(), IntArrayRef({0}));
}

TEST(LossesOfPairs, RejectWrongArguments) {
  const Tensor two = zeros({2}), three = zeros({3}), pair = zeros({2, 2}), table = zeros({2, 3});
  expect_error<ShapeError>("hinge_embedding_loss", [&] { hinge_embedding_loss(two, three); });
  expect_error<ShapeError>("margin_ranking_loss", [&] { margin_ranking_loss(two, two, pair); });
  expect_error<ShapeError>("soft_margin_loss", [&] { soft_margin_loss(two, three); });
  expect_error<ShapeError>("poisson_nll_loss", [&] { poisson_nll_loss(two, three); });
  expect_error<ShapeError>("multi-target", [&] { cosine_embedding_loss(pair, pair, pair); });
  expect_error<ShapeError>("1D target", [&] { cosine_embedding_loss(two, two, two); });
  expect_error<ShapeError>("triplet_margin_loss", [&] { triplet_margin_loss(two, pair, two); });
  expect_error<ShapeError>("pairwise_distance", [&] { pairwise_distance(two, three); });
  expect_error<IndexError>("", [&] { cosine_similarity(two, two, 1); });
  const auto entropy = [&](const Tensor& target, double smoothing, int64_t ignored = -100) {
    return cross_entropy(table, target, {}, Reduction::Mean, ignored, smoothing);
  };
  expect_error<ValueError>("label_smoothing", [&] { entropy(tensor({0, 1}), 1.5); });
  expect_error<ShapeError>("class probabilities", [&] { entropy(pair, 0); });
  expect_error<ValueError>("ignore_index", [&] { entropy(table, 0, 1); });
  expect_error<IndexError>("", [&] { entropy(tensor({0, 3}), 0.1); });
}

}  // namespace
}  // namespace notape::testing
