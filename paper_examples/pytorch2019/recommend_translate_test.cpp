// NCF and GNMT on a little data. EveryExample (examples_test.cpp) trains them to the end.
#include <gmock/gmock.h>

#include <sstream>

#include "cuda/sim/simulated_device.h"
#include "paper_examples/pytorch2019/gnmt.h"
#include "paper_examples/pytorch2019/ncf.h"

namespace notape::paper {
namespace {

/// Users like the items of their own half.
data::Ratings two_tastes() {
  std::vector<int32_t> users, items;
  std::vector<int64_t> times;
  for (int32_t user = 0; user < 40; ++user)
    for (int32_t i = 0; i < 30; ++i) {
      users.push_back(user);
      items.push_back(user % 2 * 130 + (user * 7 + i * 11) % 130);
      times.push_back(i);
    }
  for (int32_t item = 0; item < 260; ++item) {  // so that all items are there
    users.push_back(100 + item % 2);
    items.push_back(item);
    times.push_back(0);
  }
  return data::make_ratings("two tastes", users, items, times);
}

TEST(Ncf, LearnsTastesBetterThanPopularityAndTheSameSeedGivesTheSameResult) {
  const data::Ratings ratings = two_tastes();
  NcfOptions options{.seed = 1, .model = {ratings.user_count, ratings.item_count}, .epochs = 6};
  options.model.mf_dim(8).mlp_layer_sizes({16, 8}).dropout(0);
  options.batch_size = 64;
  std::ostringstream out;
  const NcfResult first = train_ncf(out, ratings, options);
  EXPECT_GT(first.ranking.hit_rate, first.popularity);
  EXPECT_EQ(train_ncf(out, ratings, options).ranking.ndcg, first.ranking.ndcg);
  sim::use_simulated_device();
  options.device = kSIM;
  EXPECT_EQ(train_ncf(out, ratings, options).ranking.ndcg, first.ranking.ndcg);
}

/// "one two three." and so on, of five numbers.
std::vector<data::VersePair> numbers() {
  const std::pair<const char*, const char*> words[] = {
      {"one", "uno"}, {"two", "dos"}, {"three", "tres"}, {"four", "cuatro"}, {"five", "cinco"}};
  std::vector<data::VersePair> verses;
  for (const auto& [a, uno] : words)
    for (const auto& [b, dos] : words)
      for (const auto& [c, tres] : words)
        verses.push_back({std::string(a) + " " + b + " " + c + ".",
                          std::string(uno) + " " + dos + " " + tres + "."});
  return verses;
}

TEST(Gnmt, LearnsWhichWordsFollowAndTheSameSeedGivesTheSameResult) {
  GnmtOptions options{.seed = 1, .hidden_size = 32, .vocabulary = 20, .held_out = 10, .steps = 30};
  std::ostringstream out;
  const GnmtResult first = train_gnmt(out, numbers(), options);
  EXPECT_LT(first.perplexity, 7);  // of 15 words
  EXPECT_THAT(out.str(), ::testing::HasSubstr("115 pairs to train with, 10 held out; 15 words"));
  EXPECT_EQ(train_gnmt(out, numbers(), options).perplexity, first.perplexity);
  EXPECT_THROW(train_gnmt(out, {}, options), ValueError);
  sim::use_simulated_device();
  options.device = kSIM;
  EXPECT_EQ(train_gnmt(out, numbers(), options).perplexity, first.perplexity);
}

}  // namespace
}  // namespace notape::paper
