// Nodes of the graph as Python sees them: tensor.grad_fn.
#pragma once
#include "autograd/graph/node.h"
#include "paper_examples/python/binding.h"

namespace notape::python {

/// None for a leaf.
nb::object graph_function(const NodeRef& node);

}  // namespace notape::python
