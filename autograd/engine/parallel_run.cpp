#include "autograd/engine/parallel_run.h"

#include <algorithm>

#include "autograd/engine/carried_state.h"
#include "autograd/graph/accumulate_grad.h"
#include "autograd/graph/saved_variable.h"

namespace notape {
namespace {

// More nodes than a built-in derivative records, altogether and for each edge, and more than it
// takes to fit and add what comes along an edge.
constexpr uint64_t kNumbersOfNode = 4096, kNumbersOfEdge = 64, kNumbersOfSum = 16;

bool is_on_cpu(const Node& node) {
  for (std::size_t i = 0; i < node.num_inputs(); ++i)
    if (!node.input_metadata(i).device().is_cpu()) return false;
  for (const Edge& edge : node.next_edges())
    if (edge && !edge.function->input_metadata(edge.input_nr).device().is_cpu()) return false;
  return true;
}

bool has_packed_values(Node& node) {
  bool packed = false;
  node.visit_saved([&](SavedVariable& value, const Edge*) { packed |= value.is_packed(); });
  return packed;
}

}  // namespace

/// Forward mode and anomaly mode watch nodes one by one, and what is recorded may have to be saved
/// by hooks of users or be watched for writes.
bool ParallelRun::is_possible() {
  return thread_state.forward_levels == 0 && thread_state.anomaly == Anomaly::Off &&
         (!thread_state.grad_mode || thread_state.saves_plainly());
}

/// Runs the engine on paper.
ParallelRun::ParallelRun(GraphTask& task)
    : task_(task),
      pool_(WorkerPool::instance()),
      state_(thread_state),
      caller_(std::this_thread::get_id()),
      position_(task.buffers_.nodes.size(), kNever) {
  std::vector<uint32_t> arrivals(position_.size(), 0);
  while (!task.buffers_.ready.empty()) {
    Node* node = task.next_ready();
    RunState& state = task.state(node);
    position_[state.discovery] = static_cast<Position>(steps_.size());
    steps_.push_back({.node = node,
                      .state = &state,
                      .first_edge = places_.size(),
                      .inbox = std::vector<Contribution>(arrivals[state.discovery])});
    if (!state.needed) continue;
    for (const Edge& edge : node->next_edges()) {
      places_.push_back(0);
      if (!edge) continue;
      Node* next = edge.function.get();
      RunState& below = task.state(next);
      places_.back() = arrivals[below.discovery]++;
      if (--below.dependencies == 0 && (below.needed || below.captured)) task.make_ready(next);
    }
  }
  end_ = static_cast<Position>(steps_.size());
}

void ParallelRun::run() {
  numbers_begin_ = thread_state.next_sequence_nr;
  barrier_ = next_barrier(0);
  WorkerPool::Guard guard = pool_.lock();
  for (Position i = 0; i < end_; ++i)
    if (steps_[i].inbox.empty()) ready_.push(i);
  pool_.enlist(*this);
  while (!is_finished()) {
    if (has_node_for_worker() || is_barrier_due()) {
      run_next(guard, task_.sink_);
    } else {
      caller_waits_ = true;
      progress_.wait(guard);
      caller_waits_ = false;
    }
  }
  pool_.dismiss(*this);
  guard.unlock();
  if (records()) thread_state.next_sequence_nr = first_number(static_cast<Position>(steps_.size()));
  if (error_) std::rethrow_exception(error_);
}

bool ParallelRun::has_node_for_worker() const {
  return !ready_.empty() && ready_.top() < std::min(barrier_, end_);
}

bool ParallelRun::is_barrier_due() const {
  return barrier_ == first_undone_ && barrier_ < end_ && running_ == 0;
}

void ParallelRun::help(WorkerPool::Guard& guard) {
  const CarriedState carried(state_);
  RegionSink sink;
  while (has_node_for_worker() && !pool_.is_stopping()) run_next(guard, sink);
}

bool ParallelRun::may_run_beside_others(const Step& step) const {
  Node& node = *step.node;
  if (node.hooks()) return false;
  if (!step.state->needed) return true;  // its gradient is captured, no more
  const bool is_leaf = node.sequence_nr() == UINT64_MAX;
  return node.runs_beside_others() && is_on_cpu(node) && !has_packed_values(node) &&
         !(is_leaf && state_.stages_leaf_updates);
}

/// The first step from here on that runs alone. Asked when nothing is running, so hooks that a user
/// has just added are seen.
ParallelRun::Position ParallelRun::next_barrier(Position from) const {
  while (from < steps_.size() && may_run_beside_others(steps_[from])) ++from;
  return from;
}

uint64_t ParallelRun::first_number(Position position) const {
  const auto edges_before = [this](Position p) {
    return p < steps_.size() ? steps_[p].first_edge : places_.size();
  };
  return numbers_begin_ + (position - numbered_from_) * kNumbersOfNode +
         (edges_before(position) - edges_before(numbered_from_)) * kNumbersOfEdge;
}

void ParallelRun::run_next(WorkerPool::Guard& guard, RegionSink& sink) {
  const Position position = ready_.top();
  ready_.pop();
  ++running_;
  if (has_node_for_worker()) {
    if (caller_waits_)
      progress_.notify_one();
    else
      pool_.call();
  }
  if (records()) thread_state.next_sequence_nr = first_number(position);
  const bool is_alone = position == barrier_;
  guard.unlock();
  std::exception_ptr error;
  try {
    run_step(position, sink);
  } catch (...) {
    error = std::current_exception();
  }
  const Position barrier = is_alone ? next_barrier(position + 1) : 0;
  guard.lock();
  if (is_alone) {
    numbered_from_ = position + 1;
    numbers_begin_ = thread_state.next_sequence_nr;
    barrier_ = barrier;
  }
  finish_step(position, std::move(error));
}

void ParallelRun::finish_step(Position position, std::exception_ptr error) {
  --running_;
  if (!error) {
    steps_[position].done = true;
    while (first_undone_ < steps_.size() && steps_[first_undone_].done) ++first_undone_;
  } else if (position < end_) {
    end_ = position;
    error_ = std::move(error);
  }
  // A worker that comes from here looks for the next node itself.
  if (is_barrier_due() || is_finished() || pool_.is_stopping()) progress_.notify_one();
}

void ParallelRun::run_step(Position position, RegionSink& sink) {
  Step& step = steps_[position];
  std::vector<Tensor> results(step.node->num_edges());
  if (task_.compute(step.node, results.data(), sink)) deliver(step, results.data(), sink);
}

void ParallelRun::deliver(Step& from, Tensor* results, RegionSink& sink) {
  for (std::size_t i = 0; i < from.node->num_edges(); ++i) {
    const Edge& edge = from.node->next_edge(i);
    std::vector<Region> regions;
    if (i == 0 && !sink.regions.empty()) {
      if (edge)
        regions = GraphTask::take_regions(sink, edge.function->input_metadata(edge.input_nr));
      else
        sink.regions.clear();
    }
    if (!edge) continue;
    const RunState& below = task_.state(edge.function.get());
    if (position_[below.discovery] == kNever) continue;
    const OutputMeta& meta = edge.function->input_metadata(edge.input_nr);
    if (results[i].defined() && !meta.matches(results[i].impl()))
      results[i] = fit_gradient(std::move(results[i]), meta, from.node->static_name(), i);
    put(position_[below.discovery], places_[from.first_edge + i],
        {.arrived = true,
         .output = edge.input_nr,
         .first_number = thread_state.next_sequence_nr,
         .value = std::move(results[i]),
         .regions = std::move(regions)});
    if (records()) thread_state.next_sequence_nr += kNumbersOfSum;
  }
}

void ParallelRun::put(Position to, std::size_t place, Contribution contribution) {
  Step& step = steps_[to];
  WorkerPool::Guard guard = pool_.lock();
  step.inbox[place] = std::move(contribution);
  if (step.adding) return;  // that thread adds this, too
  step.adding = true;
  while (step.added < step.inbox.size() && step.inbox[step.added].arrived) {
    Contribution next = std::move(step.inbox[step.added]);
    guard.unlock();
    add(step, std::move(next));
    guard.lock();
    ++step.added;
  }
  step.adding = false;
  if (step.added == step.inbox.size()) ready_.push(to);
}

void ParallelRun::add(Step& step, Contribution contribution) {
  const uint64_t next_number =
      std::exchange(thread_state.next_sequence_nr, contribution.first_number);
  if (!contribution.regions.empty())
    GraphTask::add_pending(*step.state, contribution.output, std::move(contribution.regions));
  if (contribution.value.defined())
    accumulate_gradient(step.state->gradient(contribution.output, step.node->num_inputs()),
                        std::move(contribution.value));
  thread_state.next_sequence_nr = next_number;
}

}  // namespace notape
