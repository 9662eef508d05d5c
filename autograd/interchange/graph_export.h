// The recorded graph as a picture (SVG), for Graphviz (DOT) and for programs (JSON).
#pragma once
#include <string>

#include "autograd/tensor/tensor.h"

namespace notape::autograd {

/// Every node that backward() from `roots` could reach: name, operator, the user's file and line,
/// sequence number, shape and dtype of each output, and an edge per input that wants a gradient.
/// Nodes are numbered from the roots on, breadth first, so equal programs give equal text.
/// Throws UndefinedTensor. `dot -Tsvg` draws it.
std::string to_dot(const TensorList& roots);

/// The same as a picture of its own, with the values that each node has saved for backward, and the
/// version at which it saved them; in red what backward() would refuse because it was overwritten.
/// Throws UndefinedTensor, and ValueError for more than 300 nodes, which nobody could read.
std::string to_svg(const TensorList& roots);

/// The same as {"roots": [...], "nodes": [...]}, one node a line:
///   {"id", "name", "operator", "file", "line", "function", "sequence_nr", "topological_nr",
///    "outputs": [{"dtype", "device", "sizes"}], "saved": [{"slot", "dtype", "sizes", "bytes",
///    "version", "current_version", "overwritten"}], "edges": [{"input", "node", "input_nr"}]}
/// An edge leads from the node's forward input to output `input_nr` of the node that computed it. A
/// root has "node", "output_nr" and what an output has; "node" is null if nothing requires grad.
/// "saved" lists the values that the node holds for backward now: at which version of their memory
/// they were saved (no version if a hook keeps them), and whether backward() would refuse them as
/// overwritten. A leaf's node is called AccumulateGrad, has no place, and says with "alive" whether
/// the tensor still exists.
std::string to_json(const TensorList& roots);

}  // namespace notape::autograd
