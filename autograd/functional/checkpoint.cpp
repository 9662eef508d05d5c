#include "autograd/functional/checkpoint.h"

#include <algorithm>

#include "autograd/engine/graph_task.h"
#include "autograd/forward/tangent.h"
#include "autograd/graph/checksum.h"
#include "autograd/graph/first_writes.h"
#include "autograd/graph/history.h"
#include "autograd/graph/saved_tensor_hooks.h"
#include "autograd/modes/grad_mode.h"
#include "autograd/tensor/autocast_mode.h"
#include "autograd/tensor/core_operators.h"
#include "autograd/tensor/draw_watch.h"

namespace notape::autograd {
namespace {

/// A value that must not be written before it is used again. Counts as a reader of its storage.
class Watched {
 public:
  explicit Watched(const Tensor& value)
      : storage_(value.impl().storage()),
        geometry_(value.impl().geometry()),
        item_size_(static_cast<int64_t>(value.element_size())),
        version_(storage_.get()->version()) {}

  /// Nobody else has the value any more, so nobody can write it.
  void forget_if_alone() {
    if (storage() && storage()->tensors() == 0) storage_.reset();
  }
  const Storage* storage() const { return storage_.get().get(); }
  /// Throws CheckpointMismatch. `what` was written?
  void check(const char* what = "a tensor that a checkpointed function reads") const {
    const WriteLog* log = storage() ? storage()->write_log() : nullptr;
    if (!log) return;
    if (const auto write = log->overwritten_since(version_, geometry_, item_size_))
      throw CheckpointMismatch(
          "{} has been modified by an inplace operation since: {}{}. Write to a clone() instead",
          what, write->operator_name, at_place(write->at));
  }

 private:
  StorageReader storage_;
  Geometry geometry_;
  int64_t item_size_;
  uint64_t version_;
};

/// What was saved, as far as a second run can be compared.
struct Description {
  std::vector<int64_t> sizes;
  ScalarType dtype;
  Device device;
  uint64_t checksum;

  Description(const Tensor& value, bool with_values)
      : sizes(value.sizes().begin(), value.sizes().end()),
        dtype(value.dtype()),
        device(value.device()),
        checksum(with_values ? checksum_of(value) : 0) {}
  bool has_metadata_of(const Description& other) const {
    return sizes == other.sizes && dtype == other.dtype && device == other.device;
  }
  std::string text() const {
    return format_message("{} {} on {}",
                          {name_of(dtype), to_string(IntArrayRef(sizes)), to_string(device)});
  }
};

/// Stops the second run; not an error, and not to be caught by the function.
struct EnoughRecomputed {};

/// A value that the second run has saved, as long as nothing has overwritten it.
class Kept {
 public:
  explicit Kept(const Tensor& value) : value_(value), watched_(value) {}
  /// Throws CheckpointMismatch.
  const Tensor& get() const {
    watched_.check("a value that a checkpointed function saved for backward");
    return value_;
  }

 private:
  Tensor value_;
  Watched watched_;
};

/// One call of checkpoint(): owned by the saved values of its graph.
struct Frame {
  std::function<variable_list(const variable_list&)> f;
  variable_list inputs;
  std::vector<Watched> watched_inputs;
  CheckpointOptions options;
  AliasPolicy policy;
  AutocastState autocast;
  Generator random;
  std::vector<uint64_t> levels;       // of forward mode, open in the first run, innermost last
  uint64_t level_limit, level_floor;  // and between which of them it ran
  bool in_first_run = true;
  DrawWatch::Others generators;    // that it has drawn from besides
  bool was_disturbed = false;      // another thread took random numbers from between its own
  std::vector<Description> saved;  // in the first run, in order
  std::vector<Watched> watched;    // the values of `saved`
  FirstWrites state;  // what the first run has written: the second begins with what was there
  /// What the second run has saved, for the backward run `recomputed_for`; each is handed out once.
  std::vector<Kept> values;
  const GraphTask* recomputed_for = nullptr;
};

/// Place of a saved value in its frame.
struct SavedPlace {
  std::shared_ptr<Frame> frame;
  std::size_t place;
};

std::string list_of(const std::vector<Description>& all) {
  std::string text;
  for (const Description& one : all) text += "\n    " + one.text();
  return text;
}

/// A rule's tangents are operations too, which save values, and only while their level is open.
void check_levels(const Frame& frame) {
  for (const uint64_t level : frame.levels)
    if (std::none_of(open_levels().begin(), open_levels().end(),
                     [&](const OpenLevel& open) { return open.id == level; }))
      throw CheckpointMismatch(
          "A different number of tensors was saved during the original forward and recomputation: "
          "the first run computed tangents at forward-mode level {}, which has ended since. Run "
          "backward while the level is open, or checkpoint outside it.",
          level);
}

void check_same(const Frame& frame, const std::vector<Description>& again) {
  if (again.size() != frame.saved.size()) check_levels(frame);
  if (again.size() < frame.saved.size())
    throw CheckpointMismatch(
        "A different number of tensors was saved during the original forward and recomputation.\n"
        "  Number of tensors saved during forward: {}{}\n"
        "  Number of tensors saved during recomputation: {}{}",
        frame.saved.size(), list_of(frame.saved), again.size(), list_of(again));
  for (std::size_t i = 0; i < again.size(); ++i) {
    if (frame.options.determinism_check && !again[i].has_metadata_of(frame.saved[i]))
      throw CheckpointMismatch(
          "Recomputed values for the following tensors have different metadata than during the "
          "forward pass: tensor at position {}: saved {}, recomputed {}",
          i, frame.saved[i].text(), again[i].text());
    if (again[i].checksum != frame.saved[i].checksum)
      throw CheckpointMismatch(
          "Recomputed values for the following tensors have different values than during the "
          "forward pass: tensor at position {}: {}",
          i, again[i].text());
  }
}

/// The second run sees the tangents that the first has seen, whoever asks for it: a rule's tangents
/// are operations too, which save values.
class LevelsOfFirstRun {
 public:
  explicit LevelsOfFirstRun(const Frame& frame)
      : limit_(frame.level_limit),
        floor_(std::exchange(thread_state.forward_level_floor, frame.level_floor)),
        reads_(std::exchange(thread_state.unrecorded_reads, nullptr)) {}
  ~LevelsOfFirstRun() {
    thread_state.forward_level_floor = floor_;
    thread_state.unrecorded_reads = reads_;
  }
  LevelsOfFirstRun(const LevelsOfFirstRun&) = delete;
  LevelsOfFirstRun& operator=(const LevelsOfFirstRun&) = delete;

 private:
  ForwardLevelLimit limit_;
  uint64_t floor_;
  const UnrecordedReads* reads_;
};

/// In its scope generators that the first run was given are where they were for it.
class GeneratorsOfFirstRun {
 public:
  explicit GeneratorsOfFirstRun(const Frame& frame) {
    if (!frame.options.preserve_rng_state) return;
    for (const auto& [generator, before] : frame.generators) {
      now_.emplace_back(generator, generator.clone());
      now_.back().first.copy_state(before);
    }
  }
  ~GeneratorsOfFirstRun() {
    for (auto& [generator, place] : now_) generator.copy_state(place);
  }
  GeneratorsOfFirstRun(const GeneratorsOfFirstRun&) = delete;
  GeneratorsOfFirstRun& operator=(const GeneratorsOfFirstRun&) = delete;

 private:
  DrawWatch::Others now_;
};

/// Runs the function again up to the last value that the first run has saved so far.
void recompute(Frame& frame) {
  for (const Watched& input : frame.watched_inputs)
    if (!frame.state.contains(input.storage())) input.check();
  if (frame.was_disturbed && frame.options.preserve_rng_state)
    throw CheckpointMismatch(
        "another thread drew random numbers from the same generator while the checkpointed "
        "function did: a second run cannot draw the same ones. Give each thread a generator of its "
        "own (GeneratorScope).");
  std::vector<Description> again;
  std::size_t recorded_writes = 0;
  frame.values.clear();
  // Not before its last recorded write, which is refused if the first run has changed by it what
  // this one reads.
  const auto stop_if_enough = [&] {
    if ((frame.options.early_stop || frame.in_first_run) && again.size() == frame.saved.size() &&
        recorded_writes == frame.state.recorded())
      throw EnoughRecomputed();
  };
  const std::function<void()> before_recorded = [&] {
    ++recorded_writes;
    stop_if_enough();
  };
  // What the function itself unpacks while it runs: in a jvp or a backward of its own.
  const auto is_running = std::make_shared<bool>(true);
  const auto keep = [&](const Tensor& value) {
    if (again.size() == frame.saved.size())
      throw CheckpointMismatch(
          "trying to save more tensors during recomputation than during the original forward "
          "pass: {}{}",
          frame.saved.size(), list_of(frame.saved));
    const Watched& first = frame.watched[again.size()];
    const Storage* storage = value.impl().storage().get();
    const bool is_state = frame.state.contains(storage);
    if (first.storage() == storage && !is_state) first.check();
    // A policy that lets saved values be overwritten has copies of them.
    frame.values.emplace_back(is_state || frame.policy == AliasPolicy::CowSave
                                  ? core_operators->clone(value, contiguous_strides(value.sizes()))
                                  : value);
    again.emplace_back(value, frame.options.compare_values);
    stop_if_enough();
    return std::any(again.size() - 1);
  };
  const auto get = [&frame, is_running](const std::any& packed) -> Tensor {
    if (!*is_running)
      throw CheckpointMismatch("backward through the second run of a checkpointed function");
    return frame.values[std::any_cast<std::size_t>(packed)].get();
  };
  const GeneratorsOfFirstRun generators(frame);
  const GeneratorScope random(frame.options.preserve_rng_state ? frame.random.clone()
                                                               : Generator());
  try {
    const EnableGradGuard recording;
    const AliasPolicyGuard policy(frame.policy);
    const AutocastMode autocast(frame.autocast);
    const LevelsOfFirstRun levels(frame);
    const FirstWrites::Undone beginning(frame.state, before_recorded);
    const SavedTensorHooksGuard hooks(keep, get);
    frame.f(frame.inputs);
  } catch (const EnoughRecomputed&) {
  } catch (...) {
    *is_running = false;
    frame.values.clear();
    throw;
  }
  *is_running = false;
  check_same(frame, again);
}

/// The value, from the second run that was made for the current backward run.
Tensor unpack(const SavedPlace& saved) {
  Frame& frame = *saved.frame;
  GraphTask* task = GraphTask::current();
  if (frame.values.size() <= saved.place || frame.recomputed_for != task) {
    recompute(frame);
    frame.recomputed_for = task;
    if (task)
      task->queue_cleanup([frame = saved.frame, task] {
        if (frame->recomputed_for == task) frame->values.clear();
      });
  }
  Tensor value = frame.values[saved.place].get();
  if (!task) frame.values.clear();
  return value;
}

}  // namespace

variable_list checkpoint(const std::function<variable_list(const variable_list&)>& f,
                         const variable_list& inputs, const CheckpointOptions& options) {
  if (!thread_state.grad_mode) return f(inputs);
  const DrawWatch watch;
  const auto frame = std::make_shared<Frame>(Frame{.f = f,
                                                   .inputs = {},
                                                   .watched_inputs = {},
                                                   .options = options,
                                                   .policy = thread_state.alias_policy,
                                                   .autocast = autocast_state,
                                                   .random = watch.at_start(),
                                                   .levels = {},
                                                   .level_limit = thread_state.forward_level_limit,
                                                   .level_floor = thread_state.forward_level_floor,
                                                   .generators = {},
                                                   .saved = {},
                                                   .watched = {},
                                                   .state = {},
                                                   .values = {},
                                                   .recomputed_for = nullptr});
  for (const OpenLevel& level : open_levels()) frame->levels.push_back(level.id);
  // Values, not histories: the second run's graph leads nowhere.
  for (const Tensor& input : inputs) {
    if (!input.defined()) {
      frame->inputs.emplace_back();
      continue;
    }
    Tensor value = detach_keeping_tangents(input);
    if (needs_gradient(input)) value.requires_grad_();
    frame->watched_inputs.emplace_back(value);
    frame->inputs.push_back(std::move(value));
  }
  const SavedTensorHooksGuard hooks(
      [frame](const Tensor& value) {
        frame->saved.emplace_back(value, frame->options.compare_values);
        frame->watched.emplace_back(value);
        return std::any(SavedPlace{frame, frame->saved.size() - 1});
      },
      [](const std::any& packed) { return unpack(std::any_cast<const SavedPlace&>(packed)); });
  const FirstWrites::Scope writes(frame->state);
  variable_list outputs = f(inputs);
  frame->in_first_run = false;
  frame->was_disturbed = watch.was_disturbed();
  frame->generators = watch.others();
  for (Watched& value : frame->watched) value.forget_if_alone();
  frame->state.forget_dead();
  return outputs;
}

Tensor checkpoint(const std::function<Tensor(const Tensor&)>& f, const Tensor& input,
                  const CheckpointOptions& options) {
  return checkpoint([f](const variable_list& list) { return variable_list{f(list[0])}; },
                    variable_list{input}, options)[0];
}

}  // namespace notape::autograd
