#include "ops/spec/accuracy.h"

#include <algorithm>
#include <vector>

namespace notape {
namespace {

std::vector<const Accuracy*>& declared_accuracies() {
  static std::vector<const Accuracy*> all;
  return all;
}

}  // namespace

const Accuracy& accuracy_of(std::string_view row) {
  static const Accuracy goal;
  const auto& all = declared_accuracies();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Accuracy* one) { return one->row == row; });
  return found == all.end() ? goal : **found;
}

RegisterAccuracy::RegisterAccuracy(Accuracy declared) : declared_(declared) {
  declared_accuracies().push_back(&declared_);
}

}  // namespace notape
