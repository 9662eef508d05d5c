// GraphTask: one backward run. Plans which nodes run, runs them in order, sums gradients between
// them, and leaves the graph usable whatever happens. Runs on the calling thread.
#pragma once
#include <memory>
#include <unordered_map>
#include <vector>

#include "autograd/graph/node.h"

namespace notape {

class GraphTask {
 public:
  struct Options {
    bool keep_graph = false;
    bool create_graph = false;
    /// Run only what leads to a capture or to `accumulate_only`.
    bool restricted = false;
  };

  explicit GraphTask(Options options);
  ~GraphTask();
  GraphTask(const GraphTask&) = delete;
  GraphTask& operator=(const GraphTask&) = delete;

  void add_root(Edge edge, Tensor gradient);
  /// Asks for the gradient that arrives at `edge`; returns the capture's number.
  std::size_t capture(Edge edge);
  /// In a restricted run: this accumulator runs.
  void accumulate_only(Edge accumulator) { targets_.push_back(std::move(accumulator)); }

  /// Claims and counts; throws GraphFreed or SavedTensorModified before anything has run.
  void plan();
  /// Runs to the end or throws what a node or hook threw.
  void run();

  /// After plan(): whether the run can reach the capture.
  bool is_reached(std::size_t capture_nr) const;
  Tensor& captured(std::size_t capture_nr) { return captures_[capture_nr].value; }

 private:
  struct Capture {
    Edge edge;
    Tensor value;
  };
  struct Root {
    Edge edge;
    Tensor gradient;
  };
  /// The vectors of a run, kept per thread so that steady state allocates nothing.
  struct Buffers {
    std::vector<Node*> nodes, stack, ready;
    std::vector<Root> roots;
    void swap(Buffers& other) noexcept;
  };
  class WantedByRun;

  static Buffers& spare_buffers();

  RunState* find_state(const Node* node) const;
  RunState& state(const Node* node) const { return *find_state(node); }
  bool discover(Node* node);
  void visit_graph();
  void mark_needed();
  void count_dependencies();
  bool runs_later(const Node* a, const Node* b) const;
  void make_ready(Node* node);
  Node* next_ready();
  void run_node(Node* node);
  bool run_before_node(Node* node, RunState& run, Tensor* gradients);
  void call_node(Node* node, Tensor* gradients, Tensor* results);
  void pass_on(Node* node, Tensor* results);

  Options options_;
  std::vector<Edge> targets_;
  std::vector<Capture> captures_;
  Buffers buffers_;
  // States of nodes that another run has claimed.
  std::unordered_map<const Node*, std::unique_ptr<RunState>> side_table_;
};

/// What a gradient must look like to flow into `meta`: sums over broadcast dimensions and converts
/// the dtype. Throws InvalidGradient, naming node and index, if shape or device cannot fit.
Tensor fit_gradient(Tensor gradient, const OutputMeta& meta, const char* node_name,
                    std::size_t index);

}  // namespace notape
