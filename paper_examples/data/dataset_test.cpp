#include "paper_examples/data/dataset.h"

#include <gmock/gmock.h>

#include <set>

#include "ops/ops.h"

namespace notape::data {
namespace {

/// Example i has data (i, 10 i) and target i.
Dataset numbered(int64_t size) {
  const Tensor numbers = arange(size);
  return {stack({numbers, numbers * 10}, 1), numbers};
}

std::vector<int64_t> targets(const Dataset& part) {
  std::vector<int64_t> result;
  for (int64_t i = 0; i < part.size(); ++i) {
    result.push_back(part.target[i].item<int64_t>());
    EXPECT_EQ(part.data[i][0].item<int64_t>(), result.back());
    EXPECT_EQ(part.data[i][1].item<int64_t>(), 10 * result.back());
  }
  return result;
}

std::vector<int64_t> order_of_one_pass(uint64_t seed) {
  manual_seed(seed);
  std::vector<int64_t> order;
  for (const Dataset& batch : ShuffledBatches(numbered(50), 7))
    for (int64_t target : targets(batch)) order.push_back(target);
  return order;
}

TEST(ShuffledBatches, C16_GiveEveryExampleOnceAndTheLastBatchMayBeSmaller) {
  manual_seed(1);
  const ShuffledBatches batches(numbered(10), 4);
  EXPECT_EQ(batches.size(), 3);
  std::vector<int64_t> sizes, all;
  for (const auto& [data, target] : batches) {
    sizes.push_back(data.size(0));
    for (int64_t value : targets({data, target})) all.push_back(value);
  }
  EXPECT_THAT(sizes, ::testing::ElementsAre(4, 4, 2));
  EXPECT_THAT(all, ::testing::UnorderedElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
}

TEST(ShuffledBatches, C16_AreStableBySeed) {
  EXPECT_EQ(order_of_one_pass(1), order_of_one_pass(1));
  EXPECT_NE(order_of_one_pass(1), order_of_one_pass(2));
}

TEST(ShuffledBatches, NeedABatchSizeOfOneOrMore) {
  for (const int64_t size : {0, -1}) EXPECT_THROW(ShuffledBatches(numbered(3), size), ValueError);
}

TEST(RandomSplit, SharesEveryExampleOut) {
  manual_seed(1);
  const auto [first, second] = random_split(numbered(10), 8);
  EXPECT_EQ(first.size(), 8);
  EXPECT_EQ(second.size(), 2);
  std::set<int64_t> all;
  for (const Dataset& part : {first, second})
    for (int64_t target : targets(part)) all.insert(target);
  EXPECT_EQ(all.size(), 10u);
}

TEST(RandomSplit, RefusesImpossibleSizes) {
  for (const int64_t size : {-1, 11}) EXPECT_THROW(random_split(numbered(10), size), ValueError);
  EXPECT_EQ(random_split(numbered(10), 10).second.size(), 0);
}

}  // namespace
}  // namespace notape::data
