#include "paper_examples/models/gnmt.h"

#include <gmock/gmock.h>

#include "ops/ops.h"
#include "paper_examples/nn/state_dict.h"

namespace notape::models {
namespace {

using ::testing::HasSubstr;

GNMT small_gnmt() {
  manual_seed(1);
  GNMT model(GNMTOptions(11).hidden_size(6).dropout(0));
  model->to(kFloat64);
  return model;
}

Tensor words(IntArrayRef size) { return randint(4, 11, size); }

TEST(GNMT, WhatStandsInPaddingChangesNeitherScoresNorGradients) {
  const GNMT model = small_gnmt();
  const Tensor lengths = tensor(std::vector<int64_t>{3, 5}), target = words({4, 2});
  const Tensor source = words({5, 2}), other = source.clone();
  other.slice(0, 3).select(1, 0).fill_(7);
  const auto gradient = [&](const Tensor& sentence) {
    model->zero_grad();
    label_smoothing_loss(model(sentence, lengths, target), target).backward();
    return model->decoder->att_rnn->attn->linear_k->weight.grad().clone();
  };
  EXPECT_TRUE(model(source, lengths, target).equal(model(other, lengths, target)));
  EXPECT_TRUE(gradient(source).equal(gradient(other)));
}

TEST(GNMT, ASentenceScoresTheSameAloneAndInAPaddedBatch) {
  const GNMT model = small_gnmt();
  const Tensor source = words({5, 2}), target = words({4, 2});
  const Tensor both = model(source, tensor(std::vector<int64_t>{3, 5}), target);
  const Tensor alone = model(source.slice(0, 0, 3).slice(1, 0, 1), tensor(std::vector<int64_t>{3}),
                             target.slice(1, 0, 1));
  EXPECT_TRUE(allclose(both.slice(1, 0, 1), alone, 1e-12, 1e-14));
}

TEST(GNMT, WordByWordTheDecoderGivesWhatItGivesAtOnce) {
  const GNMT model = small_gnmt();
  const Tensor lengths = tensor(std::vector<int64_t>{5, 2}), target = words({4, 2});
  const Tensor context = model->encoder(words({5, 2}), lengths);
  const Tensor at_once = std::get<0>(model->decoder->forward(target, context, lengths));
  std::optional<GNMTDecoderImpl::State> state;
  for (int64_t t = 0; t < 4; ++t) {
    auto [scores, after] =
        model->decoder->forward(target.slice(0, t, t + 1), context, lengths, state);
    EXPECT_TRUE(allclose(scores[0], at_once[t], 1e-12, 1e-14)) << t;
    state = std::move(after);
  }
}

TEST(GNMT, EncoderAndDecoderShareTheirWordsWhoseGradientsAddUp) {
  const GNMT model = small_gnmt();
  EXPECT_TRUE(model->encoder->embedder->weight.is_same(model->decoder->embedder->weight));
  EXPECT_FALSE(model->named_parameters().contains("decoder.embedder.weight"));
  EXPECT_TRUE(nn::state_dict(*model).contains("decoder.embedder.weight"));
}

TEST(GNMT, TheLossIsSmoothedCrossEntropyOverWordsPerSentence) {
  manual_seed(2);
  const Tensor scores = randn({3, 2, 5}, kFloat64);
  const Tensor next = tensor(std::vector<int64_t>{1, 4, 0, 2, 0, 3}).view({3, 2});
  const Tensor expected =
      cross_entropy(scores.view({6, 5}), next.view({6}), {}, Reduction::Sum, 0, 0.1) / 2.0;
  EXPECT_NEAR(label_smoothing_loss(scores, next).item(), expected.item(), 1e-12);
}

TEST(GNMT, RefusesSizesThatMakeNoModelAndAStateOfAnother) {
  EXPECT_THROW(GNMT(GNMTOptions(0)), ValueError);
  EXPECT_THROW(GNMT(GNMTOptions(5).num_layers(1)), ValueError);
  EXPECT_THROW(GNMT(GNMTOptions(5).hidden_size(2).dropout(1.5)), ValueError);
  const GNMT model = small_gnmt();
  const Tensor lengths = tensor(std::vector<int64_t>{2});
  const Tensor context = model->encoder(words({2, 1}), lengths);
  EXPECT_THAT(
      [&] {
        model->decoder->forward(words({1, 1}), context, lengths, GNMTDecoderImpl::State());
      },
      ::testing::ThrowsMessage<ValueError>(HasSubstr("the state has 0 layers, the decoder 4")));
}

}  // namespace
}  // namespace notape::models
