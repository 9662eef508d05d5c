// RightEngines: the algorithms that `notape verify engines --json FILE` has found right. With
// NOTAPE_CUDNN_ENGINES=FILE in the environment convolutions take no others.
#pragma once
#include <set>
#include <string>
#include <string_view>

#include "cuda/cudnn/plan.h"

namespace notape::cuda {

class RightEngines {
 public:
  /// What the file says, or `text` of a file called so. Throws FileError, also for a census of
  /// another version of cuDNN.
  explicit RightEngines(const std::string& path);
  RightEngines(std::string_view text, const std::string& path);

  /// Why the algorithm is not taken; "": it is. Operands were row-major in the census.
  std::string refusal(const PlanKey& key, const std::string& name) const;

 private:
  std::set<std::string> problems_, right_;
};

/// Null: every algorithm is taken.
extern const RightEngines* right_engines;
std::string cudnn_version();

}  // namespace notape::cuda
