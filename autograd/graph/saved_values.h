// What a node has saved, for inspection.
#pragma once
#include "autograd/graph/saved_variable.h"

namespace notape::autograd {

struct SavedValue {
  std::string slot;  ///< "self", "result", ...
  Tensor value;      ///< outside any graph; undefined if an undefined tensor was saved
};

/// The saved values of a node, none if it saved nothing. Throws GraphFreed after their release,
/// SavedTensorModified if one was overwritten since, and what an unpack hook throws.
std::vector<SavedValue> saved_variables(const NodeRef& node);

}  // namespace notape::autograd
