#include "paper_examples/data/ratings.h"

#include <map>
#include <numeric>

#include "autograd/error.h"
#include "paper_examples/data/package_file.h"
#include "paper_examples/data/r_data.h"

namespace notape::data {
namespace {

struct Renumbered {
  std::vector<int64_t> numbers;
  int64_t count;
};

Renumbered renumbered(const std::vector<int32_t>& ids) {
  std::map<int32_t, int64_t> number_of;
  for (int32_t id : ids) number_of.emplace(id, 0);
  int64_t next = 0;
  for (auto& [id, number] : number_of) number = next++;
  Renumbered result{{}, next};
  result.numbers.reserve(ids.size());
  for (int32_t id : ids) result.numbers.push_back(number_of.at(id));
  return result;
}

RValue read_frame(const std::string& package, const std::string& r_package,
                  const std::string& name) {
  const auto path =
      find_package_file(package, "usr/lib/R/site-library/" + r_package + "/data/Rdata.rdb");
  return read_r_data(path.parent_path(), name);
}

}  // namespace

Ratings make_ratings(std::string name, const std::vector<int32_t>& users,
                     const std::vector<int32_t>& items, std::vector<int64_t> times) {
  if (users.size() != items.size() || users.size() != times.size())
    throw ValueError("{}: {} users, {} items and {} times", name, users.size(), items.size(),
                     times.size());
  Renumbered user = renumbered(users), item = renumbered(items);
  return {std::move(name),
          std::move(user.numbers),
          std::move(item.numbers),
          std::move(times),
          user.count,
          item.count};
}

Ratings read_movielens() {
  const RValue frame = read_frame("r-cran-dslabs", "dslabs", "movielens");
  const std::vector<int32_t>& seconds = frame.element("timestamp").integers;
  return make_ratings("MovieLens", frame.element("userId").integers,
                      frame.element("movieId").integers, {seconds.begin(), seconds.end()});
}

Ratings read_inst_eval() {
  const RValue frame = read_frame("r-cran-lme4", "lme4", "InstEval");
  const std::vector<int32_t>& students = frame.element("s").integers;
  std::vector<int64_t> places(students.size());
  std::iota(places.begin(), places.end(), int64_t{0});
  return make_ratings("InstEval", students, frame.element("d").integers, std::move(places));
}

}  // namespace notape::data
