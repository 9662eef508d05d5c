#include "ops/linalg/testing/torch_example.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

Tensor weight() { return pattern({3}, 3); }
Tensor pos_weight() { return pattern({3}, 2) + 2; }

const TorchExample kExamples[] = {
    {.name = "l1_loss None",
     .inputs = {{{2, 3}, 5}, {{2, 3}, 7}},
     .call = [](const variable_list& x) { return l1_loss(x[0], x[1], Reduction::None); },
     .sizes = {2, 3},
     .output = {0.5, 2.25, 1.5, 1.25, 0.75, 0.25},
     .gradients = {{0.5, 0.5, -1.5, -0.75, 0.25, 1.25}, {-0.5, -0.5, 1.5, 0.75, -0.25, -1.25}}},
    {.name = "smooth_l1_loss None",
     .inputs = {{{2, 3}, 5}, {{2, 3}, 7}},
     .call =
         [](const variable_list& x) { return smooth_l1_loss(x[0], x[1], Reduction::None, 0.7); },
     .sizes = {2, 3},
     .output = {0.17857142857, 1.9, 1.15, 0.9, 0.4, 0.044642857143},
     .gradients = {{0.35714285714, 0.5, -1.5, -0.75, 0.25, 0.44642857143},
                   {-0.35714285714, -0.5, 1.5, 0.75, -0.25, -0.44642857143}}},
    {.name = "smooth_l1_loss of beta 0, None",
     .inputs = {{{2, 3}, 5}, {{2, 3}, 7}},
     .call = [](const variable_list& x) { return smooth_l1_loss(x[0], x[1], Reduction::None, 0); },
     .sizes = {2, 3},
     .output = {0.5, 2.25, 1.5, 1.25, 0.75, 0.25},
     .gradients = {{0.5, 0.5, -1.5, -0.75, 0.25, 1.25}, {-0.5, -0.5, 1.5, 0.75, -0.25, -1.25}}},
    {.name = "huber_loss None",
     .inputs = {{{2, 3}, 5}, {{2, 3}, 7}},
     .call = [](const variable_list& x) { return huber_loss(x[0], x[1], Reduction::None, 0.7); },
     .sizes = {2, 3},
     .output = {0.125, 1.33, 0.805, 0.63, 0.28, 0.03125},
     .gradients = {{0.25, 0.35, -1.05, -0.525, 0.175, 0.3125},
                   {-0.25, -0.35, 1.05, 0.525, -0.175, -0.3125}}},
    {.name = "binary_cross_entropy None",
     .inputs = {{{2, 3}, 5}, {{2, 3}, 7}},
     .call =
         [](const variable_list& x) {
           return binary_cross_entropy(x[0] * 0.25 + 0.5, x[1] * 0.25 + 0.5, {}, Reduction::None);
         },
     .sizes = {2, 3},
     .output = {0.71672851081, 1.180304557, 0.97431475287, 0.76384996611, 0.7416283142,
                0.62963663667},
     .gradients = {{0.063492063492, 0.375, -0.75, -0.2380952381, 0.10714285714, 0.083333333333},
                   {-0.031414303535, -0.13732653608, 0.41197960825, 0.047121455303, -0.12161938432,
                    0.15963300743}}},
    {.name = "binary_cross_entropy_with_logits None",
     .inputs = {{{2, 3}, 5}, {{2, 3}, 7}},
     .call =
         [](const variable_list& x) {
           return binary_cross_entropy_with_logits(x[0] * 4, x[1] * 0.25 + 0.5, weight(),
                                                   pos_weight(), Reduction::None);
         },
     .sizes = {2, 3},
     .output = {-0.65682126564, 0, 3.7721202246, -0.79744626564, 0, 1.0624447609},
     .gradients = {{-0.44033786795, 0, -5.4934758397, 1.0823818019, 0, -1.7570481182},
                   {0.09375, 0, 2.2551046672, -0.140625, 0, 0.96724875259}}},
    {.name = "kl_div None",
     .inputs = {{{2, 3}, 5}, {{2, 3}, 7}},
     .call =
         [](const variable_list& x) { return kl_div(x[0], x[1] * 0.25 + 0.5, Reduction::None); },
     .sizes = {2, 3},
     .output = {-0.18301733151, -0.50137058129, 0.33124773172, -0.40907359028, -1.2888517465,
                -0.20723462806},
     .gradients = {{0.28125, -0.09375, -0.9375, 0.1875, -0.171875, -0.390625},
                   {-0.084329481887, -0.2092470542, 0.57374863903, 0.11930519271, -0.05466834059,
                    0.10526537194}}},
    {.name = "kl_div of logarithms, None",
     .inputs = {{{2, 3}, 5}, {{2, 3}, 7}},
     .call = [](const variable_list& x) { return kl_div(x[0], x[1], Reduction::None, true); },
     .sizes = {2, 3},
     .output = {0.64201270834, -0.64463579294, 2.4730819061, -0.45984930146, -1.5877500125,
                -0.11809163819},
     .gradients = {{0.64201270834, -0.14325239843, -2.4730819061, 0.27590958088, -0.52925000415,
                    -0.59045819093},
                   {-0.96301906252, -0.17906549804, 6.1827047651, 0.06897739522, 0.13231250104,
                    0.44284364319}}},
    {.name = "l1_loss Mean",
     .inputs = {{{2, 3}, 5}, {{2, 3}, 7}},
     .call = [](const variable_list& x) { return l1_loss(x[0], x[1], Reduction::Mean); },
     .sizes = {},
     .output = {1.0833333333},
     .gradients = {{0.083333333333, -0.083333333333, 0.083333333333, -0.083333333333,
                    -0.083333333333, -0.083333333333},
                   {-0.083333333333, 0.083333333333, -0.083333333333, 0.083333333333,
                    0.083333333333, 0.083333333333}}},
    {.name = "smooth_l1_loss Mean",
     .inputs = {{{2, 3}, 5}, {{2, 3}, 7}},
     .call =
         [](const variable_list& x) { return smooth_l1_loss(x[0], x[1], Reduction::Mean, 0.7); },
     .sizes = {},
     .output = {0.76220238095},
     .gradients = {{0.059523809524, -0.083333333333, 0.083333333333, -0.083333333333,
                    -0.083333333333, -0.029761904762},
                   {-0.059523809524, 0.083333333333, -0.083333333333, 0.083333333333,
                    0.083333333333, 0.029761904762}}},
    {.name = "smooth_l1_loss of beta 0, Mean",
     .inputs = {{{2, 3}, 5}, {{2, 3}, 7}},
     .call = [](const variable_list& x) { return smooth_l1_loss(x[0], x[1], Reduction::Mean, 0); },
     .sizes = {},
     .output = {1.0833333333},
     .gradients = {{0.083333333333, -0.083333333333, 0.083333333333, -0.083333333333,
                    -0.083333333333, -0.083333333333},
                   {-0.083333333333, 0.083333333333, -0.083333333333, 0.083333333333,
                    0.083333333333, 0.083333333333}}},
    {.name = "huber_loss Mean",
     .inputs = {{{2, 3}, 5}, {{2, 3}, 7}},
     .call = [](const variable_list& x) { return huber_loss(x[0], x[1], Reduction::Mean, 0.7); },
     .sizes = {},
     .output = {0.53354166667},
     .gradients = {{0.041666666667, -0.058333333333, 0.058333333333, -0.058333333333,
                    -0.058333333333, -0.020833333333},
                   {-0.041666666667, 0.058333333333, -0.058333333333, 0.058333333333,
                    0.058333333333, 0.020833333333}}},
    {.name = "binary_cross_entropy Mean",
     .inputs = {{{2, 3}, 5}, {{2, 3}, 7}},
     .call =
         [](const variable_list& x) {
           return binary_cross_entropy(x[0] * 0.25 + 0.5, x[1] * 0.25 + 0.5, {}, Reduction::Mean);
         },
     .sizes = {},
     .output = {0.83441045628},
     .gradients = {{0.010582010582, -0.0625, 0.041666666667, -0.026455026455, -0.035714285714,
                    -0.0055555555556},
                   {-0.0052357172559, 0.022887756014, -0.022887756014, 0.0052357172559,
                    0.040539794772, -0.010642200495}}},
    {.name = "binary_cross_entropy_with_logits Mean",
     .inputs = {{{2, 3}, 5}, {{2, 3}, 7}},
     .call =
         [](const variable_list& x) {
           return binary_cross_entropy_with_logits(x[0] * 4, x[1] * 0.25 + 0.5, weight(),
                                                   pos_weight(), Reduction::Mean);
         },
     .sizes = {},
     .output = {0.56338290904},
     .gradients = {{-0.073389644658, 0, 0.3051931022, 0.12026464466, 0, 0.11713654121},
                   {0.015625, 0, -0.12528359262, -0.015625, 0, -0.064483250173}}},
    {.name = "kl_div Mean",
     .inputs = {{{2, 3}, 5}, {{2, 3}, 7}},
     .call =
         [](const variable_list& x) { return kl_div(x[0], x[1] * 0.25 + 0.5, Reduction::Mean); },
     .sizes = {},
     .output = {-0.37638335765},
     .gradients = {{0.046875, 0.015625, 0.052083333333, 0.020833333333, 0.057291666667,
                    0.026041666667},
                   {-0.014054913648, 0.034874509033, -0.031874924391, 0.013256132523,
                    0.018222780197, -0.0070176914624}}},
    {.name = "kl_div of logarithms, Mean",
     .inputs = {{{2, 3}, 5}, {{2, 3}, 7}},
     .call = [](const variable_list& x) { return kl_div(x[0], x[1], Reduction::Mean, true); },
     .sizes = {},
     .output = {0.050794644892},
     .gradients = {{0.10700211806, 0.023875399738, 0.13739343923, 0.030656620098, 0.17641666805,
                    0.039363879395},
                   {-0.16050317709, 0.029844249673, -0.34348359806, 0.0076641550244,
                    -0.044104167013, -0.029522909546}}},
    {.name = "l1_loss Sum",
     .inputs = {{{2, 3}, 5}, {{2, 3}, 7}},
     .call = [](const variable_list& x) { return l1_loss(x[0], x[1], Reduction::Sum); },
     .sizes = {},
     .output = {6.5},
     .gradients = {{0.5, -0.5, 0.5, -0.5, -0.5, -0.5}, {-0.5, 0.5, -0.5, 0.5, 0.5, 0.5}}},
    {.name = "smooth_l1_loss Sum",
     .inputs = {{{2, 3}, 5}, {{2, 3}, 7}},
     .call = [](const variable_list& x) { return smooth_l1_loss(x[0], x[1], Reduction::Sum, 0.7); },
     .sizes = {},
     .output = {4.5732142857},
     .gradients = {{0.35714285714, -0.5, 0.5, -0.5, -0.5, -0.17857142857},
                   {-0.35714285714, 0.5, -0.5, 0.5, 0.5, 0.17857142857}}},
    {.name = "smooth_l1_loss of beta 0, Sum",
     .inputs = {{{2, 3}, 5}, {{2, 3}, 7}},
     .call = [](const variable_list& x) { return smooth_l1_loss(x[0], x[1], Reduction::Sum, 0); },
     .sizes = {},
     .output = {6.5},
     .gradients = {{0.5, -0.5, 0.5, -0.5, -0.5, -0.5}, {-0.5, 0.5, -0.5, 0.5, 0.5, 0.5}}},
    {.name = "huber_loss Sum",
     .inputs = {{{2, 3}, 5}, {{2, 3}, 7}},
     .call = [](const variable_list& x) { return huber_loss(x[0], x[1], Reduction::Sum, 0.7); },
     .sizes = {},
     .output = {3.20125},
     .gradients = {{0.25, -0.35, 0.35, -0.35, -0.35, -0.125},
                   {-0.25, 0.35, -0.35, 0.35, 0.35, 0.125}}},
    {.name = "binary_cross_entropy Sum",
     .inputs = {{{2, 3}, 5}, {{2, 3}, 7}},
     .call =
         [](const variable_list& x) {
           return binary_cross_entropy(x[0] * 0.25 + 0.5, x[1] * 0.25 + 0.5, {}, Reduction::Sum);
         },
     .sizes = {},
     .output = {5.0064627377},
     .gradients = {{0.063492063492, -0.375, 0.25, -0.15873015873, -0.21428571429, -0.033333333333},
                   {-0.031414303535, 0.13732653608, -0.13732653608, 0.031414303535, 0.24323876863,
                    -0.063853202971}}},
    {.name = "binary_cross_entropy_with_logits Sum",
     .inputs = {{{2, 3}, 5}, {{2, 3}, 7}},
     .call =
         [](const variable_list& x) {
           return binary_cross_entropy_with_logits(x[0] * 4, x[1] * 0.25 + 0.5, weight(),
                                                   pos_weight(), Reduction::Sum);
         },
     .sizes = {},
     .output = {3.3802974542},
     .gradients = {{-0.44033786795, 0, 1.8311586132, 0.72158786795, 0, 0.70281924727},
                   {0.09375, 0, -0.75170155574, -0.09375, 0, -0.38689950104}}},
    {.name = "kl_div Sum",
     .inputs = {{{2, 3}, 5}, {{2, 3}, 7}},
     .call = [](const variable_list& x) { return kl_div(x[0], x[1] * 0.25 + 0.5, Reduction::Sum); },
     .sizes = {},
     .output = {-2.2583001459},
     .gradients = {{0.28125, 0.09375, 0.3125, 0.125, 0.34375, 0.15625},
                   {-0.084329481887, 0.2092470542, -0.19124954634, 0.07953679514, 0.10933668118,
                    -0.042106148774}}},
    {.name = "kl_div of logarithms, Sum",
     .inputs = {{{2, 3}, 5}, {{2, 3}, 7}},
     .call = [](const variable_list& x) { return kl_div(x[0], x[1], Reduction::Sum, true); },
     .sizes = {},
     .output = {0.30476786935},
     .gradients = {{0.64201270834, 0.14325239843, 0.82436063535, 0.18393972059, 1.0585000083,
                    0.23618327637},
                   {-0.96301906252, 0.17906549804, -2.0609015884, 0.045984930146, -0.26462500208,
                    -0.17713745728}}},
    {.name = "binary_cross_entropy with a weight",
     .inputs = {{{2, 3}, 5}},
     .call =
         [](const variable_list& x) {
           return binary_cross_entropy(x[0] * 0.25 + 0.5, pattern({2, 3}, 7) * 0.25 + 0.5,
                                       weight());
         },
     .sizes = {},
     .output = {0.015421614077},
     .gradients = {{-0.0079365079365, 0, 0.03125, 0.019841269841, 0, -0.0041666666667}}},
    {.name = "l1_loss broadcast",
     .inputs = {{{2, 3}, 5}, {{3}, 7}},
     .call = [](const variable_list& x) { return l1_loss(x[0], x[1]); },
     .sizes = {},
     .output = {1.3333333333},
     .gradients = {{0.083333333333, -0.083333333333, 0.083333333333, 0, -0.083333333333,
                    0.083333333333},
                   {-0.083333333333, 0.16666666667, -0.16666666667}}},
};

TEST(LossesOfTerms, HaveTheValuesAndGradientsOfLibTorch) {
  for (const TorchExample& example : kExamples) expect_example(example);
}

TEST(LossesOfTerms, HaveTheirConventionsAtKinks) {
  const auto slope = [](const auto& loss, double x) {
    return weighted_gradient(loss, constant({x}));
  };
  const Tensor zero = constant({0});
  expect_close(slope([&](const Tensor& x) { return l1_loss(x, zero); }, 0), {0});
  expect_close(slope([&](const Tensor& x) { return smooth_l1_loss(x, zero); }, 1), {1});
  expect_close(slope([&](const Tensor& x) { return huber_loss(x, zero); }, -1), {-1});
}

TEST(LossesOfTerms, OfNothingAreNanInTheMeanAndZeroInTheSum) {
  const Tensor none = zeros({0, 2}, kFloat64);
  for (const auto& loss :
       {+[](const Tensor&x, Reduction how) { return l1_loss(x, x, how); },
        +[](const Tensor&x, Reduction how) { return smooth_l1_loss(x, x, how); },
        +[](const Tensor&x, Reduction how) { return huber_loss(x, x, how); },
        +[](const Tensor&x, Reduction how) { return binary_cross_entropy(x, x, {}, how); },
        +[](const Tensor&x, Reduction how) {
          return binary_cross_entropy_with_logits(x, x, {}, {}, how);
        },
        +[](const Tensor&x, Reduction how) { return kl_div(x, x, how); }}) {
    expect_close(loss(none, Reduction::Mean), {kNaN});
    expect_close(loss(none, Reduction::Sum), {0});
    EXPECT_EQ(loss(none, Reduction::None).sizes(), IntArrayRef({0, 2}));
  }
}

TEST(LossesOfTerms, Promote) {
  const Tensor half = ones({2}, kFloat16), single = ones({2}, kFloat32), whole = ones({2}, kInt64);
  EXPECT_EQ(l1_loss(half, single).dtype(), kFloat32);
  EXPECT_EQ(l1_loss(whole, whole, Reduction::None).dtype(), kFloat32);
  EXPECT_EQ(huber_loss(whole, single).dtype(), kFloat32);
  EXPECT_EQ(huber_loss(half, half).dtype(), kFloat16);
  EXPECT_EQ(kl_div(half, half).dtype(), kFloat16);
  EXPECT_EQ(binary_cross_entropy_with_logits(single, half).dtype(), kFloat32);
}

TEST(LossesOfTerms, RejectWrongArguments) {
  const Tensor two = zeros({2}), three = zeros({3});
  expect_error<ShapeError>("l1_loss", [&] { l1_loss(two, three); });
  expect_error<ShapeError>("smooth_l1_loss", [&] { smooth_l1_loss(two, three); });
  expect_error<ShapeError>("huber_loss", [&] { huber_loss(two, three); });
  expect_error<ShapeError>("kl_div", [&] { kl_div(two, three); });
  expect_error<ShapeError>("target size", [&] { binary_cross_entropy(two, three); });
  expect_error<ShapeError>("binary_cross_entropy_with_logits",
                           [&] { binary_cross_entropy_with_logits(two, two, {}, three); });
  expect_error<ValueError>("delta", [&] { huber_loss(two, two, Reduction::Mean, 0); });
  expect_error<ValueError>("beta", [&] { smooth_l1_loss(two, two, Reduction::Mean, -1); });
  expect_error<UndefinedTensor>("l1_loss", [&] { l1_loss(two, {}); });
}

TEST(BinaryCrossEntropy, TakesProbabilitiesOnly) {
  const Tensor one = ones({1}, kFloat64);
  for (double x : {-0.1, 1.1, kNaN})
    expect_error<ValueError>("between 0 and 1", [&] { binary_cross_entropy(one * x, one); });
  expect_error<DtypeError>("binary_cross_entropy",
                           [&] { binary_cross_entropy(one.to(kInt64), one); });
  expect_error<DtypeError>("target", [&] { binary_cross_entropy(one, one.to(kInt64)); });
}

TEST(BinaryCrossEntropy, IsCutOffAtTheEnds) {
  const auto loss = [](const Tensor& x) {
    return binary_cross_entropy(x, constant({1, 0, 0, 1}), {}, Reduction::None);
  };
  expect_close(loss(constant({0, 1, 0, 1})), {100, 100, 0, 0});
  const Tensor gradient =
      weighted_gradient([&](const Tensor& x) { return loss(x).sum(); }, constant({0, 1, 0, 1}));
  expect_close(gradient * 1e-12, {-1, 1, 0, 0});
}

TEST(BinaryCrossEntropyWithLogits, IsAccurateWhereItSaturates) {
  const auto loss = [](const Tensor& x) {
    return binary_cross_entropy_with_logits(x, constant({1, 0}), {}, {}, Reduction::Sum);
  };
  expect_values(loss(constant({-800, 1000})), {1800});
  const Tensor gradient = weighted_gradient(loss, constant({50, -50}));
  expect_values(gradient / std::exp(-50), {-1, 1}, 1e-14);
}

TEST(KlDiv, LeavesOutWhatHasNoProbability) {
  const Tensor target = leaf({0, 1}), input = constant({-3, -2});
  const Tensor loss = kl_div(input, target, Reduction::None);
  expect_close(loss, {0, 2});
  const Tensor gradient = autograd::grad({loss}, {target}, {ones({2}, kFloat64)})[0];
  expect_close(gradient, {3, 3});
}

}  // namespace
}  // namespace notape::testing
