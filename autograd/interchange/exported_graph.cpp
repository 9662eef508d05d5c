#include "autograd/interchange/exported_graph.h"

#include "autograd/error.h"

namespace notape::autograd {
namespace {

bool is_overwritten(const Node& node, const SavedVariable& value, const Edge* edge) {
  try {
    value.check(node, edge);
  } catch (const SavedTensorModified&) {
    return true;
  }
  return false;
}

}  // namespace

ExportedGraph::ExportedGraph(const TensorList& roots) {
  for (const Tensor& root : roots) {
    if (!root.defined()) throw UndefinedTensor("a root of the graph is an undefined tensor");
    roots_.push_back({OutputMeta(root.impl()), std::nullopt});
    NodeRef node = root.grad_fn();
    if (!node && root.requires_grad()) node = grad_accumulator(root.impl());
    if (!node) continue;
    roots_.back().output_nr = root.output_nr();
    roots_.back().node = number_of(node);
  }
  // The list grows while it is walked: breadth first, and no recursion for deep graphs.
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    for (const Edge& edge : nodes_[i]->next_edges())
      if (edge) number_of(edge.function);
}

std::size_t ExportedGraph::number_of(const NodeRef& node) {
  const auto [found, is_new] = numbers_.emplace(node.get(), nodes_.size());
  if (is_new) nodes_.push_back(node);
  return found->second;
}

AccumulateGrad* leaf_of(const NodeRef& node) { return dynamic_cast<AccumulateGrad*>(node.get()); }

std::vector<ExportedGraph::Saved> saved_by(const NodeRef& node) {
  std::vector<ExportedGraph::Saved> all;
  node->visit_saved([&](const SavedVariable& value, const Edge* edge) {
    if (value.holds())
      all.push_back({value.slot(), value.dtype(), DimVector(value.sizes()), value.bytes(),
                     value.versions(), is_overwritten(*node, value, edge)});
  });
  return all;
}

std::string describe(const OutputMeta& meta) {
  std::string text(name_of(meta.dtype()));
  if (!meta.device().is_cpu()) text += " " + to_string(meta.device());
  return text + " " + to_string(meta.sizes());
}

}  // namespace notape::autograd
