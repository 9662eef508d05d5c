// Ratings, and how recommenders are judged.
#include "paper_examples/data/leave_one_out.h"

#include <gmock/gmock.h>

#include <cmath>
#include <set>

#include "ops/ops.h"
#include "paper_examples/data/package_file.h"

namespace notape::data {
namespace {

/// Users 7 and 3, items 50, 20, 90 and 10.
Ratings a_few() {
  return make_ratings("a few", {7, 3, 7, 3, 7}, {50, 20, 90, 20, 10}, {5, 9, 5, 1, 2});
}

TEST(Ratings, AreRenumberedInAscendingOrder) {
  const Ratings ratings = a_few();
  EXPECT_EQ(ratings.users, (std::vector<int64_t>{1, 0, 1, 0, 1}));
  EXPECT_EQ(ratings.items, (std::vector<int64_t>{2, 1, 3, 1, 0}));
  EXPECT_EQ(ratings.user_count, 2);
  EXPECT_EQ(ratings.item_count, 4);
  EXPECT_THROW(make_ratings("x", {1}, {1, 2}, {1, 2}), ValueError);
}

TEST(LeaveOneOut, KeepsTheLastRatingOfEachUserAndDrawsUnseenItems) {
  const LeaveOneOut split = leave_one_out(a_few(), 1);
  EXPECT_TRUE(split.users.equal(tensor(std::vector<int64_t>{0, 1, 1})));
  EXPECT_TRUE(split.items.equal(tensor(std::vector<int64_t>{1, 0, 2})));  // 2 and 3 at one time
  EXPECT_TRUE(split.candidates.select(1, 0).equal(tensor(std::vector<int64_t>{1, 3})));
  EXPECT_EQ(split.candidates[1][1].item<int64_t>(), 1);  // all that user 1 has not rated
  EXPECT_TRUE(popularity(split, 4).equal(tensor({{1.0, 0.0}, {0.0, 1.0}})) ||
              split.candidates[0][1].item<int64_t>() != 3);
  EXPECT_THROW(leave_one_out(a_few(), 2), ValueError);
}

TEST(LeaveOneOut, DrawsDifferentUnseenItems) {
  std::vector<int32_t> users(20, 1), items(20);
  for (int32_t i = 0; i < 20; ++i) items[static_cast<std::size_t>(i)] = i;
  for (int32_t other = 0; other < 100; ++other) {
    users.push_back(2);
    items.push_back(other);
  }
  for (int32_t user : {1, 2}) {
    users.push_back(user);
    items.push_back(200 + user);
  }
  users.insert(users.end(), {3, 3, 3});
  items.insert(items.end(), {300, 301, 302});
  const Ratings ratings = make_ratings("x", users, items, std::vector<int64_t>(users.size(), 0));
  const Tensor drawn = leave_one_out(ratings, 4).candidates;
  std::set<int64_t> unseen;
  for (int64_t i = 1; i <= 4; ++i) unseen.insert(drawn[1][i].item<int64_t>());
  EXPECT_THAT(unseen, ::testing::SizeIs(4));
  EXPECT_EQ(unseen.count(drawn[1][0].item<int64_t>()), 0u);
  for (int64_t item : unseen) EXPECT_GE(item, 100);  // user 2 has rated those below
}

TEST(RankingOf, CountsEqualScoresAsBefore) {
  Tensor scores = zeros({4, 101});
  scores[0][0] = 1;                            // first: 1
  scores[1][0] = 0.5;                          // third
  scores[1].slice(0, 1, 3).fill_(0.75);        //
  scores[2][0] = 0.5;                          // eleventh
  scores[2].slice(0, 1, 11).fill_(0.5);        //
  const Ranking ranking = ranking_of(scores);  // the fourth is last
  EXPECT_DOUBLE_EQ(ranking.hit_rate, 0.5);
  EXPECT_DOUBLE_EQ(ranking.ndcg, (1 + 1 / std::log2(4)) / 4);
}

TEST(LeaveOneOut, OfMovieLensAndInstEval) {
  try {
    const Ratings films = read_movielens(), lecturers = read_inst_eval();
    EXPECT_EQ(films.user_count, 671);
    EXPECT_EQ(films.item_count, 9066);
    EXPECT_EQ(films.times[0], 1260759144);
    EXPECT_EQ(leave_one_out(films).users.size(0), 99333);
    EXPECT_EQ(lecturers.user_count, 2972);
    EXPECT_EQ(lecturers.item_count, 1128);
  } catch (const MissingPackage& missing) {
    GTEST_SKIP() << missing.what();
  }
}

}  // namespace
}  // namespace notape::data
