#include "ops/linalg/testing/torch_example.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

// Through log_softmax: LibTorch's gradient is that of the scores behind log_probs.
const TorchExample kAlignments[] = {
    {.name = "labels of which two are the same",
     .inputs = {{{4, 2, 3}, 5}},
     .call =
         [](const variable_list& x) {
           return ctc_loss(log_softmax(x[0], 2), tensor({{1, 1}, {2, 1}}), {4, 3}, {2, 2}, 0,
                           Reduction::None);
         },
     .sizes = {2},
     .output = {2.25828008447, 3.41730949507},
     .gradients = {{-0.0973288229241,
                    0.144920420999,
                    -0.0475915980746,
                    -0.0881790701417,
                    0.351656988011,
                    -0.263477917869,
                    0.173628451177,
                    -0.0267210638216,
                    -0.146907387356,
                    0.122072457416,
                    0.0091950807453,
                    -0.131267538162,
                    0.0736494947322,
                    0.291690069869,
                    -0.365339564601,
                    0.022663267803,
                    -0.388002832404,
                    0.365339564601,
                    -0.0124816288747,
                    0.0600732269493,
                    -0.0475915980746,
                    0,
                    0,
                    0}}},
    {.name = "mean, concatenated int32 labels, lengths in tensors",
     .inputs = {{{5, 3, 3}, 7}},
     .call =
         [](const variable_list& x) {
           return ctc_loss(log_softmax(x[0], 2), tensor({1, 2, 1, 2}).to(kInt32), tensor({5, 4, 3}),
                           tensor({3, 0, 1}));
         },
     .sizes = {},
     .output = {2.48711891347},
     .gradients = {{0.0145260211392,
                    0.0139264395021,
                    -0.0284524606413,
                    0.14593344394,
                    -0.119311458988,
                    -0.0266219849515,
                    0.00936603914928,
                    -0.0148328888595,
                    0.00546684971024,
                    -0.00483750511153,
                    0.00402078378775,
                    0.000816721323779,
                    0.14593344394,
                    -0.119311458988,
                    -0.0266219849515,
                    -0.020287694269,
                    -0.0148328888595,
                    0.0351205831285,
                    -0.0046845826959,
                    -0.0255872106803,
                    0.0302717933762,
                    0.100190270783,
                    -0.0148328888595,
                    -0.0853573819239,
                    0.00936603914928,
                    -0.0148328888595,
                    0.00546684971024,
                    -0.00483750511153,
                    0.00402078378775,
                    0.000816721323779,
                    0.100190270783,
                    -0.0148328888595,
                    -0.0853573819239,
                    0,
                    0,
                    0,
                    -0.00695945993249,
                    0.00913238066975,
                    -0.00217292073726,
                    0,
                    0,
                    0,
                    0,
                    0,
                    0}}},
    {.name = "sum, the last class as blank",
     .inputs = {{{4, 2, 3}, 5}},
     .call =
         [](const variable_list& x) {
           return ctc_loss(log_softmax(x[0], 2), tensor({{1, 0, 0}, {0, 1, 1}}), {4, 4}, {3, 2}, 2,
                           Reduction::Sum, true);
         },
     .sizes = {},
     .output = {4.46295204255},
     .gradients = {{-0.100751413915,  0.148343011989,   -0.0475915980746, 0.276335657919,
                    -0.351656988011,  0.0753213300924,  0.188997058527,   -0.0420896711716,
                    -0.146907387356,  0.0618443622192,  -0.0308731787715, -0.0309711834477,
                    -0.0299888976576, -0.104671537741,  0.134660435399,   -0.00494687683904,
                    0.0170709778078,  -0.0121241009688, 0.399248586085,   -0.351656988011,
                    -0.0475915980746, -0.100751413915,  0.130535377214,   -0.0297839632992}}},
    {.name = "zero_infinity where one is impossible",
     .inputs = {{{3, 2, 3}, 5}},
     .call =
         [](const variable_list& x) {
           return ctc_loss(log_softmax(x[0], 2), tensor({{1, 1}, {2, 1}}), {2, 3}, {2, 2}, 0,
                           Reduction::Mean, true);
         },
     .sizes = {},
     .output = {0.854327373767},
     .gradients = {{0, 0, 0, 0.0220447675354, -0.0879142470027, 0.0658694794673, 0, 0, 0,
                    -0.0305181143541, -0.00229877018633, 0.0328168845404, 0, 0, 0,
                    -0.00566581695075, 0.0970007081011, -0.0913348911503}}},
    {.name = "one sample",
     .inputs = {{{4, 3}, 5}},
     .call =
         [](const variable_list& x) {
           return ctc_loss(log_softmax(x[0], 1), tensor({1, 2}), tensor(4), tensor(2), 0,
                           Reduction::None);
         },
     .sizes = {},
     .output = {0.886183188641},
     .gradients = {{-0.0176131490674, 0.065204747142, -0.0475915980746, -0.0218646670992,
                    0.0161927356991, 0.00567193140013, -0.107110730542, -0.0217808168091,
                    0.128891547352, -0.0922714745218, -0.0420896711716, 0.134361145693}}},
    {.name = "one sample, mean",
     .inputs = {{{4, 3}, 5}},
     .call =
         [](const variable_list& x) {
           return ctc_loss(log_softmax(x[0], 1), tensor({1, 2}), {4}, {2});
         },
     .sizes = {},
     .output = {0.443091594321},
     .gradients = {{-0.00880657453372, 0.032602373571, -0.0237957990373, -0.0109323335496,
                    0.00809636784953, 0.00283596570007, -0.0535553652712, -0.0108904084046,
                    0.0644457736758, -0.0461357372609, -0.0210448355858, 0.0671805728467}}},
};

TEST(CtcLoss, HasLibTorchsValuesAndGradients) {
  for (const TorchExample& example : kAlignments) expect_example(example);
}

TEST(CtcLoss, HasTheGradientOfLogProbsAlone) {
  // Each step that counts has one label of every alignment, so the probabilities of a step's labels
  // add up to 1, and those of steps beyond a sample's length are not looked at.
  const Tensor x = pattern_leaf({4, 2, 3}, 5);
  const Tensor loss = ctc_loss(x, tensor({{1, 1}, {2, 1}}), {4, 3}, {2, 2}, 0, Reduction::Sum);
  const Tensor gradient = autograd::grad({loss}, {x})[0];
  expect_close(gradient.sum(2), {-1, -1, -1, -1, -1, -1, -1, 0});
  EXPECT_EQ(values(select(select(gradient, 1, 1), 0, 3)), std::vector<double>(3, 0));
}

TEST(CtcLoss, OfNoLabelsAreAllBlanks) {
  const Tensor x = pattern_leaf({3, 2, 2}, 5);
  const Tensor loss = ctc_loss(x, zeros({2, 0}, kInt64), {3, 0}, {0, 0}, 1, Reduction::None);
  expect_values(loss, {-(x[0][0][1] + x[1][0][1] + x[2][0][1]).item(), 0});
  loss.sum().backward();
  expect_values(x.grad(), {0, -1, 0, 0, 0, -1, 0, 0, 0, -1, 0, 0});
}

TEST(CtcLoss, OfImpossibleAlignmentsIsInfiniteOrZeroWithGradientZero) {
  const Tensor x = pattern_leaf({2, 2, 3}, 5);
  for (const bool zero_infinity : {false, true}) {
    // Two steps do not hold 1, blank, 1; none hold no label.
    const Tensor loss =
        ctc_loss(x, tensor({{1, 1}, {2, 1}}), {2, 0}, {2, 1}, 0, Reduction::None, zero_infinity);
    const double expected = zero_infinity ? 0 : kInfinity;
    expect_values(loss, {expected, expected});
    const Tensor gradient = autograd::grad({loss.sum()}, {x}, {}, {}, true)[0];
    expect_values(gradient, std::vector<double>(12, 0));
    const Tensor second = autograd::grad({gradient.sum()}, {x}, {}, {}, {}, true)[0];
    if (second.defined()) expect_values(second, std::vector<double>(12, 0));
  }
}

TEST(CtcLoss, TakesProbabilitiesOfZero) {
  const auto gradients = [](double impossible) {
    const Tensor x = pattern({3, 1, 3}, 5);
    x[0][0][0] = impossible;  // no blank first
    x[1][0][2] = impossible;
    x.requires_grad_();
    const Tensor loss = ctc_loss(x, tensor({1, 2}), {3}, {2});
    const Tensor first = autograd::grad({loss}, {x}, {}, {}, true)[0];
    const Tensor second = autograd::grad({(first * first).sum()}, {x})[0];
    return std::tuple(loss.item(), values(first), values(second));
  };
  const auto [loss, first, second] = gradients(-kInfinity);
  const auto [near_loss, near_first, near_second] = gradients(-200);
  EXPECT_NEAR(loss, near_loss, 1e-12);
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_NEAR(first[i], near_first[i], 1e-12) << i;
    EXPECT_NEAR(second[i], near_second[i], 1e-12) << i;
  }
}

TEST(CtcLoss, IsRoundedOnceForNumbersOf16Bits) {
  const Tensor x = pattern({4, 1, 3}, 5, kFloat32);
  const Tensor labels = tensor({1, 2});
  EXPECT_EQ(values(ctc_loss(x.to(kFloat16), labels, {4}, {2})),
            values(ctc_loss(x, labels, {4}, {2}).to(kFloat16)));
}

TEST(CtcLoss, TakesWhatStandsBehindALengthForNoLabel) {
  const Tensor x = pattern({4, 2, 3}, 5);
  const Tensor labels = tensor({{1, -1}, {2, 99}});
  expect_close(ctc_loss(x, labels, {4, 4}, {1, 1}),
               values(ctc_loss(x, tensor({1, 2}), {4, 4}, {1, 1})));
}

TEST(CtcLoss, RefusesWhatDoesNotFit) {
  const Tensor x = zeros({4, 2, 3}), labels = tensor({{1, 2}, {2, 1}});
  const auto with = [&](const std::vector<int64_t>& steps, const std::vector<int64_t>& counts,
                        int64_t blank = 0) {
    return [=] { ctc_loss(x, labels, steps, counts, blank); };
  };
  expect_error<ValueError>(
      "ctc_loss: expected input_lengths to have value at most 4, but got value 5",
      with({5, 4}, {2, 2}));
  expect_error<ValueError>("expected input_lengths to have value at least 0",
                           with({-1, 4}, {2, 2}));
  expect_error<ValueError>("expected target_lengths to have value at least 0",
                           with({4, 4}, {2, -1}));
  expect_error<ShapeError>("input_lengths must be of size batch_size", with({4}, {2, 2}));
  expect_error<ShapeError>("target_lengths must be of size batch_size", with({4, 4}, {2, 2, 2}));
  expect_error<ShapeError>("expected targets of size [2, 3] or wider", with({4, 4}, {3, 2}));
  expect_error<IndexError>("blank must be in label range [0, 3), got 3", with({4, 4}, {2, 2}, 3));
  expect_error<IndexError>("blank must be in label range", with({4, 4}, {2, 2}, -1));
  const auto of = [&](const Tensor& log_probs, const Tensor& targets) {
    return [=] { ctc_loss(log_probs, targets, {4, 4}, {2, 2}); };
  };
  expect_error<IndexError>("target 3 is out of bounds for 3 classes",
                           of(x, tensor({{1, 3}, {2, 1}})));
  expect_error<IndexError>("target -1 is out of bounds", of(x, tensor({1, 2, -1, 2})));
  expect_error<ShapeError>("expected targets of size [4], the sum of target_lengths, got [3]",
                           of(x, tensor({1, 2, 1})));
  expect_error<ShapeError>("expected targets of 1 or 2 dimensions", of(x, tensor(1)));
  expect_error<ShapeError>("log_probs should have 2 or 3 dimensions", of(zeros({3}), labels));
  expect_error<ShapeError>("log_probs tensor must not be empty", of(zeros({0, 2, 3}), labels));
  expect_error<DtypeError>("log_probs should be floating", of(x.to(kInt64), labels));
  expect_error<DtypeError>("targets must be integral", of(x, labels.to(kFloat32)));
  expect_error<DtypeError>("target_lengths must be integral", [&] {
    ctc_loss(x, labels, tensor({4, 4}), tensor({2.0, 2.0}));
  });
  expect_error<ShapeError>("input_lengths must have one dimension", [&] {
    ctc_loss(x, labels, tensor({{4, 4}}), tensor({2, 2}));
  });
  expect_error<UndefinedTensor>("ctc_loss: ", of(x, Tensor()));
  expect_error<UndefinedTensor>("ctc_loss: ", [&] {
    ctc_loss(x, labels, Tensor(), tensor({2, 2}));
  });
}

}  // namespace
}  // namespace notape::testing
