// ErrorNode: stands where a derivative does not exist, so that needing it is an error and not a
// missing term.
#pragma once
#include <span>
#include <string>

#include "autograd/graph/node.h"

namespace notape {

/// A node that raises DerivativeNotImplemented with `message` when a gradient reaches it. `edges`
/// lead to everything that the missing derivative would have reached: a run that needs any of it
/// comes here.
NodeRef make_error_node(std::string message, const char* operator_name, const SourceLocation& at,
                        std::span<const Edge> edges, const OutputMeta& output);

/// A node that hands its gradient on to both edges: to a derivative that is known, and to an error
/// node for the part that is missing.
Edge make_fork(Edge known, Edge missing, const OutputMeta& output);

}  // namespace notape
