#include "ops/spec/without_tails.h"

#include <algorithm>
#include <vector>

namespace notape {
namespace {

std::vector<const WithoutTails*>& all_without_tails() {
  static std::vector<const WithoutTails*> all;
  return all;
}

}  // namespace

const WithoutTails* without_tails(std::string_view row) {
  const auto& all = all_without_tails();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const WithoutTails* one) { return one->row == row; });
  return found == all.end() ? nullptr : *found;
}

RegisterWithoutTails::RegisterWithoutTails(WithoutTails declared) : declared_(declared) {
  all_without_tails().push_back(&declared_);
}

}  // namespace notape
