// shapes: what a user's backward returns has the shape of the input it is for, and no fewer digits.
// The engine sums a gradient over dimensions that the input lacks, as it has to for those of its
// own that broadcast, and converts it: both hide a rule that returns the gradient of something
// else. So nodes are run here by hand, and looked at before that.
#include <map>

#include "autograd/autograd.h"
#include "ops/arithmetic.h"
#include "verify/checks/comparer.h"
#include "verify/checks/kept_tensors.h"

namespace notape::verify {
namespace {

/// All nodes of the call behind a result, in the order in which backward runs them. What the
/// function keeps from before has a history that is not asked about, and may be freed already.
class ByHand {
 public:
  ByHand(const Subject& subject, const Tensor& output) : comparer_(subject), kept_(subject) {
    const NodeRef root = output.grad_fn();
    if (!root || kept_.has(root)) return;
    add(root);
    pending_.at(root.get()).gradients[output.output_nr()] = subject.incoming_tensor();
  }

  void run() {
    // Every edge leads to a smaller number.
    for (const auto& [order, nodes] : by_order_)
      for (Node* node : nodes) run(*node, pending_.at(node).gradients);
  }
  Comparer& comparer() { return comparer_; }

 private:
  struct Pending {
    NodeRef node;
    variable_list gradients;
  };

  void add(const NodeRef& root) {
    std::vector<NodeRef> open{root};
    while (!open.empty()) {
      const NodeRef node = open.back();
      open.pop_back();
      if (pending_.count(node.get()) || kept_.has(node)) continue;
      pending_[node.get()] = {node, variable_list(node->num_inputs())};
      by_order_[-static_cast<int64_t>(node->topological_nr())].push_back(node.get());
      for (const Edge& edge : node->next_edges())
        if (edge) open.push_back(edge.function);
    }
  }

  void run(Node& node, variable_list& incoming) {
    bool any = false;
    for (const Tensor& gradient : incoming) any = any || gradient.defined();
    if (!any || node.num_edges() == 0) return;  // nothing came, or a leaf
    variable_list found;
    try {
      found = node(std::move(incoming));
    } catch (const InvalidGradient& error) {  // which a user's function raises by itself
      comparer_.fail(Verdict::Fail, "shape", error.what_without_backtrace());
      return;
    }
    std::vector<Edge> edges(node.next_edges().begin(), node.next_edges().end());
    const variable_list returned = found;
    // What fits in no way raises an error, as in backward().
    autograd::validate_outputs(edges, found, [](const std::string& text) { return text; });
    if (node.accepts_undefined()) judge(node, edges, returned);
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (!edges[i] || !found[i].defined() || kept_.has(edges[i].function)) continue;
      Tensor& sum = pending_.at(edges[i].function.get()).gradients[edges[i].input_nr];
      sum = sum.defined() ? sum + found[i] : found[i];
    }
  }

  void judge(const Node& node, const std::vector<Edge>& edges, const variable_list& found) {
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (!edges[i] || !found[i].defined()) continue;
      const OutputMeta& input = edges[i].function->input_metadata(edges[i].input_nr);
      if (!(input.sizes() == found[i].sizes()))
        comparer_.fail(Verdict::Fail, "shape",
                       format_message("the backward of {} returns a gradient of shape {} for its "
                                      "input {} of shape {}",
                                      {node.name(), to_string(found[i].sizes()), i,
                                       to_string(input.sizes())}));
      else if (input.dtype() == kFloat64 && found[i].dtype() == kFloat32)
        comparer_.fail(Verdict::Fail, "dtype",
                       format_message("the backward of {} returns a float32 gradient for its "
                                      "float64 input {}",
                                      {node.name(), i}));
      else
        comparer_.same("shape", {}, {0}, {0});
    }
  }

  Comparer comparer_;
  const KeptHistory kept_;
  std::map<Node*, Pending> pending_;
  std::map<int64_t, std::vector<Node*>> by_order_;
};

}  // namespace

Outcome check_shapes(const Subject& subject) {
  Tensor output;
  {
    const EnableGradGuard recording;
    output = subject.drawn.op.call(subject.inputs());
  }
  ByHand by_hand(subject, output);
  const NoGradGuard no_grad;
  by_hand.run();
  by_hand.comparer().same("shape", {}, {0}, {0});  // without a user's node all is the library's
  return by_hand.comparer().finish("shape", "");
}

}  // namespace notape::verify
