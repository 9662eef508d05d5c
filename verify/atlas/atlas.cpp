#include "verify/atlas/atlas.h"

#include <algorithm>

namespace notape::verify::atlas {
namespace {

template <typename Wanted>
bool any_spelling(std::string_view op, const Wanted& wanted) {
  return std::any_of(rows().begin(), rows().end(), [&](const Row& row) {
    return wanted(row) && std::any_of(row.spellings.begin(), row.spellings.end(),
                                      [&](const Spelling& spelling) { return spelling.op == op; });
  });
}

Row make_row(Kind kind, const char* family, const char* function, Rule rule, Numbers x,
             Numbers value, std::vector<Numbers> derivatives, std::vector<Spelling> spellings,
             const char* cases, const char* libtorch) {
  const auto n = static_cast<int64_t>(x.size());
  return {.family = family,
          .function = function,
          .rule = rule,
          .kind = kind,
          .sizes = {n},
          .x = std::move(x),
          .value = std::move(value),
          .derivatives = std::move(derivatives),
          .spellings = std::move(spellings),
          .cases = cases,
          .libtorch = libtorch};
}

}  // namespace

Row pointwise(const char* family, const char* function, Rule rule, Numbers x, Numbers value,
              std::vector<Numbers> derivatives, std::vector<Spelling> spellings, const char* cases,
              const char* libtorch) {
  return make_row(Kind::Pointwise, family, function, rule, std::move(x), std::move(value),
                  std::move(derivatives), std::move(spellings), cases, libtorch);
}
Row of_vector(const char* family, const char* function, Rule rule, Numbers x, Numbers value,
              std::vector<Numbers> derivatives, std::vector<Spelling> spellings,
              const char* cases) {
  return make_row(Kind::OfVector, family, function, rule, std::move(x), std::move(value),
                  std::move(derivatives), std::move(spellings), cases, "");
}

const std::vector<Row>& rows() {
  static const std::vector<Row> all = [] {
    std::vector<Row> result;
    for (const auto& family :
         {bounds(), ties(), powers(), selections(), domain_ends(), divergences(), activations()})
      result.insert(result.end(), family.begin(), family.end());
    return result;
  }();
  return all;
}

bool follows_index(std::string_view op) {
  return any_spelling(op, [](const Row& row) { return row.rule == Rule::R8; });
}

bool has_row(std::string_view op) {
  return any_spelling(op, [](const Row&) { return true; });
}

}  // namespace notape::verify::atlas
