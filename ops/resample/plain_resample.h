// The plain reference of resampling: every term of every entry, over the last dimensions.
#pragma once
#include "ops/shape/plain_pick.h"

namespace notape {

/// A place that an entry is made of, with its weight.
struct PlainTerm {
  int64_t source;
  double weight;
};

/// Entry (.., i, j, ..) is the sum of x at all combinations of terms(0, i), terms(1, j), ...: one
/// list of them per dimension of `sizes`, which are the last of the result's.
template <typename T, typename Terms>
PlainTensor<T> plain_resample(const PlainTensor<T>& x, const std::vector<int64_t>& sizes,
                              const Terms& terms) {
  std::vector<int64_t> all = x.sizes;
  const std::size_t outer = all.size() - sizes.size();
  std::copy(sizes.begin(), sizes.end(), all.begin() + static_cast<std::ptrdiff_t>(outer));
  PlainTensor<T> result(all);
  for_each_index(all, [&](const IndexTuple& at) {
    std::vector<std::vector<PlainTerm>> lists;
    std::vector<int64_t> counts;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      lists.push_back(terms(d, at[outer + d]));
      counts.push_back(static_cast<int64_t>(lists.back().size()));
    }
    T sum = 0;
    for_each_index(counts, [&](const IndexTuple& pick) {
      IndexTuple from = at;
      T weight = 1;
      for (std::size_t d = 0; d < sizes.size(); ++d) {
        const PlainTerm& term = lists[d][static_cast<std::size_t>(pick[d])];
        from[outer + d] = term.source;
        weight *= T(term.weight);
      }
      sum += weight * x.values[flat_index(x.sizes, from)];
    });
    result.values[flat_index(all, at)] = sum;
  });
  return result;
}

}  // namespace notape
