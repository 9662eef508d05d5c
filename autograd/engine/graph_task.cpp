#include "autograd/engine/graph_task.h"

#include <algorithm>

#include "autograd/engine/fresh_stack.h"
#include "autograd/engine/run_hooks.h"
#include "autograd/graph/accumulate_grad.h"
#include "autograd/graph/vector_space.h"
#include "autograd/modes/anomaly_mode.h"
#include "autograd/modes/grad_mode.h"
#include "autograd/observer.h"

namespace notape {
namespace {

constexpr std::size_t kFewTensors = 4;

/// An array of tensors on the stack, or on the heap where there are many.
class TensorArray {
 public:
  explicit TensorArray(std::size_t size) {
    if (size > kFewTensors) many_.resize(size);
  }
  Tensor* data() { return many_.empty() ? few_ : many_.data(); }

 private:
  Tensor few_[kFewTensors];
  std::vector<Tensor> many_;
};

}  // namespace

class GraphTask::WantedByRun final : public Wanted {
 public:
  WantedByRun(const GraphTask& task, const Node& node) : task_(task), node_(node) {}
  bool operator()(std::size_t i) const override {
    const Edge& edge = node_.next_edge(i);
    if (!edge || !task_.options_.restricted) return static_cast<bool>(edge);
    const RunState& run = task_.state(edge.function.get());
    return run.needed || run.captured;
  }

 private:
  const GraphTask& task_;
  const Node& node_;
};

/// In its scope the task is this thread's current one.
class GraphTask::Current {
 public:
  explicit Current(GraphTask* task)
      : task_(std::exchange(thread_state.task, task)),
        running_(std::exchange(thread_state.running, nullptr)),
        sink_(std::exchange(thread_state.region_sink, nullptr)) {
    ++thread_state.backward_depth;
  }
  ~Current() {
    --thread_state.backward_depth;
    thread_state.region_sink = sink_;
    thread_state.running = running_;
    thread_state.task = task_;
  }
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;

 private:
  GraphTask* task_;
  const Node* running_;
  RegionSink* sink_;
};

void GraphTask::Buffers::swap(Buffers& other) noexcept {
  nodes.swap(other.nodes);
  stack.swap(other.stack);
  ready.swap(other.ready);
  roots.swap(other.roots);
}

GraphTask::Buffers& GraphTask::spare_buffers() {
  static thread_local Buffers spare;
  return spare;
}

GraphTask::GraphTask(Options options) : options_(options), outer_(thread_state.task) {
  buffers_.swap(spare_buffers());
}

GraphTask::~GraphTask() {
  for (Node* node : buffers_.nodes) {
    if (node->owner_.load(std::memory_order_relaxed) != this) continue;
    node->run_.first.reset();
    node->run_.rest.reset();
    node->run_.regions.reset();
    node->owner_.store(nullptr, std::memory_order_release);
  }
  for (auto* buffer : {&buffers_.nodes, &buffers_.stack, &buffers_.ready}) buffer->clear();
  buffers_.roots.clear();
  buffers_.swap(spare_buffers());
  for (const auto& cleanup : cleanups_) cleanup();
}

void GraphTask::add_root(Edge edge, Tensor gradient) {
  buffers_.roots.push_back({std::move(edge), std::move(gradient)});
}

std::size_t GraphTask::capture(Edge edge) {
  captures_.push_back({std::move(edge), {}});
  return captures_.size() - 1;
}

RunState* GraphTask::find_state(const Node* node) const {
  if (node->owner_.load(std::memory_order_relaxed) == this) [[likely]]
    return const_cast<RunState*>(&node->run_);
  const auto found = side_table_.find(node);
  return found == side_table_.end() ? nullptr : found->second.get();
}

/// First visit: claims the node, or gives it a place in the side table if another run has it.
bool GraphTask::discover(Node* node) {
  GraphTask* owner = node->owner_.load(std::memory_order_relaxed);
  if (owner == this) return false;
  // The run that had it may have ended since: a place in the side table is kept to the end.
  if (!side_table_.empty() && side_table_.count(node)) return false;
  RunState* run = nullptr;
  if (owner == nullptr &&
      node->owner_.compare_exchange_strong(owner, this, std::memory_order_acq_rel)) {
    run = &node->run_;
  } else {
    run = (side_table_[node] = std::make_unique<RunState>()).get();
  }
  run->dependencies = 0;
  run->discovery = static_cast<uint32_t>(buffers_.nodes.size());
  run->needed = !options_.restricted;
  run->captured = false;
  buffers_.nodes.push_back(node);
  buffers_.stack.push_back(node);
  return true;
}

void GraphTask::visit_graph() {
  const bool count = !options_.restricted;
  for (const auto& [edge, gradient] : buffers_.roots) discover(edge.function.get());
  while (!buffers_.stack.empty()) {
    Node* node = buffers_.stack.back();
    buffers_.stack.pop_back();
    for (const Edge& edge : node->next_edges()) {
      if (!edge) continue;
      discover(edge.function.get());
      if (count) ++state(edge.function.get()).dependencies;
    }
  }
}

// A node is needed if one of its edges leads to something wanted; edges lead to smaller
// topological numbers, so one pass in that order settles it.
void GraphTask::mark_needed() {
  for (const Capture& capture : captures_)
    if (RunState* run = find_state(capture.edge.function.get())) run->captured = true;
  for (const Edge& target : targets_)
    if (RunState* run = find_state(target.function.get())) run->needed = true;
  if (!options_.restricted) return;
  std::vector<Node*> ascending = buffers_.nodes;
  std::sort(ascending.begin(), ascending.end(),
            [](const Node* a, const Node* b) { return a->topological_nr() < b->topological_nr(); });
  for (Node* node : ascending) {
    RunState& run = state(node);
    for (const Edge& edge : node->next_edges()) {
      if (run.needed) break;
      if (!edge) continue;
      const RunState& below = state(edge.function.get());
      run.needed = below.needed || below.captured;
    }
  }
}

void GraphTask::count_dependencies() {
  for (Node* node : buffers_.nodes) {
    if (!state(node).needed) continue;
    for (const Edge& edge : node->next_edges())
      if (edge) ++state(edge.function.get()).dependencies;
  }
}

void GraphTask::plan() {
  const Current checking(this);
  visit_graph();
  if (options_.restricted || !captures_.empty()) mark_needed();
  if (options_.restricted) count_dependencies();
  for (Node* node : buffers_.nodes) {
    if (!options_.restricted) {
      node->check_saved(nullptr);
    } else if (state(node).needed) {
      const WantedByRun wanted(*this, *node);
      node->check_saved(&wanted);
    }
  }
}

bool GraphTask::runs_later(const Node* a, const Node* b) const {
  if (a->sequence_nr() != b->sequence_nr()) return a->sequence_nr() < b->sequence_nr();
  return state(a).discovery > state(b).discovery;
}

void GraphTask::make_ready(Node* node) {
  auto& heap = buffers_.ready;
  heap.push_back(node);
  if (heap.size() > 1)
    std::push_heap(heap.begin(), heap.end(), [this](Node* a, Node* b) { return runs_later(a, b); });
}

Node* GraphTask::next_ready() {
  auto& heap = buffers_.ready;
  if (heap.size() > 1)
    std::pop_heap(heap.begin(), heap.end(), [this](Node* a, Node* b) { return runs_later(a, b); });
  Node* node = heap.back();
  heap.pop_back();
  return node;
}

// Note [Deep re-entrant backward]
// A hook or a user's backward may start another run, which may do so again, thousands deep. Every
// kRunsPerStack levels the run goes on upon a stack of its own; the caller waits for it.
void GraphTask::run() {
  constexpr uint32_t kRunsPerStack = 60;
  if (thread_state.backward_depth % kRunsPerStack == kRunsPerStack - 1) [[unlikely]]
    on_fresh_stack([this] { run_here(); });
  else
    run_here();
}

void GraphTask::run_here() {
  const Current current(this);
  const AutoGradMode recording(options_.create_graph);
  auto& roots = buffers_.roots;
  for (auto& [edge, gradient] : roots) {
    Node* node = edge.function.get();
    accumulate_gradient(state(node).gradient(edge.input_nr, node->num_inputs()),
                        std::move(gradient));
  }
  for (std::size_t i = 0; i < roots.size(); ++i) {
    Node* node = roots[i].edge.function.get();
    const bool repeated = std::any_of(roots.begin(), roots.begin() + static_cast<std::ptrdiff_t>(i),
                                      [&](const Root& r) { return r.edge.function.get() == node; });
    const RunState& run = state(node);
    if (!repeated && run.dependencies == 0 && (run.needed || run.captured)) make_ready(node);
  }
  while (!buffers_.ready.empty()) run_node(next_ready());
  for (auto& [leaf, gradient] : staged_) call_node(leaf, &gradient, nullptr);
  for (std::size_t i = 0; i < callbacks_.size(); ++i) std::exchange(callbacks_[i], nullptr)();
}

void GraphTask::run_node(Node* node) {
  RunState& run = state(node);
  if (run.regions) [[unlikely]]
    add_regions(node, run);
  const std::size_t outputs = node->num_inputs();
  TensorArray gradients(outputs);
  for (std::size_t i = 0; i < outputs; ++i)
    if (i == 0 || run.rest) gradients.data()[i] = std::move(run.gradient(i, outputs));
  if (node->hooks() || run.captured) [[unlikely]] {
    if (!run_before_node(node, run, gradients.data())) return;
  }
  if (thread_state.stages_leaf_updates && node->sequence_nr() == UINT64_MAX) [[unlikely]] {
    staged_.emplace_back(node, std::move(gradients.data()[0]));
    return;
  }
  TensorArray results(node->num_edges());
  call_node(node, gradients.data(), results.data());
  pass_on(node, results.data());
}

/// Dense contributions came first; now those of windows, in the order they arrived.
void GraphTask::add_regions(Node* node, RunState& run) {
  const auto pending = std::move(run.regions);
  for (auto& [output, region] : *pending) {
    Tensor& slot = run.gradient(output, node->num_inputs());
    slot = slot.defined()
               ? vector_space->add_window(std::move(slot), region.base, region.view, region.value)
               : vector_space->scatter_window(region.value, region.base, region.view);
    region.value.reset();
  }
}

/// Hooks and captures; false if the node itself does not run.
bool GraphTask::run_before_node(Node* node, RunState& run, Tensor* gradients) {
  if (node->hooks()) run_tensor_hooks(*node, gradients);
  if (run.captured) {
    for (Capture& capture : captures_)
      if (capture.edge.function.get() == node) capture.value = gradients[capture.edge.input_nr];
  }
  if (!run.needed) return false;
  if (node->hooks()) run_pre_hooks(*node, gradients);
  return true;
}

void GraphTask::call_node(Node* node, Tensor* gradients, Tensor* results) {
  bool any = node->accepts_undefined();
  for (std::size_t i = 0; i < node->num_inputs(); ++i) any |= gradients[i].defined();
  Observer* observer = active_observer.load(std::memory_order_relaxed);
  if (observer) [[unlikely]]
    observer->node_begin(*node);
  variable_list before;
  const bool post = node->hooks() && !node->hooks()->post_hooks.empty();
  if (post) [[unlikely]]
    before.assign(gradients, gradients + node->num_inputs());
  thread_state.running = node;
  thread_state.region_sink = node->num_edges() == 1 && !post ? &sink_ : nullptr;
  try {
    if (any) node->apply(gradients, results, WantedByRun(*this, *node));
    if (thread_state.anomaly == Anomaly::TracedAndChecked) [[unlikely]]
      check_for_nan(*node, results);
  } catch (...) {
    sink_ = {};
    if (thread_state.anomaly != Anomaly::Off) say_where_recorded(*node);
    if (observer) observer->node_end(*node);
    throw;
  }
  thread_state.region_sink = nullptr;
  thread_state.running = nullptr;
  // A run that found the node claimed by another reads its saved values under their lock, and the
  // claimant without, so only the latter may give them back.
  if (!options_.keep_graph && node->is_claimed()) node->release_saved();
  if (node->hooks()) [[unlikely]]
    run_post_hooks(*node, results, before);
  if (observer) [[unlikely]]
    observer->node_end(*node);
}

void GraphTask::check_for_nan(const Node& node, const Tensor* results) const {
  const auto check = [&](std::size_t i, const Tensor& result) {
    if (result.defined() && vector_space->has_nan(result))
      throw NonFiniteGradient("Function '{}' returned nan values in its {}th output.", node.name(),
                              i);
  };
  if (sink_.filled) check(0, sink_.region.value);
  for (std::size_t i = 0; i < node.num_edges(); ++i) check(i, results[i]);
}

void GraphTask::pass_on(Node* node, Tensor* results) {
  if (sink_.filled) [[unlikely]]
    pass_region(node->next_edge(0));
  for (std::size_t i = 0; i < node->num_edges(); ++i) {
    const Edge& edge = node->next_edge(i);
    if (!edge) continue;
    Node* next = edge.function.get();
    RunState& run = state(next);
    if (results[i].defined() && (run.needed || run.captured)) {
      const OutputMeta& meta = next->input_metadata(edge.input_nr);
      if (!meta.matches(results[i].impl())) [[unlikely]]
        results[i] = fit_gradient(std::move(results[i]), meta, node->static_name(), i);
      accumulate_gradient(run.gradient(edge.input_nr, next->num_inputs()), std::move(results[i]));
    }
    if (--run.dependencies == 0 && (run.needed || run.captured)) make_ready(next);
  }
}

void GraphTask::pass_region(const Edge& edge) {
  RegionSink sink = std::move(sink_);
  sink_ = {};
  if (!edge) return;
  RunState& run = state(edge.function.get());
  if (!run.needed && !run.captured) return;
  const OutputMeta& meta = edge.function->input_metadata(edge.input_nr);
  Region& region = sink.region;
  if (region.value.dtype() != meta.dtype())
    region.value = vector_space->convert(region.value, meta.dtype(), meta.device());
  if (!run.regions) run.regions = std::make_unique<std::vector<RunState::Pending>>();
  run.regions->push_back({edge.input_nr, std::move(region)});
}

}  // namespace notape
