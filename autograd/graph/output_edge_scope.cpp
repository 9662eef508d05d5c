#include "autograd/graph/saved_variable.h"

namespace notape {
static constinit thread_local OutputEdgeScope* innermost_scope = nullptr;

OutputEdgeScope::OutputEdgeScope(const Node& saver, Edge edge)
    : saver_(saver), edge_(std::move(edge)), outer_(innermost_scope) {
  innermost_scope = this;
}

OutputEdgeScope::~OutputEdgeScope() { innermost_scope = outer_; }

Edge OutputEdgeScope::edge_of(const Node& saver) {
  for (OutputEdgeScope* scope = innermost_scope; scope; scope = scope->outer_)
    if (&scope->saver_ == &saver) return scope->edge_;
  return {NodeRef::share(const_cast<Node*>(&saver)), 0};
}

}  // namespace notape
