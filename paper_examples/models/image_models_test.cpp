#include <gmock/gmock.h>

#include "ops/ops.h"
#include "paper_examples/models/alexnet.h"
#include "paper_examples/models/mobilenet.h"
#include "paper_examples/models/resnet.h"
#include "paper_examples/models/vgg.h"
#include "paper_examples/nn/init.h"
#include "paper_examples/nn/state_dict.h"

namespace notape::models {
namespace {

using ::testing::IsSupersetOf;

const ImageModelOptions kNarrow = ImageModelOptions(5).width_mult(1.0 / 16);

template <typename Model>
std::vector<std::string> names_of(const Model& model) {
  std::vector<std::string> result;
  for (const auto& [name, tensor] : nn::state_dict(*model)) result.push_back(name);
  return result;
}

TEST(ImageModels, ParametersHaveTorchvisionsNames) {
  EXPECT_THAT(names_of(AlexNet(kNarrow)),
              IsSupersetOf({"features.0.weight", "features.10.bias", "classifier.1.weight",
                            "classifier.4.weight", "classifier.6.bias"}));
  EXPECT_THAT(names_of(vgg19(kNarrow)),
              IsSupersetOf({"features.0.weight", "features.34.weight", "classifier.0.weight",
                            "classifier.3.weight", "classifier.6.bias"}));
  EXPECT_THAT(names_of(resnet50(kNarrow)),
              IsSupersetOf({"conv1.weight", "bn1.running_mean", "layer1.0.downsample.0.weight",
                            "layer1.0.downsample.1.num_batches_tracked", "layer3.5.conv3.weight",
                            "layer4.2.bn3.running_var", "fc.bias"}));
  EXPECT_THAT(names_of(MobileNetV2(kNarrow)),
              IsSupersetOf({"features.0.0.weight", "features.0.1.running_mean",
                            "features.1.conv.0.0.weight", "features.1.conv.2.weight",
                            "features.2.conv.1.1.bias", "features.17.conv.3.running_var",
                            "features.18.1.weight", "classifier.1.bias"}));
}

TEST(ImageModels, TakeImagesOfOtherSizes) {
  manual_seed(1);
  const NoGradGuard no_grad;
  const auto sizes = [](const auto& model, int64_t height, int64_t width) {
    return model(randn({2, 3, height, width})).sizes().vec();
  };
  const std::vector<int64_t> expected = {2, 5};
  EXPECT_EQ(sizes(AlexNet(kNarrow), 63, 90), expected);
  EXPECT_EQ(sizes(vgg19(kNarrow), 32, 70), expected);
  EXPECT_EQ(sizes(resnet18(kNarrow), 33, 64), expected);
  EXPECT_EQ(sizes(MobileNetV2(kNarrow), 33, 64), expected);
}

TEST(ResNet, ABlockWithoutWeightsPassesItsInputOn) {
  const BottleneckImpl block(8, 2, 1);
  nn::init::zeros_(block.bn3->weight);
  const Tensor x = rand({2, 8, 3, 3});
  EXPECT_TRUE(block.forward(x).equal(x));
  const BasicBlockImpl halving(4, 8, 2);
  EXPECT_EQ(halving.forward(rand({1, 4, 5, 6})).sizes(), IntArrayRef({1, 8, 3, 3}));
}

TEST(MobileNetV2, AddsTheInputOnlyWhereTheShapeIsTheSame) {
  const nn::init::SkipGuard not_filled;
  int64_t added = 0;
  for (const auto& module : MobileNetV2()->modules())
    if (const auto* block = module->as<InvertedResidualImpl>()) added += block->adds_input ? 1 : 0;
  EXPECT_EQ(added, 10);
}

TEST(ImageModels, RefuseOptionsOutOfTheirRange) {
  EXPECT_THROW(AlexNet(ImageModelOptions(0)), ValueError);
  EXPECT_THROW(resnet18(ImageModelOptions().width_mult(0)), ValueError);
  EXPECT_THROW(MobileNetV2(ImageModelOptions().dropout(2)), ValueError);
}

}  // namespace
}  // namespace notape::models
