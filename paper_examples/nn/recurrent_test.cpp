#include "paper_examples/nn/recurrent.h"

#include <gmock/gmock.h>

#include "ops/ops.h"

namespace notape::nn {
namespace {

using ::testing::ElementsAre;
using namespace utils::rnn;

TEST(Recurrent, ParametersHaveLibTorchsNamesAndSizes) {
  const LSTM lstm(LSTMOptions(3, 4).num_layers(2).bidirectional(true));
  EXPECT_THAT(lstm->named_parameters().keys(),
              ElementsAre("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0",
                          "weight_ih_l0_reverse", "weight_hh_l0_reverse", "bias_ih_l0_reverse",
                          "bias_hh_l0_reverse", "weight_ih_l1", "weight_hh_l1", "bias_ih_l1",
                          "bias_hh_l1", "weight_ih_l1_reverse", "weight_hh_l1_reverse",
                          "bias_ih_l1_reverse", "bias_hh_l1_reverse"));
  EXPECT_EQ(lstm->parameters()[8].sizes(), IntArrayRef({16, 8}));
  EXPECT_EQ(GRU(GRUOptions(3, 4).bias(false))->parameters()[0].sizes(), IntArrayRef({12, 3}));
}

TEST(Recurrent, LayersAreTheFunctionsFromAStateOfZeros) {
  manual_seed(1);
  const Tensor x = randn({5, 2, 3}), h = zeros({2, 2, 4});
  const LSTM lstm(LSTMOptions(3, 4).num_layers(2));
  const auto [output, state] = lstm(x);
  const auto [expected, last_h, last_c] =
      notape::lstm(x, {h, h}, lstm->all_weights(), true, 2, 0, true, false, false);
  EXPECT_TRUE(output.equal(expected));
  EXPECT_TRUE(std::get<1>(state).equal(last_c));
  const auto again = lstm(x, state);
  EXPECT_FALSE(std::get<0>(again).equal(output));

  const GRU gru(GRUOptions(3, 4).batch_first(true));
  const auto [steps, last] = gru(x.transpose(0, 1));
  EXPECT_EQ(steps.sizes(), IntArrayRef({2, 5, 4}));
  EXPECT_TRUE(steps.select(1, 4).equal(last.select(0, 0)));

  const RNN plain(3, 4), rectified(RNNOptions(3, 4).nonlinearity(RNNOptions::Nonlinearity::ReLU));
  EXPECT_LE(std::get<0>(plain(x)).abs().max().item(), 1);
  EXPECT_GE(std::get<0>(rectified(x)).min().item(), 0);
  EXPECT_THROW(plain(ones({5, 3})), ShapeError);
  EXPECT_THROW(LSTM(LSTMOptions(3, 0)), ValueError);
}

/// Sequences of several lengths, unsorted, one by one and packed.
template <typename Layer, typename StateOf>
void check_packed(const Layer& layer, const StateOf& state_of) {
  manual_seed(2);
  const std::vector<Tensor> sequences = {randn({3, 3}), randn({5, 3}), randn({1, 3})};
  const PackedSequence packed = pack_sequence(sequences, /*enforce_sorted=*/false);
  const auto [output, state] = layer->forward_with_packed_input(packed);
  const auto [padded, lengths] = pad_packed_sequence(output);
  EXPECT_TRUE(lengths.equal(tensor({3, 5, 1})));
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    const auto n = static_cast<int64_t>(i), length = sequences[i].size(0);
    const auto [alone, last] = layer(sequences[i].unsqueeze(1));
    EXPECT_TRUE(allclose(padded.slice(0, 0, length).select(1, n), alone.select(1, 0), 1e-5, 1e-6));
    EXPECT_TRUE(padded.slice(0, length, 5).select(1, n).eq(0).all().template item<bool>());
    EXPECT_TRUE(allclose(state_of(state).select(1, n), state_of(last).select(1, 0), 1e-5, 1e-6));
  }
}

TEST(Recurrent, PackedSequencesAreInTheirCallersOrder) {
  const auto itself = [](const Tensor& state) { return state; };
  check_packed(LSTM(LSTMOptions(3, 4).bidirectional(true)),
               [](const LSTMImpl::State& state) { return std::get<1>(state); });
  check_packed(GRU(GRUOptions(3, 4).num_layers(2)), itself);
  check_packed(RNN(3, 4), itself);
}

TEST(PackedSequence, GivesBackWhatWasPacked) {
  const Tensor x = arange(12.0).view({4, 3}).unsqueeze(2);
  const PackedSequence packed = pack_padded_sequence(x, tensor({4, 2, 1}));
  EXPECT_TRUE(packed.batch_sizes().equal(tensor({3, 2, 1, 1})));
  const auto [padded, lengths] = pad_packed_sequence(packed, false, -1, 5);
  EXPECT_EQ(padded.sizes(), IntArrayRef({5, 3, 1}));
  EXPECT_EQ(padded.select(0, 4).sum().item(), -3);
  EXPECT_THROW(pack_padded_sequence(x, tensor({1, 2, 4})), ValueError);
  EXPECT_THROW(pad_sequence({}), ValueError);
}

}  // namespace
}  // namespace notape::nn
