#include "ops/linalg/testing/torch_example.h"
#include "ops/normalization.h"

namespace notape::testing {
namespace {

const TorchExample kNormalizations[] = {
    {.name = "layer_norm",
     .inputs = {{{2, 2, 3}, 5}, {{2, 3}, 7}, {{2, 3}, 3}},
     .call =
         [](const variable_list& x) {
           return layer_norm(x[0], {2, 3}, x[1], x[2], 0.1);
         },
     .sizes = {2, 2, 3},
     .output = {-0.86344899935, -1.1344899935, 0.11468560365, 1.4092408005, 0.08911039374,
                0.29455519687, -0.56848160104, 1.8151839896, 0.70462040026, 0.2293712073,
                -1.6806939961, -0.59034699804},
     .gradients = {{-0.17258452388, -0.60780254675, 0.71478476624, 0.82412194024, 0.32083451776,
                    -1.0793541536, -0.57662743458, 0.20028327463, 0.42944277727, 0.93087987834,
                    -0.13008320189, -0.85389529377},
                   {-0.49917559713, 0.45379599739, -1.9967023885, -1.6563553905, 0.58993479661,
                    -0.56724499674},
                   {-1.5, 0.5, 2.5, -2, 0, 2}}},
    {.name = "layer_norm without weights",
     .inputs = {{{2, 4}, 5}},
     .call = [](const variable_list& x) { return layer_norm(x[0], {4}); },
     .sizes = {2, 4},
     .output = {-0.34299394212, 1.3719757685, -1.3719757685, 0.34299394212, 1.2874469756,
                -0.58520317071, 0.58520317071, -1.2874469756},
     .gradients = {{-1.1147270838, 1.1147173994, 1.1147432244, -1.11473354, 0.41685442461,
                    0.91708671162, -0.91708671162, -0.41685442461}}},
    {.name = "layer_norm with a bias alone",
     .inputs = {{{2, 4}, 5}, {{4}, 7}},
     .call = [](const variable_list& x) { return layer_norm(x[0], {4}, {}, x[1]); },
     .sizes = {2, 4},
     .output = {-0.092993942122, 0.12197576849, -0.87197576849, -0.65700605788, 1.5374469756,
                -1.8352031707, 1.0852031707, -2.2874469756},
     .gradients = {{-1.1147270838, 1.1147173994, 1.1147432244, -1.11473354, 0.41685442461,
                    0.91708671162, -0.91708671162, -0.41685442461},
                   {-0.25, 1.75, 0.5, -0.75}}},
    {.name = "group_norm",
     .inputs = {{{2, 4, 3}, 5}, {{4}, 7}, {{4}, 3}},
     .call = [](const variable_list& x) { return group_norm(x[0], 2, x[1], x[2], 0.1); },
     .sizes = {2, 4, 3},
     .output = {-0.86344899935, -0.5231020013,  -1.0676571982,  -0.11344899935, -1.8151839896,
                0.90759199478,  1.1130367979,   0.023926404173, 0.70462040026,  0.2293712073,
                2.4075919948,   1.0462040026,   -1.0917338247,  -0.80695563744, -0.52217745022,
                1.1391127489,   -0.28477818722, -1.7086691233,  0.5231020013,   1.2037959974,
                0.11468560365,  1.4092408005,   0.047852808346, 2.2260735958},
     .gradients = {{0.0038127835036, 0.16254793201,  0.61649345033,  1.1155755969,  -0.35935484522,
                    -1.5390749175,   -0.76143529381, 0.02534379623,  0.41850905987, 1.0839519219,
                    0.23706542137,   -1.0034349056,  0.35145635562,  0.20729355704, 0.063130758459,
                    -1.1642730824,   1.0267452542,   -0.48435284299, 0.63359490575, -0.79070401424,
                    0.072330745878,  -1.2158293749,  1.035619284,    0.2649884535},
                   {1.3947101295, -1.8086929828, -2.2916697868, -2.5639473853},
                   {0, 1.75, 0.25, -1.25}}},
    {.name = "group_norm of a matrix",
     .inputs = {{{2, 4}, 5}, {{4}, 7}},
     .call = [](const variable_list& x) { return group_norm(x[0], 2, x[1]); },
     .sizes = {2, 4},
     .output = {-0.24999680006, -1.2499840003, -0.49999360012, -0.99998720025, 0.24999875001,
                1.24999375, 0.49999750002, 0.99999500004},
     .gradients = {{1.0239606797e-05, -1.0239606797e-05, 0, 0, 8.1248781265e-06, -8.1248781265e-06,
                    -2.4999625005e-06, 2.4999625004e-06},
                   {0.74999235013, -0.75000014992, -2.4999758004, -0.74999040018}}},
    {.name = "batch_norm in training",
     .inputs = {{{3, 2, 2}, 5}, {{2}, 7}, {{2}, 3}},
     .call =
         [](const variable_list& x) {
           return batch_norm(x[0], x[1], x[2], {}, {}, true, 0.1, 0.1);
         },
     .sizes = {3, 2, 2},
     .output = {-0.9734413469, -0.60103910207, 1.1172067345, -0.74480448966, -0.45207820414,
                -1.0479217959, -1.4896089793, 1.4896089793, -0.89896089793, -0.5265586531,
                0.74480448966, -1.1172067345},
     .gradients = {{-0.30688295442, 0.15079720091, -1.6930713498, 0.85975705635, 0.14022009573,
                    0.18252851645, 0.91264258225, 0.70110047867, 0.17195141127, -0.33861426995,
                    0.75398600457, -1.5344147721},
                   {-2.15993302, -2.15993302},
                   {1.25, 0.25}}},
    {.name = "batch_norm of a matrix",
     .inputs = {{{4, 3}, 5}, {{3}, 7}},
     .call =
         [](const variable_list& x) { return batch_norm(x[0], x[1], {}, {}, {}, true, 0.1, 1e-5); },
     .sizes = {4, 3},
     .output = {-0.33540483019, -0.94906718, -0.67080966038, -0.11180161006, -1.4913912829,
                -0.22360322013, 0.11180161006, 1.4913912829, 0.22360322013, 0.33540483019,
                0.94906718, 0.67080966038},
     .gradients = {{5.3663055612e-06, -0.22809648248, 1.0732611122e-05, 1.7887685204e-06,
                    0.14514933733, 3.5775370408e-06, -1.7887685204e-06, -0.14514933733,
                    -3.5775370408e-06, -5.3663055612e-06, 0.22809648248, -1.0732611122e-05},
                   {-1.1180161006, 0.86771856458, -1.1180161006}}},
    {.name = "batch_norm in evaluation",
     .inputs = {{{3, 2, 2}, 5}, {{2}, 7}, {{2}, 3}},
     .call =
         [](const variable_list& x) {
           return batch_norm(x[0], x[1], x[2], pattern({2}, 6), pattern({2}, 9) * 0.25 + 1, false,
                             0.1, 0.1);
         },
     .sizes = {3, 2, 2},
     .output = {-0.80508158115, -0.52967367538, 3.0680043355, 1.5340021677, -0.41951051307,
                -0.86016316231, 0.92040130064, 3.374804769, -0.75, -0.47459209423, 2.7612039019,
                1.2272017342},
     .gradients = {{-0.11016316231, 0.11016316231, -1.8408026013, 0.92040130064, 0.055081581155,
                    0.27540790577, 1.2272017342, 0, 0.22032632462, -0.27540790577, 0.30680043355,
                    -0.92040130064},
                   {-1.0465500419, -2.2089631215},
                   {1.25, 0.25}}},
    {.name = "instance_norm",
     .inputs = {{{2, 2, 4}, 5}, {{2}, 7}, {{2}, 3}},
     .call =
         [](const variable_list& x) {
           return instance_norm(x[0], x[1], x[2], {}, {}, true, 0.1, 0.1);
         },
     .sizes = {2, 2, 4},
     .output = {-0.82866459694, -0.43534161224, -1.0646583878, -0.67133540306, -1.5430942286,
                0.70140646757, -0.70140646757, 1.5430942286, -0.82866459694, -0.43534161224,
                -1.0646583878, -0.67133540306, 1.3370334151, -0.23594707326, -1.8089275616,
                0.70784121977},
     .gradients = {{-0.24942908089, 0.2307365034, 0.28058337671, -0.26189079922, -0.47066670771,
                    -1.1123564534, 1.1123564534, 0.47066670771, 0.26189079922, -0.28058337671,
                    -0.2307365034, 0.24942908089, 1.4217850558, 0.71139070068, 0.00099634551916,
                    -2.134172102},
                   {-2.674596296, 0.43031003387},
                   {1, 0.5}}},
};

const TorchExample kWeightedNorms[] = {
    {.name = "rms_norm",
     .inputs = {{{2, 2, 3}, 5}, {{2, 3}, 7}},
     .call =
         [](const variable_list& x) {
           return rms_norm(x[0], {2, 3}, x[1], 0.1);
         },
     .sizes = {2, 2, 3},
     .output = {-0.066974964972, -1.3394992994, -0.53579971978, -0.26789985989, 1.2055493695,
                0.40184978983, 0.2033723042, 1.6947692017, 0, -1.3558153614, -0.61011691261,
                -0.40674460841},
     .gradients = {{-0.1547794645, -0.58643151148, 0.72038144142, 0.82452911423, 0.32590210228,
                    -1.0462835437, -0.46805537659, 0.32815384053, 0.54232614455, 1.0276615208,
                    -0.0064799998889, -0.74137844883},
                   {-0.67953928688, 0.53579971978, -1.6073991593, -1.8956940966, 0.60522209404,
                    -0.26300504131}}},
    {.name = "rms_norm alone",
     .inputs = {{{2, 4}, 5}},
     .call = [](const variable_list& x) { return rms_norm(x[0], {4}); },
     .sizes = {2, 4},
     .output = {-0.34299717029, 1.3719886811, -1.3719886811, 0.34299717029, 1.3949716649,
                -0.46499055498, 0.69748583246, -1.1624763874},
     .gradients = {{-0.85749292571, 1.3719886811, 1.3719886811, -0.85749292571, 0.53411077261,
                    1.0619378891, -0.77917336239, -0.25134624593}}},
    {.name = "_weight_norm",
     .inputs = {{{2, 3}, 5}, {{2, 1}, 7}},
     .call = [](const variable_list& x) { return _weight_norm(x[0], x[1]); },
     .sizes = {2, 3},
     .output = {-0.043519413989, 0.17407765596, -0.17407765596, -0.19521720236, -1.1713032142,
                0.39043440472},
     .gradients = {{-0.10550160967, 0.16088995475, 0.18726535716, 0.55232184083, -0.3951957999,
                    -0.90942647929},
                   {-0.60927179584, -0.27330408331}}},
    {.name = "_weight_norm of the last",
     .inputs = {{{2, 3}, 5}, {{1, 3}, 7}},
     .call = [](const variable_list& x) { return _weight_norm(x[0], x[1], 1); },
     .sizes = {2, 3},
     .output = {-0.1767766953, -0.69337524528, -0.4472135955, 0.1767766953, -1.0400628679,
                -0.22360679775},
     .gradients = {{-0.44194173824, -0.16000967199, -0.0894427191, -0.44194173824, 0.10667311466,
                    0.1788854382},
                   {-0.1767766953, 0.4853626717, -1.9006577809}}},
};

TEST(Normalization, HasTheValuesAndGradientsOfLibTorch) {
  for (const TorchExample& example : kNormalizations) expect_example(example);
  for (const TorchExample& example : kWeightedNorms) expect_example(example);
}

TEST(Normalization, MovesRunningStatistics) {
  Tensor mean = pattern({2}, 6), variance = pattern({2}, 9) * 0.25 + 1;
  batch_norm(pattern({3, 2, 2}, 5), {}, {}, mean, variance, true, 0.3, 0.1);
  expect_close(mean, {0.15, 0.975});
  expect_close(variance, {1.04875, 0.87375});
  mean = pattern({2}, 6), variance = pattern({2}, 9) * 0.25 + 1;
  instance_norm(pattern({2, 2, 4}, 5), {}, {}, mean, variance, true, 0.3, 0.1);
  expect_close(mean, {0.0375, 1.003125});
  expect_close(variance, {1.04375, 1.0617187500});
}

TEST(Normalization, OfNothingLeavesRunningStatistics) {
  Tensor mean = constant({1, 2}), variance = constant({3, 4});
  for (const auto& sizes : {std::vector<int64_t>{0, 2}, std::vector<int64_t>{3, 2, 0}}) {
    const Tensor x = zeros(sizes, kFloat64).requires_grad_();
    const Tensor w = ones({2}, kFloat64).requires_grad_();
    const Tensor y = batch_norm(x, w, {}, mean, variance, true, 0.5, 0.1);
    EXPECT_EQ(y.sizes(), x.sizes());
    y.sum().backward();
    expect_close(w.grad(), {0, 0});
  }
  expect_close(mean, {1, 2});
  expect_close(variance, {3, 4});
}

TEST(Normalization, IsExactFarFromZero) {
  const Tensor x = tensor({1e6f, 1e6f + 1, 1e6f + 2}, kFloat32).reshape({1, 3});
  expect_values(layer_norm(x, {3}, {}, {}, 0), {-1.2247448, 0, 1.2247448}, 1e-6);
}

TEST(Normalization, TakesFloat32WeightsBeside16Bits) {
  const Tensor x = pattern({2, 4}, 5).to(kFloat16).requires_grad_();
  const Tensor w = pattern({4}, 7).to(kFloat32).requires_grad_();
  const Tensor y = layer_norm(x, {4}, w);
  EXPECT_EQ(y.dtype(), kFloat16);
  y.sum().backward();
  EXPECT_EQ(x.grad().dtype(), kFloat16);
  EXPECT_EQ(w.grad().dtype(), kFloat32);
  expect_error<DtypeError>("weight", [&] { layer_norm(x, {4}, pattern({4}, 7)); });
}

TEST(Normalization, HasTheSameGradientWhenItIsDifferentiated) {
  const Tensor x = pattern({3, 4, 5}, 5).to(kFloat32).requires_grad_();
  const auto gradient = [&](bool create_graph) {
    const Tensor y = group_norm(x, 2);
    return autograd::grad({y}, {x}, {pattern({3, 4, 5}, 4).to(kFloat32)}, {}, create_graph)[0];
  };
  EXPECT_EQ(values(gradient(true)), values(gradient(false)));
}

TEST(BatchNorm, RunningStatisticsMayShareMemory) {
  manual_seed(3);
  const Tensor x = randn({5, 4}, kFloat64), both = rand({2, 4}, kFloat64);
  const Tensor mean = both.select(0, 0).clone(), variance = both.select(0, 1).clone();
  batch_norm(x, {}, {}, mean, variance, true, 0.25, 1e-5);
  batch_norm(x, {}, {}, both.select(0, 0), both.select(0, 1), true, 0.25, 1e-5);
  EXPECT_TRUE(allclose(both.select(0, 0), mean, 1e-15, 1e-15));
  EXPECT_TRUE(allclose(both.select(0, 1), variance, 1e-15, 1e-15));
}

TEST(Normalization, RejectsWrongArguments) {
  const Tensor x = zeros({2, 4}), c = zeros({4}), three = zeros({3});
  expect_error<ShapeError>("normalized_shape", [&] { layer_norm(x, {}); });
  expect_error<ShapeError>("Given normalized_shape=[3]", [&] { layer_norm(x, {3}); });
  expect_error<ShapeError>("Expected weight", [&] { layer_norm(x, {4}, three); });
  expect_error<ShapeError>("Expected bias", [&] { layer_norm(x, {4}, c, three); });
  expect_error<DtypeError>("layer_norm", [&] { layer_norm(x.to(kInt64), {4}); });
  expect_error<ShapeError>("divisible by num_groups", [&] { group_norm(x, 3); });
  expect_error<ValueError>("num groups", [&] { group_norm(x, 0); });
  expect_error<ShapeError>("at least 2", [&] { group_norm(c, 1); });
  expect_error<ShapeError>("weight should contain 4",
                           [&] { batch_norm(x, three, {}, {}, {}, true, 0.1, 1e-5); });
  expect_error<ShapeError>("running_var should contain 4",
                           [&] { batch_norm(x, {}, {}, c, three, true, 0.1, 1e-5); });
  expect_error<UndefinedTensor>("running_mean",
                                [&] { batch_norm(x, {}, {}, {}, {}, false, 0.1, 1e-5); });
  expect_error<UndefinedTensor>("running_mean",
                                [&] { instance_norm(x, {}, {}, {}, {}, false, 0.1, 1e-5); });
  expect_error<ShapeError>("rms_norm", [&] { rms_norm(x, {3}); });
  expect_error<ShapeError>("Expected weight", [&] { rms_norm(x, {4}, three); });
  expect_error<DtypeError>("rms_norm", [&] { rms_norm(x.to(kInt64), {4}); });
  expect_error<ShapeError>("_weight_norm", [&] { _weight_norm(x, c); });
  // As in PyTorch: one norm of everything.
  expect_values(_weight_norm(constant({3, 4}), constant({2, 2}), -1), {1.2, 1.6}, 1e-15);
  expect_error<DerivativeNotImplemented>("running_mean", [&] {
    batch_norm(x, {}, {}, zeros({4}).requires_grad_(), c, false, 0.1, 1e-5);
  });
}

/// Numbers are PyTorch's.
TEST(RmsNorm, HasAnEpsilonThatIsSmallBesideInputsOf16Bits) {
  const Tensor given = tensor({0x1p-6, -0x1p-5}, dtype(kFloat64));
  for (ScalarType type : {kFloat16, kBFloat16}) {
    const Tensor x = given.to(type).requires_grad_();
    const Tensor y = rms_norm(x, {2});
    EXPECT_TRUE(allclose(y.to(kFloat64), tensor({0.6324, -1.2648}, dtype(kFloat64)), 2e-3));
    y.backward(tensor({1, 2}, dtype(type)));
    EXPECT_TRUE(allclose(x.grad().to(kFloat64), tensor({64.75, 32.375}, dtype(kFloat64)), 1e-2));
  }
}

TEST(Normalization, LeavesBothStatisticsAfterAnError) {
  Tensor mean = zeros({2}), variance = zeros({1}).expand({2});
  const Tensor x = pattern({3, 2}, 5).to(kFloat32);
  expect_error<MemoryOverlap>("", [&] { batch_norm(x, {}, {}, mean, variance, true, 0.5, 0.1); });
  expect_close(mean, {0, 0});
}

}  // namespace
}  // namespace notape::testing
