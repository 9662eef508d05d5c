#include "autograd/graph/saved_values.h"

#include "autograd/modes/grad_mode.h"

namespace notape::autograd {

std::vector<SavedValue> saved_variables(const NodeRef& node) {
  if (!node) throw UndefinedTensor("saved_variables: there is no node");
  const NoGradGuard detached;
  std::vector<SavedValue> values;
  node->visit_saved([&](SavedVariable& saved, const Edge* edge) {
    values.push_back({saved.slot(), saved.unpack(*node, edge)});
  });
  return values;
}

}  // namespace notape::autograd
