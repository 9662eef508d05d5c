// Who rated what: data sets for recommending, of Debian packages.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace notape::data {

/// Rating i is by user users[i] of item items[i]. Users and items are numbered from 0 in the order
/// of their numbers in the source.
struct Ratings {
  std::string name;
  std::vector<int64_t> users, items;
  std::vector<int64_t> times;  ///< seconds; where the source has none, the place in the source
  int64_t user_count = 0, item_count = 0;
};

/// Renumbers. Throws ValueError unless the three lists are equally long.
Ratings make_ratings(std::string name, const std::vector<int32_t>& users,
                     const std::vector<int32_t>& items, std::vector<int64_t> times);

/// MovieLens, "small" of 2016: 100,004 ratings by 671 users of 9,066 films, out of the package
/// r-cran-dslabs. For research, never redistributed. (Harper and Konstan 2015) Throws
/// MissingPackage and what read_r_data() throws.
Ratings read_movielens();
/// InstEval: 73,421 ratings by 2,972 students of 1,128 lecturers of ETH Zurich, without times, out
/// of the package r-cran-lme4 (GPL-2+). Throws as read_movielens().
Ratings read_inst_eval();

}  // namespace notape::data
