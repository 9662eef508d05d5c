// Node: one recorded operation's derivative; the paper's "Function".
// 2017 paper, 3: "a closure that has all context necessary to compute vector-Jacobian products";
// it is immutable once recorded, and owns the older nodes its edges point to.
#pragma once
#include <atomic>
#include <memory>
#include <span>

#include "autograd/graph/output_meta.h"
#include "autograd/graph/region.h"
#include "autograd/tensor/node_ref.h"

namespace notape {

class BackwardRun;
class GraphTask;
class SavedVariable;
struct NodeHooks;
struct StreamSet;

/// Points from a consumer's derivative to a producer's; without function: no gradient wanted.
struct Edge {
  NodeRef function;
  uint32_t input_nr = 0;
  bool is_valid() const { return static_cast<bool>(function); }
  explicit operator bool() const { return is_valid(); }
};

/// Which edges the current run wants a gradient for.
class Wanted {
 public:
  virtual bool operator()(std::size_t edge) const = 0;

 protected:
  ~Wanted() = default;
};

/// What one backward run keeps about one node: in the node while the run has claimed it, else in
/// the run's side table.
struct RunState {
  /// A gradient of one output that is yet to be added in its window.
  struct Pending {
    std::size_t output;
    Region region;
  };

  uint32_t dependencies = 0;
  uint32_t discovery = 0;
  bool needed = true;
  bool captured = false;
  Tensor first;                    // gradient of output 0
  std::unique_ptr<Tensor[]> rest;  // gradients of the other outputs, if there are any
  std::unique_ptr<std::vector<Pending>> regions;

  Tensor& gradient(std::size_t output, std::size_t outputs) {
    if (output == 0) return first;
    if (!rest) rest = std::make_unique<Tensor[]>(outputs - 1);
    return rest[output - 1];
  }
};

class Node : public Pooled {
 public:
  virtual ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  /// "MulBackward0"; a string, so that `==` compares text.
  std::string name() const { return name_; }
  /// The same without a copy, as long-lived as the program.
  const char* static_name() const { return name_; }
  /// Where the user called the operation.
  const SourceLocation& at() const { return at_; }
  const char* operator_name() const { return operator_name_; }
  /// Increasing per thread; later operations run their derivative first.
  uint64_t sequence_nr() const { return sequence_nr_; }
  /// ThreadState::observed_as of the thread that recorded it.
  uint32_t recorded_by() const { return recorded_by_; }
  /// The current streams of the thread that recorded it, on which it runs, too (see stream.h).
  const StreamSet* streams() const { return streams_; }
  /// Longest path to a leaf; 0 at leaves.
  uint32_t topological_nr() const { return topological_nr_; }

  std::span<const Edge> next_edges() const { return {edges_, num_edges_}; }
  const Edge& next_edge(std::size_t i) const { return edges_[i]; }
  std::size_t num_edges() const { return num_edges_; }
  /// Forward outputs, i.e. gradients this node takes (LibTorch: num_inputs).
  std::size_t num_inputs() const { return num_inputs_; }
  const OutputMeta& input_metadata(std::size_t i) const { return metadata_[i]; }

  /// Computes `results[i]` for every edge that `wanted` asks for, from `gradients[o]`, of which at
  /// least one is defined. The node may move from `gradients`. Undefined stands for zero.
  virtual void apply(Tensor* gradients, Tensor* results, const Wanted& wanted) = 0;
  /// Throws GraphFreed or SavedTensorModified if a saved value that a wanted gradient (null: any)
  /// needs can no longer be used.
  virtual void check_saved(const Wanted*) const {}
  /// Gives saved values back; apply() then throws GraphFreed if it needs one.
  virtual void release_saved() noexcept {}
  /// Every saved value with the edge that leads to its producer (null: this node computed it).
  using SavedVisitor = std::function<void(SavedVariable& value, const Edge* edge)>;
  virtual void visit_saved(const SavedVisitor&) {}
  /// Runs even if every incoming gradient is undefined (user functions do).
  virtual bool accepts_undefined() const { return false; }

  /// Whether gradients may come in that owe their structural zeros (see support.h).
  virtual bool keeps_entries_apart() const { return false; }

  /// Whether it may run on any thread while other nodes of the run do: apply() calls nothing that a
  /// user has written, and writes nothing that anybody else could read.
  virtual bool runs_beside_others() const { return false; }

  /// The vector-Jacobian product by hand: gradients of the outputs to gradients of the inputs.
  variable_list operator()(variable_list gradients);

  /// Whether a backward run of this thread has the node to itself.
  bool is_claimed() const {
    const BackwardRun* owner = owner_.load(std::memory_order_relaxed);
    return owner && (owner == thread_state.task || is_claimed_outside(owner));
  }

  /// Sees all output gradients before the node runs; defined results replace them.
  void add_pre_hook(std::function<variable_list(const variable_list& gradients)> hook);
  /// Sees the node's results and its output gradients; what it returns replaces the results.
  void add_post_hook(std::function<variable_list(const variable_list& input_gradients,
                                                 const variable_list& output_gradients)>
                         hook);
  NodeHooks* hooks() const { return hooks_.load(std::memory_order_acquire); }
  NodeHooks& make_hooks();

 protected:
  Node(const char* name, const char* operator_name, const SourceLocation& at, uint64_t sequence_nr);

  /// Derived classes say where their edges and output descriptions are, then set them.
  void set_storage(Edge* edges, std::size_t num_edges, OutputMeta* metadata,
                   std::size_t num_inputs) {
    edges_ = edges;
    metadata_ = metadata;
    num_edges_ = static_cast<uint16_t>(num_edges);
    num_inputs_ = static_cast<uint16_t>(num_inputs);
  }
  void set_edge(std::size_t i, Edge edge) {
    if (!edge) return;
    const uint32_t above = edge.function->topological_nr_ + 1;
    if (above > topological_nr_) topological_nr_ = above;
    edges_[i] = std::move(edge);
  }
  void set_metadata(std::size_t i, const TensorImpl& output) { metadata_[i] = OutputMeta(output); }
  void set_metadata(std::size_t i, const Tensor& output) { set_metadata(i, output.impl()); }
  void set_metadata(std::size_t i, const OutputMeta& output) { metadata_[i] = output; }
  void rename(const char* name) { name_ = name; }

 private:
  friend class NodeRef;
  friend class GraphTask;
  static void destroy(Node* node) noexcept;
  /// By a run that this thread has interrupted for another.
  static bool is_claimed_outside(const BackwardRun* owner);

  RefCount refs_;
  uint16_t num_edges_ = 0, num_inputs_ = 0;
  uint32_t topological_nr_ = 0;
  uint32_t recorded_by_;
  uint64_t sequence_nr_;
  const char* name_;
  const char* operator_name_;
  SourceLocation at_;
  const StreamSet* streams_;
  Edge* edges_ = nullptr;
  OutputMeta* metadata_ = nullptr;
  std::atomic<NodeHooks*> hooks_{nullptr};  // owned; made on first use
  Node* next_dead_ = nullptr;

  std::atomic<BackwardRun*> owner_{nullptr};
  RunState run_;
};

inline void NodeRef::retain(Node* node) noexcept { node->refs_.increment(); }
inline void NodeRef::release(Node* node) noexcept {
  if (node->refs_.decrement()) Node::destroy(node);
}

/// A node with a fixed number of edges and outputs, all in one allocation.
template <std::size_t Edges, std::size_t Outputs = 1>
class FixedNode : public Node {
 protected:
  FixedNode(const char* name, const char* operator_name, const SourceLocation& at,
            uint64_t sequence_nr)
      : Node(name, operator_name, at, sequence_nr) {
    set_storage(edge_storage_, Edges, metadata_storage_, Outputs);
  }

 private:
  Edge edge_storage_[Edges];
  OutputMeta metadata_storage_[Outputs];
};

/// A node whose numbers of edges and outputs are known only when it is recorded.
class VariadicNode : public Node {
 public:
  /// On either side: arguments or results.
  static constexpr std::size_t kMostTensors = UINT16_MAX;

 protected:
  VariadicNode(const char* name, const char* operator_name, const SourceLocation& at,
               uint64_t sequence_nr, std::size_t edges, std::size_t outputs = 1)
      : Node(name, operator_name, at, sequence_nr),
        edge_storage_(std::make_unique<Edge[]>(checked_count(name, edges))),
        metadata_storage_(std::make_unique<OutputMeta[]>(checked_count(name, outputs))) {
    set_storage(edge_storage_.get(), edges, metadata_storage_.get(), outputs);
  }

 private:
  /// Throws ValueError for more than kMostTensors.
  static std::size_t checked_count(const char* name, std::size_t count);

  std::unique_ptr<Edge[]> edge_storage_;
  std::unique_ptr<OutputMeta[]> metadata_storage_;
};

}  // namespace notape
