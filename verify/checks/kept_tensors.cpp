#include "verify/checks/kept_tensors.h"

#include <set>

#include "autograd/autograd.h"

namespace notape::verify {

std::vector<NodeRef> history_of(const Tensor& result) {
  std::vector<NodeRef> all, open;
  std::set<const Node*> seen;
  if (NodeRef root = result.grad_fn()) open.push_back(std::move(root));
  while (!open.empty()) {
    const NodeRef node = std::move(open.back());
    open.pop_back();
    if (!seen.insert(node.get()).second) continue;
    all.push_back(node);
    for (const Edge& edge : node->next_edges())
      if (edge) open.push_back(edge.function);
  }
  return all;
}

KeptHistory::KeptHistory(const Subject& subject) {
  const EnableGradGuard recording;
  const std::vector<NodeRef> first = history_of(subject.drawn.op.call(subject.inputs(0)));
  if (first.empty()) return;
  std::set<const Node*> before;
  for (const NodeRef& node : first) before.insert(node.get());
  for (const NodeRef& node : history_of(subject.drawn.op.call(subject.inputs(0))))
    if (before.contains(node.get())) nodes_.emplace(node.get(), node);
}

bool keeps_recorded_tensors(const Subject& subject) {
  if (!KeptHistory(subject).empty()) return true;
  const EnableGradGuard recording;
  const Tensor result = subject.drawn.op.call(subject.inputs(0));
  return result.requires_grad() && result.is_leaf() &&
         result.is_same(subject.drawn.op.call(subject.inputs(0)));
}

bool keeps_results(const Subject& subject) {
  const NoGradGuard no_grad;
  const Tensor first = subject.drawn.op.call(subject.inputs(0));
  const Tensor second = subject.drawn.op.call(subject.inputs(0));
  return first.impl().storage() == second.impl().storage();
}

}  // namespace notape::verify
