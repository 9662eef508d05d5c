// GraphTask: one backward run. Plans which nodes run, runs them in order, sums gradients between
// them, and leaves the graph usable whatever happens. Runs on the calling thread; a run deep inside
// other runs moves to a thread with a fresh stack while its caller waits.
#pragma once
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "autograd/graph/backward_run.h"
#include "autograd/graph/node.h"

namespace notape {

class GraphTask : public BackwardRun {
 public:
  explicit GraphTask(const Options& options);
  ~GraphTask();

  /// The innermost run of this thread; null outside backward.
  static GraphTask* current() { return static_cast<GraphTask*>(thread_state.task); }

  void add_root(Edge edge, Tensor gradient);
  /// Asks for the gradient that arrives at `edge`; returns the capture's number.
  std::size_t capture(Edge edge);
  /// In a restricted run: this accumulator runs.
  void accumulate_only(Edge accumulator) {
    want(accumulator);
    targets_.push_back(std::move(accumulator));
  }

  /// Claims and counts; throws GraphFreed, SavedTensorModified or BackwardTooDeep before anything
  /// has run.
  void plan();
  /// Runs to the end or throws what a node or hook threw.
  void run();
  /// Will be called once after the last node, in the order queued.
  void queue_callback(std::function<void()> callback) {
    make_extra().callbacks.push_back(std::move(callback));
  }
  /// Will be called when the run is over, however it ended. Must not throw.
  void queue_cleanup(std::function<void()> cleanup) {
    make_extra().cleanups.push_back(std::move(cleanup));
  }

  /// Whether this run comes to the node.
  bool reaches(const Node* node) const { return find_state(node) != nullptr; }
  /// Whether it brings the node a gradient.
  bool serves(const Node* node) const {
    const RunState* run = find_state(node);
    return run && (run->needed || run->captured);
  }

  /// After plan(): whether the run can reach the capture.
  bool is_reached(std::size_t capture_nr) const {
    return reaches(captures_[capture_nr].edge.function.get());
  }
  Tensor& captured(std::size_t capture_nr) { return captures_[capture_nr].value; }

 private:
  static constexpr std::size_t kNoCapture = SIZE_MAX;
  struct Capture {
    Edge edge;
    Tensor value;
    std::size_t before = kNoCapture;  // another one of the same node
  };
  struct Root {
    Edge edge;
    Tensor gradient;
  };
  /// The vectors of a run, kept by the thread for its next one, so that steady state allocates
  /// nothing.
  struct Buffers {
    std::vector<Node*> nodes, stack, ready;
    std::vector<Root> roots;
  };
  /// What few runs need.
  struct Extra {
    std::vector<std::function<void()>> callbacks, cleanups;
    // AtomicBackwardGuard: leaves and the gradients that wait for the end of the run.
    std::vector<std::pair<Node*, Tensor>> staged;
    // States of nodes that another run has claimed.
    std::unordered_map<const Node*, std::unique_ptr<RunState>> side_table;
  };
  class WantedByRun;
  class Current;
  friend class ParallelRun;

  static std::unique_ptr<Buffers>& spare_buffers();
  static std::unique_ptr<Buffers> take_buffers();
  Extra& make_extra() {
    if (!extra_) extra_ = std::make_unique<Extra>();
    return *extra_;
  }

  RunState* find_state(const Node* node) const {
    if (node->owner_.load(std::memory_order_relaxed) == this) [[likely]]
      return const_cast<RunState*>(&node->run_);
    return extra_ ? find_in_side_table(node) : nullptr;
  }
  RunState* find_in_side_table(const Node* node) const;
  RunState& state(const Node* node) const { return *find_state(node); }
  [[noreturn, gnu::cold]] void throw_too_deep() const;
  bool discover(Node* node);
  void want(const Edge& edge) {
    least_wanted_ = std::min(least_wanted_, edge.function->topological_nr());
  }
  void visit_graph();
  void mark_needed();
  void count_dependencies();
  bool runs_later(const Node* a, const Node* b) const;
  void make_ready(Node* node);
  Node* next_ready();
  [[gnu::noinline]] void put_in_order();
  [[gnu::noinline]] void bring_next_to_end();
  void run_here();
  void run_node(Node* node);
  void add_regions(Node* node, RunState& run);
  bool run_before_node(Node* node, RunState& run, Tensor* gradients);
  /// A node on its own, for ParallelRun; false if it has nothing to pass on.
  bool compute(Node* node, Tensor* results, RegionSink& sink);
  /// What has arrived, after hooks and captures; false if the node itself does not run now.
  bool take_gradients(Node* node, Tensor* gradients);
  void call_node(Node* node, Tensor* gradients, Tensor* results, RegionSink& sink);
  void pass_on(Node* node, Tensor* results);
  void pass_to(Node* next, RunState& run, std::size_t output, Tensor&& value);
  void pass_regions(const Edge& edge);
  static std::vector<Region> take_regions(RegionSink& sink, const OutputMeta& meta);
  static void add_pending(RunState& run, std::size_t output, std::vector<Region> regions);

  // Note [Streams of a backward run]
  // A node runs on the streams of its forward operation (Node::streams()); a leaf, whose .grad is
  // the caller's, on those of the caller. What is passed to a node of other streams is handed over:
  // these wait for what has been queued, and its memory is marked as used there. At the end the
  // caller's streams wait for all others. Most runs have one set of streams and see nothing of it.
  const StreamSet* streams_of(const Node& node) const {
    return node.num_edges() == 0 ? streams_ : node.streams();
  }
  void hand_over(const Tensor& value, const StreamSet* to) const;
  [[gnu::cold]] void join_streams() const;

  std::vector<Edge> targets_;
  std::vector<Capture> captures_;
  std::vector<std::size_t> last_capture_;  // after plan(): of each node, in order of discovery
  std::unique_ptr<Buffers> taken_buffers_;
  Buffers& buffers_;
  RegionSink sink_;
  const StreamSet* const streams_;  // the caller's
  bool crosses_streams_ = false;    // some node has others
  // Nothing wanted is behind nodes whose topological number is not greater: their edges are not
  // followed, so that grad() of the last steps does not walk all the history behind them.
  uint32_t least_wanted_ = options_.restricted ? UINT32_MAX : 0;
  std::unique_ptr<Extra> extra_;
};

/// What a gradient must look like to flow into `meta`: sums over broadcast dimensions and converts
/// the dtype. Throws InvalidGradient, naming node and index, if shape or device cannot fit.
Tensor fit_gradient(Tensor gradient, const OutputMeta& meta, const char* node_name,
                    std::size_t index);

}  // namespace notape
