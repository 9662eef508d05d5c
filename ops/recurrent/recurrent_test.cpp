// Recurrent cells and layers: numbers from PyTorch 2.15.
#include "ops/recurrent.h"

#include <limits>

#include "ops/linalg/testing/second_source.h"

namespace notape::testing {
namespace {

using X = const variable_list&;

/// input, hx, w_ih, w_hh, b_ih, b_hh of a cell with `gates` gates.
std::vector<PatternInput> cell_inputs(int64_t gates) {
  const int64_t rows = 2 * gates;
  return {{{1, 2}, 5}, {{1, 2}, 7}, {{rows, 2}, 3}, {{rows, 2}, 4}, {{rows}, 6}, {{rows}, 8}};
}

TEST(RecurrentCells, HaveLibTorchsValuesAndGradients) {
  expect_as_libtorch(
      [](X x) -> TensorList { return {rnn_tanh_cell(x[0], x[1], x[2], x[3], x[4], x[5])}; },
      cell_inputs(1), {{-0.062418746748, 0.99766097947}},
      {{-0.740069069976, 0.01401771013},
       {-0.484034239898, 0.491043094962},
       {-0.249025975014, 0.996103900054, -0.002336285022, 0.009345140086},
       {0.249025975014, -1.245129875068, 0.002336285022, -0.011681425108},
       {0.996103900054, 0.009345140086},
       {0.996103900054, 0.009345140086}});
  expect_as_libtorch(
      [](X x) -> TensorList { return {rnn_relu_cell(x[0], x[1], x[2], x[3], x[4], x[5])}; },
      cell_inputs(1), {{0, 3.375}},
      {{1.5, 3}, {3, -1.5}, {0, 0, -0.5, 2}, {0, 0, 0.5, -2.5}, {0, 2}, {0, 2}});
  expect_as_libtorch(
      [](X x) -> TensorList { return {gru_cell(x[0], x[1], x[2], x[3], x[4], x[5])}; },
      cell_inputs(3), {{-0.150079808449, -1.016894029035}},
      {{-1.066251472158, -0.795011012452},
       {1.04297317804, 1.71331439223},
       {-0.018489876496, 0.073959505983, 5.3758472e-05, -0.00021503389, -0.037761599614,
        0.151046398454, 0.104117878235, -0.416471512941, -0.131612009916, 0.526448039664,
        -0.006721637251, 0.026886549005},
       {0.018489876496, -0.092449382479, -5.3758472e-05, 0.000268792362, 0.037761599614,
        -0.188807998068, -0.104117878235, 0.520589391177, 0.063750236455, -0.318751182275,
        0.006499245306, -0.032496226532},
       {0.073959505983, -0.00021503389, 0.151046398454, -0.416471512941, 0.526448039664,
        0.026886549005},
       {0.073959505983, -0.00021503389, 0.151046398454, -0.416471512941, 0.25500094582,
        0.025996981225}});
}

TEST(RecurrentCells, LstmHasLibTorchsValuesAndGradients) {
  expect_as_libtorch(
      [](X x) -> TensorList {
        const auto [h, c] = lstm_cell(x[0], {x[1], x[2]}, x[3], x[4], x[5], x[6]);
        return {h, c};
      },
      {{{1, 2}, 5}, {{1, 2}, 7}, {{1, 2}, 2}, {{8, 2}, 3}, {{8, 2}, 4}, {{8}, 6}, {{8}, 8}},
      {{-0.083106335813, 0.331941853786}, {-0.437774786276, 0.456276725739}},
      {{-0.19839259885, 0.307296186347},
       {0.881050047923, -0.57193255769},
       {0.440812776283, 2.922096935207},
       {0.009065727827, -0.036262911307, -0.024430450318, 0.097721801274, 0.068597006478,
        -0.27438802591, 0.038970032198, -0.155880128792, -0.139202958852, 0.556811835406,
        -0.101184131869, 0.404736527478, 0.016583594598, -0.066334378392, -0.03696174846,
        0.14784699384}});
}

/// Parameters as tests of LibTorch's made them: keys 2, 3, ..., 12, 2, ...
std::vector<PatternInput> layer_params(int64_t gates, int64_t hidden, int64_t input, int64_t layers,
                                       int64_t directions, int64_t projected = 0) {
  const int64_t out = projected > 0 ? projected : hidden, rows = gates * hidden;
  std::vector<PatternInput> params;
  int64_t key = 2;
  for (int64_t i = 0; i < layers * directions; ++i) {
    std::vector<std::vector<int64_t>> shapes = {
        {rows, i < directions ? input : directions * out}, {rows, out}, {rows}, {rows}};
    if (projected > 0) shapes.push_back({out, hidden});
    for (const auto& shape : shapes) {
      params.push_back({shape, key});
      key = key % 11 + 2;
    }
  }
  return params;
}

std::vector<PatternInput> joined(std::vector<PatternInput> a, const std::vector<PatternInput>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
TensorList from(X x, std::ptrdiff_t first) { return {x.begin() + first, x.end()}; }

TEST(RecurrentLayers, HaveLibTorchsValuesAndGradients) {
  expect_as_libtorch(
      [](X x) -> TensorList {
        const auto [y, h] = rnn_tanh(x[0], x[1], from(x, 2), true, 2, 0, true, true, true);
        return {y, h};
      },
      joined({{{1, 2, 1}, 5}, {{4, 1, 1}, 7}}, layer_params(1, 1, 1, 2, 2)),
      {{0.964167025556, 0.62145316193, 0.964231425205, 0.873711662561},
       {-0.651154164174, -0.990662049738, 0.964231425205, 0.62145316193}},
      {{1.454287921837, -0.359598053999}, {0.692516966114, 0.006762254854, 0.069475422811, 0}});
  expect_as_libtorch(
      [](X x) -> TensorList {
        const auto [y, h] = gru(x[0], x[1], from(x, 2), true, 2, 0, true, true, true);
        return {y, h};
      },
      joined({{{1, 2, 1}, 5}, {{4, 1, 1}, 7}}, layer_params(3, 1, 1, 2, 2)),
      {{0.346195937291, 0.355815773425, 0.399985625641, 0.05875436123},
       {0.353224997375, -0.045122803251, 0.399985625641, 0.355815773425}},
      {{-0.78682506741, -2.702344312172},
       {0.506956184741, -0.471818750561, 0.708216479997, -1.460632814905}});
}

TEST(RecurrentLayers, LstmHasLibTorchsValuesAndGradients) {
  const auto run = [](bool both) {
    return [both](X x) -> TensorList {
      const auto [y, h, c] = lstm(x[0], {x[1], x[2]}, from(x, 3), true, 1, 0, true, both, false);
      return {y, h, c};
    };
  };
  expect_as_libtorch(
      run(true),
      joined({{{2, 1, 1}, 5}, {{2, 1, 1}, 7}, {{2, 1, 1}, 3}}, layer_params(4, 1, 1, 1, 2)),
      {{0.017807051282, -0.111459567213, 0.250843713372, -0.050016572132},
       {0.250843713372, -0.111459567213},
       {0.304055858381, -0.126847717382}},
      {{-1.107297854324, -1.160136566259}, {0.152967480073, -0.997155444743}});
  expect_as_libtorch(
      run(false),
      joined({{{2, 1, 1}, 5}, {{1, 1, 1}, 7}, {{1, 1, 2}, 3}}, layer_params(4, 2, 1, 1, 1, 1)),
      {{-0.060076651029, 0.101590753796}, {0.101590753796}, {-1.120040342198, 1.138266921309}},
      {{0.518188404184, 0.397383730505}, {0.53739731105}});
}

TEST(RecurrentLayers, DropBetweenLayersInTrainingAlone) {
  const Tensor x = pattern({3, 2, 2}, 5), h = zeros({2, 2, 2}, kFloat64);
  const TensorList params = {pattern({2, 2}, 3), pattern({2, 2}, 4), pattern({2, 2}, 6),
                             pattern({2, 2}, 7)};
  const auto run = [&](double p, bool train) {
    return values(std::get<0>(rnn_tanh(x, h, params, false, 2, p, train, false, false)));
  };
  EXPECT_EQ(run(0.5, false), run(0, true));
  EXPECT_NE(run(0.5, true), run(0, true));
  EXPECT_EQ(run(1, true), std::vector<double>(12, 0));  // nothing reaches the second layer
}

TEST(RecurrentLayers, RefuseWhatDoesNotFit) {
  const Tensor x = zeros({3, 2, 4}), h = zeros({1, 2, 5}), w_ih = zeros({5, 4}),
               w_hh = zeros({5, 5}), b = zeros({5});
  const auto with = [&](const Tensor& input, const Tensor& hx, const TensorList& params,
                        bool biased = false, int64_t layers = 1, double p = 0) {
    return [=] { rnn_tanh(input, hx, params, biased, layers, p, true, false, false); };
  };
  expect_error<ValueError>("rnn_tanh: expected 4 parameters, 4 for each of 1 directions and layers",
                           with(x, h, {w_ih, w_hh}, true));
  expect_error<ShapeError>("w_ih should have size [5, 4], but has [5, 5]",
                           with(x, h, {w_hh, w_hh}));
  expect_error<ShapeError>("w_hh should have size [5, 5]", with(x, h, {w_ih, w_ih}));
  expect_error<ShapeError>("b_hh should have size [5], but has [1]",
                           with(x, h, {w_ih, w_hh, b, zeros({1})}, true));
  expect_error<ShapeError>("hx should have size [1, 2, hidden size], but has [2, 2, 5]",
                           with(x, zeros({2, 2, 5}), {w_ih, w_hh}));
  expect_error<ShapeError>("sequence length to be larger than 0",
                           with(zeros({0, 2, 4}), h, {w_ih, w_hh}));
  expect_error<ShapeError>("input must have 3 dimensions", with(zeros({2, 4}), h, {w_ih, w_hh}));
  expect_error<ValueError>("num_layers must be at least 1", with(x, h, {}, false, 0));
  expect_error<ValueError>("no more than there are weights for",
                           with(x, h, {}, false, std::numeric_limits<int64_t>::max()));
  expect_error<ValueError>("dropout probability", with(x, h, {w_ih, w_hh}, false, 1, -1));
  expect_error<DtypeError>("expected scalar type Float but found Double",
                           with(x, h.to(kFloat64), {w_ih, w_hh}));
  expect_error<UndefinedTensor>("rnn_tanh:", with(x, h, {w_ih, Tensor()}));
  expect_error<UndefinedTensor>("rnn_tanh:", with(x, Tensor(), {w_ih, w_hh}));
  expect_error<ValueError>("lstm: expects two hidden states, but got 1",
                           [&] { lstm(x, {h}, {}, false, 1, 0, true, false, false); });
}

TEST(RecurrentCells, RefuseWhatDoesNotFit) {
  const Tensor x = zeros({2, 4}), h = zeros({2, 5}), w_ih = zeros({15, 4}), w_hh = zeros({15, 5});
  expect_error<ShapeError>("gru_cell: hx should have size [2, 5], but has [3, 5]", [&] {
    gru_cell(x, zeros({3, 5}), w_ih, w_hh);
  });
  expect_error<ShapeError>("gru_cell: expected input and hx to be matrices",
                           [&] { gru_cell(zeros({4}), h, w_ih, w_hh); });
  expect_error<ShapeError>("w_ih should have size [20, 4], but has [15, 4]", [&] {
    lstm_cell(x, {h, h}, w_ih, w_hh);
  });
  expect_error<ValueError>("lstm_cell: expects two hidden states",
                           [&] { lstm_cell(x, {h}, w_ih, w_hh); });
  expect_error<UndefinedTensor>("lstm_cell:", [&] { lstm_cell(x, {h, Tensor()}, w_ih, w_hh); });
  expect_error<DtypeError>("expected floating operands", [&] {
    gru_cell(x.to(kInt64), h.to(kInt64), w_ih.to(kInt64), w_hh.to(kInt64));
  });
}

}  // namespace
}  // namespace notape::testing
