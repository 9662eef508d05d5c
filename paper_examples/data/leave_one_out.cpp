#include "paper_examples/data/leave_one_out.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "ops/ops.h"

namespace notape::data {
namespace {

/// The ratings' numbers by user, then time.
std::vector<std::size_t> in_order(const Ratings& ratings) {
  std::vector<std::size_t> order(ratings.users.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(ratings.users[a], ratings.times[a]) <
           std::pair(ratings.users[b], ratings.times[b]);
  });
  return order;
}

/// Appends as many different items that are not in `seen`.
void draw_unseen(std::vector<int64_t>& items, std::unordered_set<int64_t> seen, int64_t item_count,
                 int64_t count) {
  Generator generator = default_generator();
  while (count > 0) {
    const auto item = static_cast<int64_t>(generator.below(static_cast<uint64_t>(item_count)));
    if (!seen.insert(item).second) continue;
    items.push_back(item);
    --count;
  }
}

}  // namespace

LeaveOneOut leave_one_out(const Ratings& ratings, int64_t unseen) {
  std::vector<int64_t> users, items, candidates;
  const std::vector<std::size_t> order = in_order(ratings);
  for (std::size_t i = 0; i < order.size();) {
    const int64_t user = ratings.users[order[i]];
    std::unordered_set<int64_t> seen;
    std::size_t end = i;
    for (; end < order.size() && ratings.users[order[end]] == user; ++end)
      seen.insert(ratings.items[order[end]]);
    for (; i + 1 < end; ++i) {
      users.push_back(user);
      items.push_back(ratings.items[order[i]]);
    }
    candidates.push_back(ratings.items[order[i++]]);
    if (ratings.item_count - static_cast<int64_t>(seen.size()) < unseen)
      throw ValueError("leave_one_out: user {} has rated {} of {} items: {} unseen ones are wanted",
                       user, seen.size(), ratings.item_count, unseen);
    draw_unseen(candidates, std::move(seen), ratings.item_count, unseen);
  }
  return {tensor(users), tensor(items), tensor(candidates).view({-1, 1 + unseen})};
}

Ranking ranking_of(const Tensor& scores) {
  const Tensor kept = scores.slice(1, 0, 1), others = scores.slice(1, 1);
  const Tensor before = (others >= kept).sum(1).to(kFloat64);  // (users)
  const Tensor hits = (before < 10).to(kFloat64);
  return {hits.mean().item(), (hits / log2(before + 2)).mean().item()};
}

Tensor popularity(const LeaveOneOut& split, int64_t item_count) {
  const Tensor counts = zeros({item_count}).index_add(0, split.items, ones({split.items.size(0)}));
  return counts.index({split.candidates});
}

}  // namespace notape::data
