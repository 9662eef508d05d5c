#include "autograd/engine/graph_task.h"

#include <algorithm>

#include "autograd/engine/engine_controls.h"
#include "autograd/engine/fresh_stack.h"
#include "autograd/engine/guarded_call.h"
#include "autograd/engine/parallel_run.h"
#include "autograd/engine/run_hooks.h"
#include "autograd/engine/tensor_array.h"
#include "autograd/graph/accumulate_grad.h"
#include "autograd/graph/support.h"
#include "autograd/modes/grad_mode.h"
#include "autograd/tensor/core_operators.h"
#include "autograd/tensor/stream.h"

namespace notape {
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
  BackwardRun* task_;
  const Node* running_;
  RegionSink* sink_;
};

std::unique_ptr<GraphTask::Buffers>& GraphTask::spare_buffers() {
  static thread_local std::unique_ptr<Buffers> spare;
  return spare;
}

std::unique_ptr<GraphTask::Buffers> GraphTask::take_buffers() {
  auto spare = std::move(spare_buffers());
  return spare ? std::move(spare) : std::make_unique<Buffers>();
}

GraphTask::GraphTask(const Options& options)
    : BackwardRun(options),
      taken_buffers_(take_buffers()),
      buffers_(*taken_buffers_),
      streams_(thread_state.streams) {}

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
  spare_buffers() = std::move(taken_buffers_);
  if (!extra_) [[likely]]
    return;
  for (const auto& cleanup : extra_->cleanups) cleanup();
}

void GraphTask::add_root(Edge edge, Tensor gradient) {
  buffers_.roots.push_back({std::move(edge), std::move(gradient)});
}

std::size_t GraphTask::capture(Edge edge) {
  want(edge);
  captures_.push_back({std::move(edge), {}});
  return captures_.size() - 1;
}

RunState* GraphTask::find_in_side_table(const Node* node) const {
  const auto found = extra_->side_table.find(node);
  return found == extra_->side_table.end() ? nullptr : found->second.get();
}

/// First visit: claims the node, or gives it a place in the side table if another run has it.
bool GraphTask::discover(Node* node) {
  BackwardRun* owner = node->owner_.load(std::memory_order_relaxed);
  if (owner == this) return false;
  // The run that had it may have ended since: a place in the side table is kept to the end.
  if (extra_ && extra_->side_table.count(node)) return false;
  RunState* run = nullptr;
  if (owner == nullptr &&
      node->owner_.compare_exchange_strong(owner, this, std::memory_order_acq_rel)) {
    run = &node->run_;
  } else {
    run = (make_extra().side_table[node] = std::make_unique<RunState>()).get();
  }
  run->dependencies = 0;
  run->discovery = static_cast<uint32_t>(buffers_.nodes.size());
  run->needed = !options_.restricted;
  run->captured = false;
  buffers_.nodes.push_back(node);
  if (node->topological_nr() > least_wanted_) {
    buffers_.stack.push_back(node);
    crosses_streams_ |= node->streams() != streams_;
  }
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
  if (!captures_.empty()) last_capture_.assign(buffers_.nodes.size(), kNoCapture);
  for (std::size_t i = 0; i < captures_.size(); ++i)
    if (RunState* run = find_state(captures_[i].edge.function.get())) {
      run->captured = true;
      captures_[i].before = std::exchange(last_capture_[run->discovery], i);
    }
  for (const Edge& target : targets_)
    if (RunState* run = find_state(target.function.get())) run->needed = true;
  if (!options_.restricted) return;
  std::vector<Node*> ascending = buffers_.nodes;
  std::sort(ascending.begin(), ascending.end(),
            [](const Node* a, const Node* b) { return a->topological_nr() < b->topological_nr(); });
  for (Node* node : ascending) {
    if (node->topological_nr() <= least_wanted_) continue;
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
  if (thread_state.backward_depth >= Engine::kMostNestedRuns) [[unlikely]]
    throw_too_deep();
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
  if (heap.size() > 1) put_in_order();
}

Node* GraphTask::next_ready() {
  auto& heap = buffers_.ready;
  if (heap.size() > 1) bring_next_to_end();
  Node* node = heap.back();
  heap.pop_back();
  return node;
}

void GraphTask::put_in_order() {
  auto& heap = buffers_.ready;
  std::push_heap(heap.begin(), heap.end(), [this](Node* a, Node* b) { return runs_later(a, b); });
}

void GraphTask::bring_next_to_end() {
  auto& heap = buffers_.ready;
  std::pop_heap(heap.begin(), heap.end(), [this](Node* a, Node* b) { return runs_later(a, b); });
}

inline void GraphTask::pass_to(Node* next, RunState& run, std::size_t output, Tensor&& value) {
  Tensor& slot = run.gradient(output, next->num_inputs());
  if (!crosses_streams_) [[likely]]
    return accumulate_gradient(slot, std::move(value));
  const StreamSet* const streams = streams_of(*next);
  hand_over(value, streams);
  const StreamSetGuard of_next(streams);
  accumulate_gradient(slot, std::move(value));
}

// Note [Deep re-entrant backward]
// A hook or a user's backward may start another run, which may do so again, thousands deep. Every
// kRunsPerStack levels the run goes on upon a stack of its own; the caller waits for it. What would
// never end, such as a hook that calls backward on its own graph, ends at kMostNestedRuns.
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
  for (auto& [edge, gradient] : roots)
    pass_to(edge.function.get(), state(edge.function.get()), edge.input_nr, std::move(gradient));
  uint32_t distinct = 0;  // they were discovered first, in this order
  for (const Root& root : roots) {
    const RunState& run = state(root.edge.function.get());
    if (run.discovery != distinct) continue;  // one of before
    if (run.dependencies == 0 && (run.needed || run.captured)) make_ready(root.edge.function.get());
    ++distinct;
  }
  if (crosses_streams_) [[unlikely]] {
    while (!buffers_.ready.empty()) {
      Node* node = next_ready();
      const StreamSetGuard of_node(streams_of(*node));
      run_node(node);
    }
    join_streams();
  } else if (ParallelRun::is_wanted()) [[unlikely]] {
    ParallelRun(*this).run();
  }
  while (!buffers_.ready.empty()) run_node(next_ready());
  for (Capture& capture : captures_) drop_support(capture.value);
  if (!extra_) [[likely]]
    return;
  for (const auto& [leaf, gradient] : extra_->staged) check_accumulation(*leaf, gradient);
  for (auto& [leaf, gradient] : extra_->staged) call_node(leaf, &gradient, nullptr, sink_);
  auto& callbacks = extra_->callbacks;
  for (std::size_t i = 0; i < callbacks.size(); ++i) std::exchange(callbacks[i], nullptr)();
}

void GraphTask::run_node(Node* node) {
  TensorArray gradients(node->num_inputs());
  if (!take_gradients(node, gradients.data())) return;
  TensorArray results(node->num_edges());
  call_node(node, gradients.data(), results.data(), sink_);
  pass_on(node, results.data());
}

bool GraphTask::compute(Node* node, Tensor* results, RegionSink& sink) {
  TensorArray gradients(node->num_inputs());
  if (!take_gradients(node, gradients.data())) return false;
  call_node(node, gradients.data(), results, sink);
  return true;
}

inline bool GraphTask::take_gradients(Node* node, Tensor* gradients) {
  RunState& run = state(node);
  if (run.regions) [[unlikely]]
    add_regions(node, run);
  const std::size_t outputs = node->num_inputs();
  gradients[0] = std::move(run.first);
  if (run.rest) [[unlikely]]
    std::move(run.rest.get(), run.rest.get() + outputs - 1, gradients + 1);
  if (node->hooks() || run.captured) [[unlikely]] {
    if (!run_before_node(node, run, gradients)) return false;
  }
  if (thread_state.stages_leaf_updates && node->sequence_nr() == UINT64_MAX) [[unlikely]] {
    make_extra().staged.emplace_back(node, std::move(gradients[0]));
    return false;
  }
  return true;
}

/// Dense contributions came first; now those of windows, in the order they arrived.
void GraphTask::add_regions(Node* node, RunState& run) {
  const auto pending = std::move(run.regions);
  for (auto& [output, region] : *pending) {
    Tensor& slot = run.gradient(output, node->num_inputs());
    Ref<Support> support = support_with(slot, region);
    slot = slot.defined()
               ? core_operators->add_window(std::move(slot), region.base, region.view, region.value)
               : core_operators->scatter_window(region.value, region.base, region.view);
    set_support(slot, std::move(support));
    region.value.reset();
  }
}

/// Hooks and captures; false if the node itself does not run.
bool GraphTask::run_before_node(Node* node, RunState& run, Tensor* gradients) {
  settle_zeros(gradients, node->num_inputs());
  if (crosses_streams_) [[unlikely]] {  // whoever keeps one uses it on the caller's streams
    for (std::size_t i = 0; i < node->num_inputs(); ++i) record_streams(gradients[i], streams_);
  }
  if (node->hooks()) run_tensor_hooks(*node, gradients);
  if (run.captured) {
    for (std::size_t i = last_capture_[run.discovery]; i != kNoCapture; i = captures_[i].before)
      captures_[i].value = gradients[captures_[i].edge.input_nr];
  }
  if (!run.needed) return false;
  if (node->hooks()) run_pre_hooks(*node, gradients);
  return true;
}

/// The step of the papers: what has arrived at a function becomes gradients of its arguments, and
/// what it saved for that is given back.
void GraphTask::call_node(Node* node, Tensor* gradients, Tensor* results, RegionSink& sink) {
  GuardedCall guarded(*node, gradients, results, sink);
  guarded.run([&] {
    if (guarded.any_gradient() || node->accepts_undefined())
      node->apply(gradients, results, WantedByRun(*this, *node));
  });
  // A run that found the node claimed by another reads its saved values under their lock, and the
  // claimant without, so only the latter may give them back.
  if (!options_.keep_graph && node->is_claimed()) node->release_saved();
  guarded.finish();
}

void GraphTask::pass_on(Node* node, Tensor* results) {
  if (!sink_.regions.empty()) [[unlikely]]
    pass_regions(node->next_edge(0));
  for (std::size_t i = 0; i < node->num_edges(); ++i) {
    const Edge& edge = node->next_edge(i);
    if (!edge) continue;
    Node* next = edge.function.get();
    RunState& run = state(next);
    if (results[i].defined() && (run.needed || run.captured)) {
      const OutputMeta& meta = next->input_metadata(edge.input_nr);
      if (!meta.matches(results[i].impl())) [[unlikely]]
        results[i] = fit_gradient(std::move(results[i]), meta, node->static_name(), i);
      pass_to(next, run, edge.input_nr, std::move(results[i]));
    }
    if (--run.dependencies == 0 && (run.needed || run.captured)) make_ready(next);
  }
}

void GraphTask::pass_regions(const Edge& edge) {
  if (!edge) return sink_.regions.clear();
  RunState& run = state(edge.function.get());
  std::vector<Region> regions = take_regions(sink_, edge.function->input_metadata(edge.input_nr));
  if (!run.needed && !run.captured) return;
  if (crosses_streams_) [[unlikely]] {
    for (const Region& region : regions) hand_over(region.value, streams_of(*edge.function));
  }
  add_pending(run, edge.input_nr, std::move(regions));
}

/// Empties the sink; the values are as their receiver wants them.
std::vector<Region> GraphTask::take_regions(RegionSink& sink, const OutputMeta& meta) {
  std::vector<Region> regions = std::exchange(sink.regions, {});
  for (Region& region : regions)
    if (region.value.dtype() != meta.dtype())
      region.value = core_operators->convert(region.value, meta.dtype(), meta.device());
  return regions;
}

void GraphTask::add_pending(RunState& run, std::size_t output, std::vector<Region> regions) {
  if (!run.regions) run.regions = std::make_unique<std::vector<RunState::Pending>>();
  for (Region& region : regions) run.regions->push_back({output, std::move(region)});
}

}  // namespace notape
