// Packed sequences: numbers from PyTorch 2.15.
#include "ops/linalg/testing/second_source.h"
#include "ops/recurrent.h"

namespace notape::testing {
namespace {

using Leaves = const variable_list&;

/// As in recurrent_test.cpp: parameters of keys 2, 3, ..., 12, 2, ... behind the other inputs.
std::vector<PatternInput> packed_inputs(std::vector<PatternInput> inputs, int64_t rows,
                                        int64_t layers, int64_t directions, int64_t cell = 1) {
  int64_t key = 2;
  for (int64_t i = 0; i < layers * directions; ++i) {
    std::vector<std::vector<int64_t>> shapes = {
        {rows, i < directions ? 1 : directions}, {rows, 1}, {rows}, {rows}};
    if (cell > 1) shapes.push_back({1, cell});
    for (const auto& shape : shapes) {
      inputs.push_back({shape, key});
      key = key % 11 + 2;
    }
  }
  return inputs;
}

/// Of three sequences, of 3, 2 and 1 steps.
Tensor steps_of_three() { return tensor({3, 2, 1}); }

TEST(PackedLayers, HaveLibTorchsValuesAndGradients) {
  const std::vector<PatternInput> given = {{{6, 1}, 5}, {{4, 3, 1}, 7}};
  expect_as_libtorch(
      [](Leaves x) -> TensorList {
        const auto [y, h] = rnn_tanh(x[0], steps_of_three(), x[1], {x.begin() + 2, x.end()}, true,
                                     2, 0, true, true);
        return {y, h};
      },
      packed_inputs(given, 1, 2, 2),
      {{0.982939120802, 0.621257645725, -0.832838297513, 0.954420072642, 0.989962151969,
        0.521053596035, 0.975863021419, 0.771812718364, -0.938811474132, 0.982183718577,
        0.984232935398, 0.550319572213},
       {0.767266052039, -0.786495452881, 0.848283639958, -0.991298995975, 0.882734362054,
        -0.996146530673, 0.984232935398, -0.938811474132, 0.989962151969, 0.621257645725,
        0.954420072642, 0.521053596035}},
      {{2.36340199744, 1.62438494155, 1.07159605967, 0.96299108045, -1.03723562033, 1.28644617654},
       {1.11559493948, 0.377265330166, 0.488849489162, 0.0528295796131, -0.224138170444,
        0.140845622026, 0.0321092102185, 1.03692236968, 0.209736845527, 0, 0, 0},
       {2.51268452855},
       {-0.459424361768},
       {-5.22927479157},
       {-5.22927479157},
       {0.516294162414},
       {0.397688148398},
       {1.04230984376},
       {1.04230984376},
       {-0.730865662169, 1.85918361874},
       {-1.08105391696},
       {4.6389075723},
       {4.6389075723},
       {21.42905564, -30.3472792682},
       {7.2177631159},
       {33.7711316998},
       {33.7711316998}});
  expect_as_libtorch(
      [](Leaves x) -> TensorList {
        const auto [y, h] = rnn_relu(x[0], steps_of_three(), x[1], {x.begin() + 2, x.end()}, true,
                                     2, 0, true, true);
        return {y, h};
      },
      packed_inputs(given, 1, 2, 2),
      {{1.15625, 1.1875, 0, 2.65625, 1.5, 0.875, 1.1171875, 1.5, 0, 2.3125, 1.337890625, 1},
       {1, 0, 1.25, 0, 2.4375, 0, 1.337890625, 0, 1.5, 1.1875, 2.65625, 0.875}},
      {{1.90625, 20, 2.5, 0, 23.75, 0.5},
       {0.953125, 3.75, 1.25, 0, 35.625, 0, 12.28125, 0, 10.5, 0, 0, 0},
       {-4.2734375},
       {7.6484375},
       {-12.40625},
       {-12.40625},
       {48.125},
       {38.125},
       {36.25},
       {36.25},
       {45.734375, 0},
       {77.6875},
       {68.875},
       {68.875},
       {43.875, 52.8125},
       {72.6875},
       {75},
       {75}});
  expect_as_libtorch(
      [](Leaves x) -> TensorList {
        const auto [y, h] =
            gru(x[0], steps_of_three(), x[1], {x.begin() + 2, x.end()}, true, 2, 0, true, true);
        return {y, h};
      },
      packed_inputs(given, 3, 2, 2),
      {{0.254167676142, 0.590534253508, -0.54581361087, 0.983903557527, 0.402665224245,
        0.353582520136, 0.275674447675, 0.47247978076, -0.458474696677, 1.25409244009,
        0.317469094968, 0.299028004641},
       {0.512919845868, -0.470159786296, 0.566202696403, 0.213941245787, 0.590649516083,
        0.1118212056, 0.317469094968, -0.458474696677, 0.402665224245, 0.590534253508,
        0.983903557527, 0.353582520136}},
      {{-0.608682609102, 2.06645853073, -0.685797018751, -0.661595564532, 0.970191184263,
        -1.81550456516},
       {1.65394424068, 10.2740321549, 3.90950313599, -0.910703775148, -2.48997281513,
        -0.172705818926, -0.104455988755, 1.84811686459, 0.35717862754, 0.790357588921,
        15.3707521217, 4.27112850889},
       {-0.997012192904, -5.16414001395, 17.6674971938},
       {1.30011224541, 4.6130670241, -6.29916688852},
       {-0.680546442633, -4.91284381249, 14.731666425},
       {-0.680546442633, -4.91284381249, 6.56144389343},
       {0.0984810588554, 2.92998040422, -1.38401601962},
       {0.175679203378, 3.8913649849, 0.0330992980653},
       {-0.530499645916, -4.66632784391, 4.34963356907},
       {-0.530499645916, -4.66632784391, 0.750374302801},
       {-2.17566249381, 0.698132333805, 3.98982312591, 0.726299166058, 1.61449175211,
        9.31043746844},
       {-3.14292557426, 9.51695214774, 5.89418274912},
       {-1.09979759868, 6.82887761339, 29.6321897681},
       {-1.09979759868, 6.82887761339, 14.7173905373},
       {-0.125700600602, -0.343960837928, -8.19273909027, 2.09107510557, 1.1252695814,
        4.23291370057},
       {-0.638448819321, 6.72002357592, 6.91932520546},
       {-1.2764268316, -6.15035149947, 15.3709510461},
       {-1.2764268316, -6.15035149947, 12.6742382251}});
}

TEST(PackedLayers, LstmHasLibTorchsValuesAndGradients) {
  const auto run = [](bool both) {
    return [both](Leaves x) -> TensorList {
      const auto [y, h, c] = lstm(x[0], steps_of_three(), {x[1], x[2]}, {x.begin() + 3, x.end()},
                                  true, 1, 0, true, both);
      return {y, h, c};
    };
  };
  expect_as_libtorch(
      run(true), packed_inputs({{{6, 1}, 5}, {{2, 3, 1}, 7}, {{2, 3, 1}, 3}}, 4, 1, 2),
      {{0.0178070512818, 0.422764941092, -0.334644011597, -0.406795358336, 0.517307259456,
        -0.121383914483, 0.335076794097, 0.398760512274, -0.0287307727474, -0.489569139657,
        0.509310168551, 0.433561450969},
       {0.509310168551, -0.0287307727474, 0.517307259456, 0.422764941092, -0.406795358336,
        -0.121383914483},
       {0.973426202516, -0.0317666798037, 1.34491193253, 0.500639401456, -1.00334042587,
        -0.132764923184}},
      {{-1.77210806657, 1.84953621055, -0.768070058184, -5.16760751983, -1.91571514339,
        -0.809616387724},
       {0.306744814422, 5.24352421145, -0.821863615332, 11.9086839422, 2.85057173576,
        -1.30538117506},
       {4.91021514281, 4.27999409127, 3.3758403221, 10.4125965472, 5.18190725438, 7.63449433893},
       {-1.18709427001, -2.05188735245, 6.61832342069, -2.74194587574},
       {2.90327899347, 0.479226102989, -3.82286372371, 1.68547901327},
       {3.63465109733, -1.22446638369, 9.28537291073, 3.91866101548},
       {3.63465109733, -1.22446638369, 9.28537291073, 3.91866101548},
       {-0.901850532466, -5.91461318273, 7.65617794715, -3.73319574205},
       {1.90030149273, -7.17931543993, 6.23689615804, -0.95635844285},
       {-1.96423812185, 7.83303723084, 15.9187378454, -0.355883335555},
       {-1.96423812185, 7.83303723084, 15.9187378454, -0.355883335555}});
  expect_as_libtorch(
      run(false), packed_inputs({{{6, 1}, 5}, {{1, 3, 1}, 7}, {{1, 3, 2}, 3}}, 8, 1, 1, 2),
      {{-0.0600766510292, 0.14983935444, -0.253153067034, 0.0222877418724, 0.175403296391,
        -0.115549788805},
       {-0.115549788805, 0.175403296391, -0.253153067034},
       {-1.73745547058, 1.42069997971, -0.20569922875, 2.06855809842, -1.62113745719,
        0.42732860544}},
      {{0.646885584539, 1.24096474732, 6.465963977, 1.24251601439, 0.655182277344, 3.20046663246},
       {0.597170775684, 1.59070434088, 5.18794997655},
       {0.758295233616, 1.39645343591, 0.865842301064, 3.36049323039, 4.53914361824, 4.26524478245},
       {0.252944460163, 1.4321203197, 1.08921397505, 1.78810998406, 1.69070099754, -3.14734922193,
        1.77619449863, 0.490714581089},
       {0.203398326439, -0.412022441994, -0.944441603493, -0.495385712924, -0.577491720988,
        1.30628527757, -0.623657568601, -0.0292350919047},
       {-2.33373086338, 3.76116279217, -1.07906289953, 1.48852171729, 1.6793616585, 4.11693901811,
        -3.90803437418, 0.64699232838},
       {-2.33373086338, 3.76116279217, -1.07906289953, 1.48852171729, 1.6793616585, 4.11693901811,
        -3.90803437418, 0.64699232838},
       {-5.7406353187, 19.8954598776}});
}

TEST(PackedLayers, RunEachSequenceAsIfAlone) {
  const Tensor x = pattern({3, 3, 2}, 5), h = pattern({4, 3, 2}, 7), lengths = tensor({3, 3, 1});
  TensorList params;
  for (int64_t i = 0; i < 4; ++i)
    for (const int64_t size : {i < 2 ? 2 : 4, 2})
      params.push_back(pattern({6, size}, 3 + i) * 0.25);
  const auto [data, sizes] = _pack_padded_sequence(x, lengths);
  const auto [output, last] = gru(data, sizes, h, params, false, 2, 0, false, true);
  const auto [padded, same] = _pad_packed_sequence(output, sizes);
  expect_values(same, values(lengths));
  for (int64_t n = 0; n < 3; ++n) {
    const int64_t count = n == 2 ? 1 : 3;
    const auto [alone, end] = gru(x.narrow(1, n, 1).narrow(0, 0, count), h.narrow(1, n, 1), params,
                                  false, 2, 0, false, true, false);
    expect_close(padded.narrow(1, n, 1).narrow(0, 0, count), values(alone));
    expect_close(last.narrow(1, n, 1), values(end));
  }
}

TEST(PackedLayers, DropBetweenLayersInTrainingAlone) {
  const Tensor x = pattern({6, 2}, 5), h = zeros({2, 3, 2}, kFloat64);
  const TensorList params = {pattern({2, 2}, 3), pattern({2, 2}, 4), pattern({2, 2}, 6),
                             pattern({2, 2}, 7)};
  const auto run = [&](double p, bool train) {
    return values(std::get<0>(rnn_tanh(x, steps_of_three(), h, params, false, 2, p, train, false)));
  };
  EXPECT_EQ(run(0.5, false), run(0, true));
  EXPECT_NE(run(0.5, true), run(0, true));
  EXPECT_EQ(run(1, true), std::vector<double>(12, 0));
}

TEST(PackedSequences, HoldTheFirstSamplesOfEachStep) {
  const Tensor x = arange(12, kFloat64).reshape({3, 2, 2});
  for (const bool batch_first : {false, true}) {
    const auto [data, sizes] =
        _pack_padded_sequence(batch_first ? x.transpose(0, 1) : x, tensor({3, 1}), batch_first);
    EXPECT_EQ(data.sizes().vec(), (std::vector<int64_t>{4, 2}));
    expect_values(data, {0, 1, 2, 3, 4, 5, 8, 9});
    expect_values(sizes, {2, 1, 1});
    EXPECT_EQ(sizes.dtype(), kInt64);
    const auto [padded, lengths] = _pad_packed_sequence(data, sizes, batch_first, 7.5, 4);
    expect_values(lengths, {3, 1});
    const Tensor steps = batch_first ? padded.transpose(0, 1) : padded;
    EXPECT_EQ(steps.sizes().vec(), (std::vector<int64_t>{4, 2, 2}));
    expect_values(steps, {0, 1, 2, 3, 4, 5, 7.5, 7.5, 8, 9, 7.5, 7.5, 7.5, 7.5, 7.5, 7.5});
  }
}

TEST(PackedSequences, LeavePaddingAGradientOfZero) {
  // Also where what is computed of it has no finite derivative.
  const Tensor x = leaf({1, 4, 1, 0, 4, -1}).detach().reshape({3, 2, 1}).requires_grad_();
  const auto [data, sizes] = _pack_padded_sequence(sqrt(x), tensor({3, 1}));
  const auto [padded, lengths] = _pad_packed_sequence(data, sizes, false, kNaN);
  padded.narrow(1, 0, 1).sum().backward();
  expect_values(x.grad(), {0.5, 0, 0.5, 0, 0.25, 0});
}

TEST(PackedSequences, TakeAnyTypeAndRowsOfAnyRank) {
  const auto [data, sizes] = _pack_padded_sequence(arange(4).reshape({2, 2}), tensor({2, 1}));
  expect_values(data, {0, 1, 2});
  const auto [padded, lengths] = _pad_packed_sequence(data, sizes, true, 9, 0);
  EXPECT_EQ(padded.dtype(), kInt64);
  expect_values(padded, {0, 2, 1, 9});
  const auto [deep, steps] = _pack_padded_sequence(zeros({2, 2, 3, 4}), tensor({2, 1}));
  EXPECT_EQ(deep.sizes().vec(), (std::vector<int64_t>{3, 3, 4}));
  EXPECT_EQ(std::get<0>(_pad_packed_sequence(deep, steps)).sizes().vec(),
            (std::vector<int64_t>{2, 2, 3, 4}));
}

TEST(PackedSequences, RefuseWhatDoesNotFit) {
  const Tensor x = zeros({3, 2, 1});
  const auto packing = [&](const Tensor& lengths) {
    return [=] { _pack_padded_sequence(x, lengths); };
  };
  expect_error<ValueError>("_pack_padded_sequence: lengths must be sorted in decreasing order",
                           packing(tensor({2, 3})));
  expect_error<ValueError>("length of all samples has to be greater than 0, but found 0",
                           packing(tensor({2, 0})));
  expect_error<ValueError>("a length of 4 is beyond the 3 steps", packing(tensor({4, 2})));
  expect_error<ShapeError>("to be equal to batch_size, but got 1 (batch_size=2)",
                           packing(tensor({2})));
  expect_error<ShapeError>("lengths should have one dimension", packing(tensor({{3, 2}})));
  expect_error<DtypeError>("lengths should be int64", packing(tensor({3.0, 2.0})));
  expect_error<UndefinedTensor>("_pack_padded_sequence: ", packing(Tensor()));
  expect_error<ShapeError>("cannot pack empty tensors", [] {
    _pack_padded_sequence(zeros({3, 2, 0}), tensor({3, 2}));
  });
  expect_error<ShapeError>("at least 2 dimensions",
                           [] { _pack_padded_sequence(zeros({3}), tensor({3})); });
  const Tensor data = zeros({3, 1});
  const auto padding = [&](const Tensor& sizes, int64_t total = -1) {
    return [=] { _pad_packed_sequence(data, sizes, false, 0, total); };
  };
  expect_error<ValueError>("_pad_packed_sequence: expected total_length to be at least",
                           padding(tensor({2, 1}), 1));
  expect_error<ValueError>("batch_sizes should be above 0 and not rise, got [1, 2]",
                           padding(tensor({1, 2})));
  expect_error<ValueError>("batch_sizes should be above 0", padding(tensor({3, 0})));
  expect_error<ShapeError>("data should have 4 rows, the sum of batch_sizes, but has size [3, 1]",
                           padding(tensor({2, 2})));
  expect_error<ShapeError>("sequence length to be larger than 0", padding(zeros({0}, kInt64)));
  expect_error<ValueError>(
      "", [] { _pad_packed_sequence(zeros({1}, kInt32), tensor({1}), false, 1e300); });
}

TEST(PackedLayers, RefuseWhatDoesNotFit) {
  const Tensor x = zeros({3, 4}), h = zeros({1, 2, 5}), w_ih = zeros({5, 4}), w_hh = zeros({5, 5}),
               sizes = tensor({2, 1});
  const auto with = [&](const Tensor& data, const Tensor& hx, const Tensor& batch_sizes) {
    return [=] { rnn_tanh(data, batch_sizes, hx, {w_ih, w_hh}, false, 1, 0, true, false); };
  };
  expect_error<ShapeError>("rnn_tanh: input must have 2 dimensions",
                           with(zeros({3, 1, 4}), h, sizes));
  expect_error<ShapeError>("rnn_tanh: data should have 3 rows", with(zeros({4, 4}), h, sizes));
  expect_error<ShapeError>("hx should have size [1, 2, hidden size], but has [1, 3, 5]",
                           with(x, zeros({1, 3, 5}), sizes));
  expect_error<ShapeError>("w_ih should have size [5, 3]", with(zeros({3, 3}), h, sizes));
  expect_error<ValueError>("batch_sizes should be above 0 and not rise",
                           with(x, h, tensor({1, 2})));
  expect_error<DtypeError>("batch_sizes should be int64", with(x, h, sizes.to(kInt32)));
  expect_error<UndefinedTensor>("rnn_tanh: ", with(x, h, Tensor()));
  expect_error<ValueError>("lstm: expects two hidden states, but got 1",
                           [&] { lstm(x, sizes, {h}, {}, false, 1, 0, true, false); });
}

}  // namespace
}  // namespace notape::testing
