#include "autograd/graph/node.h"

#include "autograd/graph/backward_run.h"
#include "autograd/graph/hooks.h"
#include "autograd/graph/node_origin.h"
#include "autograd/graph/support.h"
#include "autograd/modes/thread_state.h"

namespace notape {

namespace {

/// Keeps an inline function in this object for files that see its declaration only, as those do
/// that know NodeRef and not Node. (An explicit instantiation may name what is private.)
template <auto Function>
struct OutOfLine {
  [[gnu::used]] static inline const auto function = Function;
};
template struct OutOfLine<&NodeRef::retain>;
template struct OutOfLine<&NodeRef::release>;

/// What a built-in derivative records is blamed on the line whose derivative it is: a line of ours
/// would tell the user nothing.
const SourceLocation& users_place(const SourceLocation& at) {
  const Node* running = thread_state.running;
  if (!running) [[likely]]
    return at;
  const bool is_leaf = running->num_edges() == 0;  // and adds to .grad: that is the run's doing
  return !is_leaf && running->runs_beside_others() ? running->at() : at;
}

}  // namespace

Node::Node(const char* name, const char* operator_name, const SourceLocation& at,
           uint64_t sequence_nr)
    : recorded_by_(thread_state.observed_as),
      sequence_nr_(sequence_nr),
      name_(name),
      operator_name_(operator_name),
      at_(users_place(at)),
      streams_(thread_state.streams) {
  count(Count::LiveNodes);
  count(Count::NodesCreated);
  if (thread_state.anomaly != Anomaly::Off) [[unlikely]]
    note_origin(*this);
}

std::size_t VariadicNode::checked_count(const char* name, std::size_t count) {
  if (count > kMostTensors)
    throw ValueError("{}: a recorded operation has at most {} tensors on either side, got {}", name,
                     kMostTensors, count);
  return count;
}

bool Node::is_claimed_outside(const BackwardRun* owner) {
  for (const BackwardRun* run = thread_state.task; run; run = run->outer())
    if (run == owner) return true;
  return false;
}

Node::~Node() {
  delete hooks();
  count(Count::LiveNodes, -1);
}

NodeHooks& Node::make_hooks() {
  if (NodeHooks* existing = hooks()) return *existing;
  auto fresh = std::make_unique<NodeHooks>();
  NodeHooks* existing = nullptr;
  if (hooks_.compare_exchange_strong(existing, fresh.get())) existing = fresh.release();
  return *existing;
}

void NodeHooks::take_over(NodeHooks& other) {
  const std::scoped_lock guard(lock, other.lock);
  tensor_hooks = std::move(other.tensor_hooks);
  retained = std::move(other.retained);
  pre_hooks = std::move(other.pre_hooks);
  post_hooks = std::move(other.post_hooks);
  post_accumulate = std::move(other.post_accumulate);
  origin = std::move(other.origin);
}

void Node::add_pre_hook(std::function<variable_list(const variable_list&)> hook) {
  NodeHooks& hooks = make_hooks();
  const std::lock_guard guard(hooks.lock);
  hooks.pre_hooks.emplace_back(std::move(hook));
}

void Node::add_post_hook(
    std::function<variable_list(const variable_list&, const variable_list&)> hook) {
  NodeHooks& hooks = make_hooks();
  const std::lock_guard guard(hooks.lock);
  hooks.post_hooks.emplace_back(std::move(hook));
}

// Note [Iterative destruction]
// A node owns the nodes below it, so a plain destructor would recurse once per node of a chain.
// The outermost destroy() of a thread works off a list instead; the nested ones only add to it.
void Node::destroy(Node* node) noexcept {
  struct DeadList {
    Node* head;
    bool draining;
  };
  static constinit thread_local DeadList dead{};
  node->next_dead_ = dead.head;
  dead.head = node;
  if (dead.draining) return;
  dead.draining = true;
  while (Node* next = dead.head) {
    dead.head = next->next_dead_;
    delete next;
  }
  dead.draining = false;
}

namespace {

struct WantsEveryEdge final : Wanted {
  explicit WantsEveryEdge(const Node& node) : node_(node) {}
  bool operator()(std::size_t edge) const override {
    return static_cast<bool>(node_.next_edge(edge));
  }
  const Node& node_;
};

}  // namespace

variable_list Node::operator()(variable_list gradients) {
  if (gradients.size() != num_inputs_)
    throw GradientCount("{} takes {} gradients, but got {}", name_, num_inputs_, gradients.size());
  variable_list results(num_edges_);
  const DenseGradients by_hand;
  apply(gradients.data(), results.data(), WantsEveryEdge(*this));
  for (Tensor& result : results) drop_support(result);
  return results;
}

}  // namespace notape
