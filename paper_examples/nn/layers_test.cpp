// Each layer is its function with its parameters.
#include <gmock/gmock.h>

#include <sstream>

#include "autograd/functional/checkpoint.h"
#include "cuda/sim/simulated_device.h"
#include "ops/ops.h"
#include "paper_examples/nn/activation.h"
#include "paper_examples/nn/batch_norm.h"
#include "paper_examples/nn/conv.h"
#include "paper_examples/nn/dropout.h"
#include "paper_examples/nn/embedding.h"
#include "paper_examples/nn/flatten.h"
#include "paper_examples/nn/layer_norm.h"
#include "paper_examples/nn/linear.h"
#include "paper_examples/nn/loss.h"
#include "paper_examples/nn/multihead_attention.h"
#include "paper_examples/nn/pooling.h"
#include "paper_examples/nn/state_dict.h"

namespace notape::nn {
namespace {

using ::testing::ElementsAre;

std::string printed(const Module& module) {
  std::ostringstream out;
  out << module;
  return out.str();
}

TEST(Options, HaveNoSizeThatIsABool) {
  static_assert(std::is_constructible_v<LinearOptions, int, std::size_t>);
  static_assert(!std::is_constructible_v<LinearOptions, int, bool>);  // bias(false) was meant
  static_assert(!std::is_constructible_v<LinearImpl, int, bool>);
  static_assert(!std::is_constructible_v<EmbeddingOptions, bool, int>);
  static_assert(!std::is_constructible_v<GroupNormOptions, int, bool>);
  static_assert(!std::is_constructible_v<MultiheadAttentionOptions, int, bool>);
  static_assert(!std::is_constructible_v<SoftmaxOptions, bool>);
  static_assert(!std::is_constructible_v<BatchNormOptions, bool>);
}

TEST(Linear, IsXWTransposedPlusB) {
  Linear linear(2, 3);
  const NoGradGuard no_grad;
  linear->weight.copy_(tensor({{1., 2.}, {3., 4.}, {5., 6.}}));
  linear->bias.copy_(tensor({10., 20., 30.}));
  EXPECT_TRUE(
      linear(tensor({{1., -1.}, {0., 2.}})).equal(tensor({{9., 19., 29.}, {14., 28., 42.}})));
}

TEST(Conv2d, AddsABiasPerFilterToTheCrossCorrelation) {
  Conv2d conv(1, 2, 2);
  const NoGradGuard no_grad;
  conv->weight.copy_(tensor({1., 2., 3., 4., 0., 0., 0., 1.}).view({2, 1, 2, 2}));
  conv->bias.copy_(tensor({0.5, -1.}));
  const Tensor image = tensor({{1., 2., 3.}, {4., 5., 6.}}).view({1, 1, 2, 3});
  EXPECT_TRUE(conv(image).equal(tensor({37.5, 47.5, 4., 5.}).view({1, 2, 1, 2}))) << conv(image);
}

TEST(Linear, TakesAnyNumberOfDimensionsInFrontAndMayHaveNoBias) {
  const Linear linear(LinearOptions(4, 2).bias(false));
  EXPECT_EQ(linear(ones({3, 5, 4})).sizes(), IntArrayRef({3, 5, 2}));
  EXPECT_EQ(linear(ones({4})).sizes(), IntArrayRef({2}));
  EXPECT_THAT(linear->named_parameters().keys(), ElementsAre("weight"));
}

TEST(Conv, OptionsAreThoseOfTheFunction) {
  manual_seed(1);
  const Tensor x = randn({2, 4, 9, 7});
  const Conv2d conv(
      Conv2dOptions(4, 6, {3, 2}).stride({2, 1}).padding({1, 0}).dilation(2).groups(2).bias(false));
  EXPECT_EQ(conv->weight.sizes(), IntArrayRef({6, 2, 3, 2}));
  EXPECT_TRUE(conv(x).equal(conv2d(x, conv->weight, {}, {2, 1}, {1, 0}, 2, 2)));
  const Conv2d same(Conv2dOptions(4, 3, 3).padding("same"));
  EXPECT_EQ(same(x).sizes(), IntArrayRef({2, 3, 9, 7}));
  const Conv2d reflected(Conv2dOptions(4, 3, 3).padding({1, 2}).padding_mode("reflect"));
  EXPECT_TRUE(reflected(x).equal(
      conv2d(pad(x, {2, 2, 1, 1}, "reflect"), reflected->weight, reflected->bias)));
  const Conv1d line(Conv1dOptions(4, 2, 3).stride(2));
  EXPECT_TRUE(line(x.select(3, 0)).equal(conv1d(x.select(3, 0), line->weight, line->bias, 2)));
  const ConvTranspose2d up(ConvTranspose2dOptions(4, 6, 3).stride(2).padding(1).output_padding(1));
  EXPECT_EQ(up->weight.sizes(), IntArrayRef({4, 6, 3, 3}));
  EXPECT_EQ(up(x).sizes(), IntArrayRef({2, 6, 18, 14}));
  EXPECT_EQ(ConvTranspose1d(4, 2, 3)(x.select(3, 0)).sizes(), IntArrayRef({2, 2, 11}));
  EXPECT_THROW(Conv2d(Conv2dOptions(4, 6, 3).groups(3)), ValueError);
  EXPECT_THROW(Conv2d(Conv2dOptions(4, 6, 3).padding_mode("mirror")), ValueError);
  EXPECT_EQ(printed(*conv),
            "Conv2d(4, 6, kernel_size=[3, 2], stride=[2, 1], padding=[1, 0], "
            "dilation=[2, 2], groups=2, bias=false)");
}

TEST(ConvReLU2d, IsReluOfTheConvolutionWithTheSameParameters) {
  manual_seed(4);
  const Tensor x = randn({2, 3, 6, 6});
  for (const char* const mode : {"zeros", "reflect"}) {
    const auto options = Conv2dOptions(3, 4, 3).padding(1).stride(2).padding_mode(mode);
    const ConvReLU2d joined(options);
    const Conv2d apart(options);
    load_state_dict(*apart, state_dict(*joined));
    EXPECT_TRUE(joined(x).equal(relu(apart(x)))) << mode;
  }
  const ConvReLU2d named(Conv2dOptions(3, 4, 3).padding("same").bias(false));
  EXPECT_TRUE(named(x).equal(relu(conv2d(x, named->weight, {}, 1, "same"))));
  EXPECT_EQ(printed(*ConvReLU2d(3, 4, 3)), "ConvReLU2d(3, 4, kernel_size=[3, 3], stride=[1, 1])");
}

TEST(BatchNorm, NormalizesByTheBatchAndThenByWhatItHasSeen) {
  manual_seed(2);
  const BatchNorm2d norm(3);
  const Tensor x = randn({4, 3, 5, 5}) * 2 + 1;
  const Tensor y = norm(x);
  EXPECT_TRUE(allclose(y.mean({0, 2, 3}), zeros({3}), 0, 1e-5));
  EXPECT_TRUE(allclose(norm->running_mean, x.mean({0, 2, 3}) * 0.1, 1e-5, 1e-6));
  EXPECT_TRUE(allclose(norm->running_var, x.var({0, 2, 3}) * 0.1 + 0.9, 1e-5, 1e-6));
  EXPECT_EQ(norm->num_batches_tracked.item<int64_t>(), 1);
  norm->eval();
  EXPECT_TRUE(allclose(norm(x), batch_norm(x, norm->weight, norm->bias, norm->running_mean,
                                           norm->running_var, false, 0, 1e-5)));
  EXPECT_EQ(norm->num_batches_tracked.item<int64_t>(), 1);
  EXPECT_THROW(norm(ones({2, 3})), ShapeError);
  EXPECT_THROW(BatchNorm1d(3)(x), ShapeError);
}

TEST(BatchNorm, CountsOnTheCpuWhereverTheRestIs) {
  sim::use_simulated_device();
  const BatchNorm2d norm(3);
  norm->to(kSIM);
  for (int i = 0; i < 2; ++i) norm(ones({4, 3, 5, 5}, kSIM));
  EXPECT_EQ(norm->running_mean.device(), Device(kSIM));
  EXPECT_EQ(norm->named_buffers()["num_batches_tracked"].device(), Device(kCPU));
  EXPECT_EQ(norm->num_batches_tracked.item<int64_t>(), 2);
  norm->to(kCPU);
  norm(ones({4, 3, 5, 5}));
  EXPECT_EQ(norm->num_batches_tracked.item<int64_t>(), 3);
}

TEST(BatchNorm, WithoutAMomentumItAveragesAllBatches) {
  const BatchNorm1d norm(BatchNorm1dOptions(1).momentum(std::nullopt));
  for (const double mean : {1., 2., 6.}) norm(tensor({mean - 1, mean + 1}).view({2, 1}));
  EXPECT_NEAR(norm->running_mean.item(), 3, 1e-6);
  norm->reset_running_stats();
  EXPECT_EQ(norm->running_mean.item(), 0);
  const BatchNorm1d bare(BatchNorm1dOptions(1).affine(false).track_running_stats(false));
  EXPECT_TRUE(bare->named_state().is_empty());
  bare->eval();
  EXPECT_NEAR(bare(tensor({1., 3.}).view({2, 1})).sum().item(), 0, 1e-6);
}

TEST(InstanceNorm, IsOfEachSampleAlone) {
  manual_seed(3);
  const Tensor x = randn({2, 3, 4, 5}) * 2 + 1;
  const InstanceNorm2d plain(3);
  EXPECT_TRUE(plain->named_state().is_empty());
  const Tensor y = plain(x);
  EXPECT_TRUE(allclose(y.mean({2, 3}), zeros({2, 3}), 0, 1e-5));
  EXPECT_TRUE(allclose(plain(x.select(0, 1)), y.select(0, 1), 0, 0));

  const InstanceNorm1d tracks(InstanceNorm1dOptions(3).affine(true).track_running_stats(true));
  const Tensor lines = x.select(3, 0);
  tracks(lines);
  EXPECT_TRUE(allclose(tracks->running_mean, lines.mean({0, 2}) * 0.1, 1e-5, 1e-6));
  EXPECT_EQ(tracks->num_batches_tracked.item<int64_t>(), 1);
  tracks->eval();
  EXPECT_TRUE(
      allclose(tracks(lines), batch_norm(lines, tracks->weight, tracks->bias, tracks->running_mean,
                                         tracks->running_var, false, 0, 1e-5)));
  EXPECT_THROW(tracks(x), ShapeError);
  EXPECT_THROW(plain(ones({2, 4, 4, 5})), ShapeError);
  EXPECT_THROW(plain(ones({2, 3, 1, 1})), ValueError);
}

TEST(Norm, OfLayersAndGroupsAreTheFunctions) {
  manual_seed(3);
  const Tensor x = randn({2, 4, 3});
  const LayerNorm layer(LayerNormOptions({4, 3}).eps(1e-3));
  EXPECT_TRUE(layer(x).equal(layer_norm(x, {4, 3}, layer->weight, layer->bias, 1e-3)));
  const GroupNorm group(GroupNormOptions(2, 4).affine(false));
  EXPECT_TRUE(group(x).equal(group_norm(x, 2)));
  EXPECT_EQ(printed(*layer), "LayerNorm([4, 3], eps=0.001, elementwise_affine=true)");
}

TEST(Embedding, ThePaddingRowIsZeroAndStaysSo) {
  const Embedding table(EmbeddingOptions(5, 3).padding_idx(-1));
  const Tensor found = table(tensor({0, 4, 0}));
  EXPECT_TRUE(found.select(0, 1).equal(zeros({3})));
  found.sum().backward();
  EXPECT_TRUE(table->weight.grad().select(0, 4).equal(zeros({3})));
  EXPECT_TRUE(table->weight.grad().select(0, 0).equal(full({3}, 2)));
  EXPECT_THROW(table(tensor({5})), IndexError);
  EXPECT_THROW(Embedding(EmbeddingOptions(5, 3).padding_idx(5)), ValueError);
}

TEST(Dropout, DropsWhileTrainedAndPassesOtherwise) {
  manual_seed(4);
  const Dropout dropout(0.25);
  const Tensor x = ones({10000});
  EXPECT_NEAR(dropout(x).mean().item(), 1, 0.02);
  EXPECT_NEAR((dropout(x) == 0).to(kFloat64).mean().item(), 0.25, 0.02);
  dropout->eval();
  EXPECT_TRUE(dropout(x).equal(x));
  const Dropout2d channels(Dropout2dOptions(0.5).inplace(true));
  Tensor image = ones({50, 4, 2, 2});
  EXPECT_TRUE(channels(image).is_same(image));
  for (const double sum : {0., 8.}) EXPECT_TRUE((image.sum({2, 3}) == sum).any().item<bool>());
  EXPECT_TRUE(((image.sum({2, 3}) == 0) | (image.sum({2, 3}) == 8)).all().item<bool>());
  EXPECT_THROW(Dropout(1.5), ValueError);
}

TEST(Activation, AreTheFunctionsAndWriteInPlaceIfAsked) {
  const Tensor x = tensor({-8., -0.5, 0.25, 7.});
  EXPECT_TRUE(ReLU()(x).equal(relu(x)));
  EXPECT_TRUE(ReLU6()(x).equal(relu6(x)));
  EXPECT_TRUE(SiLU()(x).equal(silu(x)));
  EXPECT_TRUE(Sigmoid()(x).equal(sigmoid(x)));
  EXPECT_TRUE(Tanh()(x).equal(tanh(x)));
  EXPECT_TRUE(LeakyReLU(0.2)(x).equal(leaky_relu(x, 0.2)));
  EXPECT_TRUE(GELU(GELUOptions().approximate("tanh"))(x).equal(gelu(x, "tanh")));
  EXPECT_TRUE(Softmax(0)(x).equal(softmax(x, 0)));
  EXPECT_TRUE(LogSoftmax(LogSoftmaxOptions(0))(x).equal(log_softmax(x, 0)));
  const Tensor y = x.clone();
  EXPECT_TRUE(ReLU(true)(y).is_same(y));
  EXPECT_TRUE(ReLU6(ReLU6Options(true))(x.clone()).equal(relu6(x)));
  EXPECT_EQ(printed(*ReLU(true)), "ReLU(inplace=true)");
}

TEST(Pooling, AreTheFunctions) {
  manual_seed(5);
  const Tensor x = randn({2, 3, 7, 8});
  EXPECT_TRUE(MaxPool2d(MaxPool2dOptions(3).stride(2).padding(1))(x).equal(max_pool2d(x, 3, 2, 1)));
  EXPECT_TRUE(MaxPool2d(2)(x).equal(max_pool2d(x, 2)));
  EXPECT_TRUE(AvgPool2d(AvgPool2dOptions({2, 3}).count_include_pad(false).padding({1, 1}))(x).equal(
      avg_pool2d(x, {2, 3}, Pair(2, 3), 1, false, false)));
  EXPECT_TRUE(
      AdaptiveAvgPool2d(AdaptiveAvgPool2dOptions({2, 1}))(x).equal(adaptive_avg_pool2d(x, {2, 1})));
  EXPECT_EQ(Flatten()(x).sizes(), IntArrayRef({2, 168}));
  EXPECT_EQ(Flatten(FlattenOptions().start_dim(2))(x).sizes(), IntArrayRef({2, 3, 56}));
}

TEST(MultiheadAttention, IsTheFunctionAlsoForKeysOfAnotherWidth) {
  manual_seed(6);
  const Tensor query = randn({3, 2, 8}), key = randn({5, 2, 8});
  const MultiheadAttention attention(8, 2);
  EXPECT_THAT(attention->named_parameters().keys(),
              ElementsAre("in_proj_weight", "in_proj_bias", "out_proj.weight", "out_proj.bias"));
  const auto [result, weights] = attention(query, key, key);
  EXPECT_EQ(result.sizes(), IntArrayRef({3, 2, 8}));
  EXPECT_TRUE(allclose(weights.sum(-1), ones({2, 3}), 0, 1e-5));
  const MultiheadAttention wide(
      MultiheadAttentionOptions(8, 2).kdim(4).vdim(6).add_bias_kv(true).bias(false));
  EXPECT_THAT(wide->named_parameters().keys(),
              ElementsAre("q_proj_weight", "k_proj_weight", "v_proj_weight", "bias_k", "bias_v",
                          "out_proj.weight"));
  const auto of_others = wide(query, randn({5, 2, 4}), randn({5, 2, 6}));
  EXPECT_EQ(std::get<1>(of_others).sizes(), IntArrayRef({2, 3, 6}));
  EXPECT_THROW(MultiheadAttention(8, 3), ValueError);
}

TEST(Loss, AreTheFunctionsWithTheirOptions) {
  manual_seed(7);
  const Tensor scores = randn({4, 3}), classes = tensor({0, 2, 1, 2}),
               weight = tensor({1., 2., 3.});
  EXPECT_TRUE(CrossEntropyLoss(CrossEntropyLossOptions().weight(weight).label_smoothing(0.1))(
                  scores, classes)
                  .equal(cross_entropy(scores, classes, weight, Reduction::Mean, -100, 0.1)));
  EXPECT_TRUE(NLLLoss(NLLLossOptions().ignore_index(2).reduction(Reduction::Sum))(scores, classes)
                  .equal(nll_loss(scores, classes, {}, Reduction::Sum, 2)));
  const Tensor target = rand({4, 3}), input = rand({4, 3});
  EXPECT_TRUE(MSELoss()(input, target).equal(mse_loss(input, target)));
  EXPECT_TRUE(L1Loss(L1LossOptions(Reduction::Sum))(input, target)
                  .equal(l1_loss(input, target, Reduction::Sum)));
  EXPECT_TRUE(SmoothL1Loss(SmoothL1LossOptions().beta(0.5))(input, target)
                  .equal(smooth_l1_loss(input, target, Reduction::Mean, 0.5)));
  EXPECT_TRUE(HuberLoss(HuberLossOptions().delta(0.5))(input, target)
                  .equal(huber_loss(input, target, Reduction::Mean, 0.5)));
  EXPECT_TRUE(BCELoss()(input, target).equal(binary_cross_entropy(input, target)));
  EXPECT_TRUE(BCEWithLogitsLoss(BCEWithLogitsLossOptions().pos_weight(weight))(scores, target)
                  .equal(binary_cross_entropy_with_logits(scores, target, {}, weight)));
  EXPECT_TRUE(KLDivLoss(KLDivLossOptions().log_target(true))(input, target)
                  .equal(kl_div(input, target, Reduction::Mean, true)));
}

TEST(BatchNorm, InsideACheckpointMovesItsStatisticsOnce_AndDropoutDrawsTheSame) {
  for (const std::optional<double> momentum : {std::optional<double>(0.3), {}}) {
    std::vector<Tensor> results[2];
    for (const bool checkpointed : {false, true}) {
      manual_seed(5);
      BatchNorm1d norm(BatchNorm1dOptions(3).momentum(momentum));
      Dropout dropout(0.5);
      const auto f = [&](const Tensor& x) { return dropout(norm(x)).square(); };
      for (int batch = 0; batch < 2; ++batch) {
        const Tensor x = randn({4, 3}, dtype(kFloat32).requires_grad(true));
        (checkpointed ? autograd::checkpoint(f, x) : f(x)).sum().backward();
        results[checkpointed].push_back(x.grad());
      }
      EXPECT_EQ(norm->num_batches_tracked.item(), 2);
      results[checkpointed].insert(results[checkpointed].end(),
                                   {norm->running_mean, norm->running_var, randn({4})});
    }
    for (std::size_t i = 0; i < results[0].size(); ++i)
      EXPECT_TRUE(results[0][i].equal(results[1][i])) << i;
  }
}

}  // namespace
}  // namespace notape::nn
