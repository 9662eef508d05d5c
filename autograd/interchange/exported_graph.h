// The part of the recorded graph that is exported: its nodes in the order in which they are
// numbered, whatever the format.
#pragma once
#include <optional>
#include <unordered_map>
#include <vector>

#include "autograd/graph/accumulate_grad.h"
#include "autograd/graph/node.h"
#include "autograd/graph/saved_variable.h"

namespace notape::autograd {

/// What backward() from some roots could reach, kept alive; breadth first, so that equal programs
/// have equal numbers.
class ExportedGraph {
 public:
  struct Root {
    OutputMeta meta;
    std::optional<std::size_t> node;  ///< none if nothing requires grad
    uint32_t output_nr = 0;
  };
  struct Saved {
    const char* slot;
    ScalarType dtype;
    DimVector sizes;
    int64_t bytes;
    std::optional<SavedVariable::Versions> versions;
    bool is_overwritten;  ///< backward would refuse it
  };

  /// Throws UndefinedTensor.
  explicit ExportedGraph(const TensorList& roots);

  const std::vector<Root>& roots() const { return roots_; }
  const std::vector<NodeRef>& nodes() const { return nodes_; }
  std::size_t number(const Node* node) const { return numbers_.at(node); }

 private:
  std::size_t number_of(const NodeRef& node);

  std::vector<Root> roots_;
  std::vector<NodeRef> nodes_;
  std::unordered_map<const Node*, std::size_t> numbers_;
};

/// The node as that of a leaf; null if it is another.
AccumulateGrad* leaf_of(const NodeRef& node);
/// The values that the node holds for backward now.
std::vector<ExportedGraph::Saved> saved_by(const NodeRef& node);

/// "float32 [4, 3]", with the device if it is not the CPU.
std::string describe(const OutputMeta& meta);

}  // namespace notape::autograd
