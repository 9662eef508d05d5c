// What anomaly mode keeps with a node, and says when the node fails.
#pragma once

namespace notape {

class Node;

/// Keeps with `node` the stack and the running node.
void note_origin(Node& node);
/// Warns where the forward call of a failing node was. Throws nothing.
void say_where_recorded(const Node& node) noexcept;

}  // namespace notape
