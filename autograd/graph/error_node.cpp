#include "autograd/graph/error_node.h"

namespace notape {
namespace {

class ErrorNode final : public VariadicNode {
 public:
  ErrorNode(std::string message, const char* operator_name, const SourceLocation& at,
            std::span<const Edge> edges, const OutputMeta& output)
      : VariadicNode("Error", operator_name, at, thread_state.next_sequence_nr++, edges.size()),
        message_(std::move(message)) {
    for (std::size_t i = 0; i < edges.size(); ++i) set_edge(i, edges[i]);
    set_metadata(0, output);
  }
  void apply(Tensor*, Tensor*, const Wanted&) override {
    throw DerivativeNotImplemented("{}", message_);
  }
  bool runs_beside_others() const override { return true; }

 private:
  std::string message_;
};

class ForkNode final : public FixedNode<2> {
 public:
  ForkNode(Edge known, Edge missing, const OutputMeta& output)
      : FixedNode("PartlyUnknown", missing.function->operator_name(), missing.function->at(),
                  thread_state.next_sequence_nr++) {
    set_edge(0, std::move(known));
    set_edge(1, std::move(missing));
    set_metadata(0, output);
  }
  void apply(Tensor* gradients, Tensor* results, const Wanted& wanted) override {
    for (std::size_t i = 0; i < 2; ++i)
      if (wanted(i)) results[i] = gradients[0];
  }
  bool runs_beside_others() const override { return true; }
};

}  // namespace

Edge make_fork(Edge known, Edge missing, const OutputMeta& output) {
  return {NodeRef::adopt(new ForkNode(std::move(known), std::move(missing), output)), 0};
}

NodeRef make_error_node(std::string message, const char* operator_name, const SourceLocation& at,
                        std::span<const Edge> edges, const OutputMeta& output) {
  return NodeRef::adopt(new ErrorNode(std::move(message), operator_name, at, edges, output));
}

}  // namespace notape
