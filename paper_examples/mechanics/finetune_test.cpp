// Finetuning a frozen base. EveryExample (examples_test.cpp) trains it to the end.
#include "paper_examples/mechanics/finetune.h"

#include <gmock/gmock.h>

#include <sstream>

#include "autograd/testing/temporary_folder.h"
#include "cuda/sim/simulated_device.h"
#include "ops/ops.h"

namespace notape::paper {
namespace {

std::string idx_of(const std::vector<uint32_t>& sizes, const std::string& values) {
  std::string bytes{0, 0, 8, static_cast<char>(sizes.size())};
  for (uint32_t size : sizes)
    for (int shift : {24, 16, 8, 0}) bytes += static_cast<char>(size >> shift);
  return bytes + values;
}

/// 200 images of random bytes, which are in the package's place here.
data::datasets::LazyMNIST noise(const testing::TemporaryFolder& folder) {
  constexpr uint32_t kImages = 200;
  std::string pixels, labels;
  Generator generator(1);
  for (uint32_t i = 0; i < kImages * 28 * 28; ++i)
    pixels += static_cast<char>(generator.below(256));
  for (uint32_t i = 0; i < kImages; ++i) labels += static_cast<char>(i % 10);
  return data::datasets::LazyMNIST({folder.write("images", idx_of({kImages, 28, 28}, pixels)),
                                    folder.write("labels", idx_of({kImages}, labels))});
}

TEST(Finetune, B03_LeavesTheFrozenBaseAloneAndTheSameSeedGivesTheSameResult) {
  const testing::TemporaryFolder folder;
  const auto clothes = noise(folder);
  manual_seed(1);
  const FinetuneData data{clothes, clothes, {rand({1100, 1, 28, 28}), randint(10, {1100})}};
  FinetuneOptions options{.seed = 2,
                          .pretrain_images = 200,
                          .pretrain_epochs = 1,
                          .other_images = 100,
                          .epochs = 1,
                          .random_bases = 1};
  std::ostringstream out;
  const FinetuneResult first = train_finetune(out, data, options);
  EXPECT_TRUE(first.base_unchanged);
  EXPECT_THAT(out.str(), ::testing::HasSubstr("base, epoch 1: loss "));
  sim::use_simulated_device();
  for (const Device device : {Device(kCPU), Device(kSIM)}) {
    options.device = device;
    const FinetuneResult again = train_finetune(out, data, options);
    EXPECT_EQ(first.base_accuracy, again.base_accuracy);
    EXPECT_EQ(first.frozen_accuracy, again.frozen_accuracy);
    EXPECT_EQ(first.random_accuracy, again.random_accuracy);
  }
}

}  // namespace
}  // namespace notape::paper
