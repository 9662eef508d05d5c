#include "ops/spec/known_by_result.h"

#include <algorithm>
#include <vector>

namespace notape {
namespace {

std::vector<const KnownByResult*>& declared_by_rows() {
  static std::vector<const KnownByResult*> all;
  return all;
}

}  // namespace

const KnownByResult* known_by_result(std::string_view row) {
  const auto& all = declared_by_rows();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const KnownByResult* one) { return one->row == row; });
  return found == all.end() ? nullptr : *found;
}

RegisterKnownByResult::RegisterKnownByResult(KnownByResult declared) : declared_(declared) {
  declared_by_rows().push_back(&declared_);
}

}  // namespace notape
