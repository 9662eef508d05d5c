// How many numbers each model learns: the sizes of the benchmark.
#include <gtest/gtest.h>

#include "paper_examples/models/alexnet.h"
#include "paper_examples/models/gnmt.h"
#include "paper_examples/models/mobilenet.h"
#include "paper_examples/models/ncf.h"
#include "paper_examples/models/resnet.h"
#include "paper_examples/models/vgg.h"
#include "paper_examples/nn/init.h"

namespace notape::models {
namespace {

/// Of memory that nobody fills, which costs no time.
template <typename Make>
int64_t parameters_of(const Make& make) {
  const nn::init::SkipGuard not_filled;
  int64_t count = 0;
  for (const Tensor& one : make()->parameters()) count += one.numel();
  return count;
}

TEST(ParameterCounts, AreThoseOfTheBenchmark) {
  EXPECT_EQ(parameters_of([] { return GNMT(); }), 160'671'297);
  EXPECT_EQ(parameters_of([] { return GNMT(GNMTOptions(1500).hidden_size(96)); }), 1'126'045);
  EXPECT_EQ(parameters_of([] { return GNMT(GNMTOptions(4000).hidden_size(256)); }), 7'969'185);
  EXPECT_EQ(parameters_of([] { return NCF(); }), 31'832'577);
  EXPECT_EQ(parameters_of([] { return NCF(6040, 3706); }), 1'978'305);
}

TEST(ParameterCounts, OfCollaborativeFilteringOnOtherDataSets) {
  EXPECT_EQ(parameters_of([] { return NCF(671, 9066); }), 1'976'577);
  EXPECT_EQ(parameters_of([] { return NCF(2972, 1128); }), 894'273);
  const auto small = [](int64_t users, int64_t items) {
    return parameters_of([&] {
      return NCF(NCFOptions(users, items).mf_dim(8).mlp_layer_sizes({64, 32, 16, 8}));
    });
  };
  EXPECT_EQ(small(671, 9066), 392'241);
  EXPECT_EQ(small(2972, 1128), 166'761);
}

struct Count {
  int64_t numbers, tensors, buffers;
  bool operator==(const Count&) const = default;
};
template <typename Model>
Count count(Model (*make)(const ImageModelOptions&)) {
  const nn::init::SkipGuard not_filled;
  const Model model = make({});
  Count result{0, static_cast<int64_t>(model->parameters().size()),
               static_cast<int64_t>(model->buffers().size())};
  for (const Tensor& one : model->parameters()) result.numbers += one.numel();
  return result;
}
template <typename Model>
Model made(const ImageModelOptions& options) {
  return Model(options);
}

TEST(ParameterCounts, OfModelsOfImages) {
  EXPECT_EQ(count(made<AlexNet>), (Count{61'100'840, 16, 0}));
  EXPECT_EQ(count(vgg19), (Count{143'667'240, 38, 0}));
  EXPECT_EQ(count(resnet50), (Count{25'557'032, 161, 159}));
  EXPECT_EQ(count(resnet18), (Count{11'689'512, 62, 60}));
  EXPECT_EQ(count(made<MobileNetV2>), (Count{3'504'872, 158, 156}));
}

}  // namespace
}  // namespace notape::models
