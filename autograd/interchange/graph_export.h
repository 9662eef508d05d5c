// The recorded graph as text: DOT for Graphviz, JSON for programs.
#pragma once
#include <string>

#include "autograd/tensor/tensor.h"

namespace notape::autograd {

/// Every node that backward() from `roots` could reach: name, operator, the user's file and line,
/// sequence number, shape and dtype of each output, and an edge per input that wants a gradient.
/// Nodes are numbered from the roots on, breadth first, so equal programs give equal text.
/// Throws UndefinedTensor. `dot -Tsvg` draws it.
std::string to_dot(const TensorList& roots);

/// The same as {"roots": [...], "nodes": [...]}, one node a line:
///   {"id", "name", "operator", "file", "line", "function", "sequence_nr", "topological_nr",
///    "outputs": [{"dtype", "device", "sizes"}], "saved": [{"slot", "dtype", "sizes", "bytes"}],
///    "edges": [{"input", "node", "input_nr"}]}
/// An edge leads from the node's forward input to output `input_nr` of the node that computed it. A
/// root has "node", "output_nr" and what an output has; "node" is null if nothing requires grad.
/// "saved" lists the values that the node holds for backward now. A leaf's node is called
/// AccumulateGrad, has no place, and says with "alive" whether the tensor still exists.
std::string to_json(const TensorList& roots);

}  // namespace notape::autograd
