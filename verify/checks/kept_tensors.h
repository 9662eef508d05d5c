// Tensors that a function keeps from before the call, as a lambda's capture or the parameters of a
// module, and that require grad. They are constants of a check: it asks nothing of their gradients,
// writes to none of them, and what follows from their history is no mistake.
#pragma once
#include <map>

#include "autograd/graph/node.h"
#include "verify/checks/subject.h"

namespace notape::verify {

/// All nodes behind a result.
std::vector<NodeRef> history_of(const Tensor& result);

/// The history that results have though no input requires grad, and that was there before the call:
/// of two calls, it is the same.
class KeptHistory {
 public:
  explicit KeptHistory(const Subject& subject);
  bool has(const NodeRef& node) const { return nodes_.contains(node.get()); }
  bool empty() const { return nodes_.empty(); }

 private:
  std::map<const Node*, NodeRef> nodes_;
};

/// Whether there is such a history, or a result is itself a leaf that requires grad.
bool keeps_recorded_tensors(const Subject& subject);

/// Whether results are in memory of the function's own, the same in two calls, which is not the
/// verifier's to write to.
bool keeps_results(const Subject& subject);

}  // namespace notape::verify
