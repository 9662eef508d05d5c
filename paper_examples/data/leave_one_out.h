// Judging a recommender: of each user's ratings the last is kept back, and the model ranks it among
// items that the user has not rated. (He et al. 2017, 4.1)
#pragma once
#include <functional>

#include "autograd/autograd.h"
#include "paper_examples/data/ratings.h"

namespace notape::data {

struct LeaveOneOut {
  Tensor users, items;  ///< (N) each, int64: what is left to train with
  Tensor candidates;    ///< (users, 1 + unseen): the item kept back, then unseen ones
};

/// Ratings of the same time keep their order. The unseen items are drawn without repetition from
/// the default generator. Throws ValueError for a user who leaves fewer of them.
LeaveOneOut leave_one_out(const Ratings& ratings, int64_t unseen = 100);

struct Ranking {
  double hit_rate;  ///< share of users with their item among the first 10
  double ndcg;      ///< mean of 1 / log2(place + 1), places from 1, 0 beyond 10
};

/// Of scores (users, 1 + unseen), where the first is the item kept back; equal scores are before
/// it.
Ranking ranking_of(const Tensor& scores);

/// How often each candidate was rated in training: what a recommender must surpass.
Tensor popularity(const LeaveOneOut& split, int64_t item_count);

}  // namespace notape::data
