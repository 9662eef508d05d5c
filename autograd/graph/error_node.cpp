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

}  // namespace

NodeRef make_error_node(std::string message, const char* operator_name, const SourceLocation& at,
                        std::span<const Edge> edges, const OutputMeta& output) {
  return NodeRef::adopt(new ErrorNode(std::move(message), operator_name, at, edges, output));
}

}  // namespace notape
