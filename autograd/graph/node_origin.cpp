#include "autograd/graph/node_origin.h"

#include <execinfo.h>

#include "autograd/graph/hooks.h"
#include "autograd/warning.h"

namespace notape {

struct NodeOrigin {
  static constexpr int kFrames = 48;
  void* frames[kFrames];
  int depth = 0;
  NodeRef induced_by;
};

void note_origin(Node& node) {
  auto origin = std::make_shared<NodeOrigin>();
  origin->depth = backtrace(origin->frames, NodeOrigin::kFrames);
  if (thread_state.running)
    origin->induced_by = NodeRef::share(const_cast<Node*>(thread_state.running));
  node.make_hooks().origin = std::move(origin);
}

namespace {

/// The call with its place, then the stack.
std::string describe(const Node& node, const NodeOrigin& origin) {
  std::string text = format_message("\n  {}{}", {node.operator_name(), at_place(node.at())});
  if (char** names = backtrace_symbols(origin.frames, origin.depth)) {
    for (int i = 0; i < origin.depth; ++i) text += std::string("\n    ") + names[i];
    std::free(names);
  }
  return text;
}

std::string story_of(const Node& node) {
  const NodeOrigin* origin = node.hooks() ? node.hooks()->origin.get() : nullptr;
  if (!origin)
    return format_message(
        "Error detected in {}. No forward pass information available. Enable detect anomaly during "
        "forward pass for more information.\n  {}{}",
        {node.name(), node.operator_name(), at_place(node.at())});
  std::string text =
      format_message("Error detected in {}. Traceback of forward call that caused the error:{}",
                     {node.name(), describe(node, *origin)});
  for (const NodeOrigin* one = origin; one && one->induced_by;) {
    const Node& cause = *one->induced_by;
    one = cause.hooks() ? cause.hooks()->origin.get() : nullptr;
    text += format_message("\nPrevious calculation was induced by {}.{}",
                           {cause.name(), one ? describe(cause, *one)
                                              : format_message(" {}{}", {cause.operator_name(),
                                                                         at_place(cause.at())})});
  }
  return text;
}

}  // namespace

void say_where_recorded(const Node& node) noexcept {
  try {
    warn(story_of(node), node.at());
  } catch (...) {  // what the node threw matters more
  }
}

}  // namespace notape
