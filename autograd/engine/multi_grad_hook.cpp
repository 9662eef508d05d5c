#include "autograd/engine/multi_grad_hook.h"

#include <map>
#include <mutex>

#include "autograd/engine/graph_task.h"
#include "autograd/graph/history.h"
#include "autograd/graph/hooks.h"
#include "autograd/shared_hook.h"

namespace notape::autograd {

struct MultiGradHookHandle::State : std::enable_shared_from_this<State> {
  struct Run {
    std::size_t left;
    variable_list gradients;
  };
  std::mutex mutex;
  std::vector<const Node*> nodes;  // where the tensors' gradients arrive; null once the node died
  std::map<const GraphTask*, Run> runs;
  SharedHook<void(const variable_list&)> on_all;
  SharedHook<void(const Tensor&)> on_any;
  // What it has at the nodes is taken out when they next get a hook.
  const std::shared_ptr<std::atomic<bool>> removed = std::make_shared<std::atomic<bool>>(false);

  void arrived(std::size_t i, const Tensor& gradient);
};

namespace {

using State = MultiGradHookHandle::State;

/// Part of the tensor hook that waits at a node: when the node goes, so does this.
struct Place {
  std::shared_ptr<State> state;
  std::size_t i;
  ~Place() {
    const std::lock_guard lock(state->mutex);
    state->nodes[i] = nullptr;
  }
};

MultiGradHookHandle register_state(const variable_list& tensors, std::shared_ptr<State> state) {
  for (const Tensor& tensor : tensors)
    if (!needs_gradient(tensor))
      throw HookError("cannot register a hook on a variable that doesn't require gradient");
  state->nodes.resize(tensors.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    state->nodes[i] = gradient_edge(tensors[i]).function.get();
    auto place = std::make_shared<Place>(state, i);
    add_tensor_hook(
        tensors[i],
        [place](const Tensor& gradient) {
          place->state->arrived(place->i, gradient);
          return Tensor();
        },
        state->removed);
  }
  return MultiGradHookHandle(std::move(state));
}

}  // namespace

void MultiGradHookHandle::State::arrived(std::size_t i, const Tensor& gradient) {
  GraphTask* task = GraphTask::current();
  variable_list all;
  SharedHook<void(const variable_list&)> call_all;
  SharedHook<void(const Tensor&)> call_any;
  {
    const std::lock_guard lock(mutex);
    if (!on_all && !on_any) return;  // removed
    auto [run, first] = runs.try_emplace(task);
    if (first) {
      run->second.left = 0;
      for (const Node* node : nodes) run->second.left += node && task->serves(node);
      run->second.gradients.resize(nodes.size());
      // However the run ends, it is forgotten.
      task->queue_cleanup([self = shared_from_this(), task] {
        const std::lock_guard relock(self->mutex);
        self->runs.erase(task);
      });
    }
    run->second.gradients[i] = gradient;
    --run->second.left;
    if (on_any ? !first : run->second.left != 0) return;
    all = run->second.gradients;
    call_all = on_all;
    call_any = on_any;
  }
  if (call_any)
    call_any(gradient);
  else
    call_all(all);
}

void MultiGradHookHandle::remove() {
  SharedHook<void(const variable_list&)> all;  // may be the last: destroyed without the lock
  SharedHook<void(const Tensor&)> any;
  const std::lock_guard lock(state_->mutex);
  std::swap(all, state_->on_all);
  std::swap(any, state_->on_any);
  *state_->removed = true;
}

MultiGradHookHandle register_multi_grad_hook(const variable_list& tensors,
                                             std::function<void(const variable_list&)> hook) {
  auto state = std::make_shared<State>();
  state->on_all = std::move(hook);
  return register_state(tensors, std::move(state));
}

MultiGradHookHandle register_any_grad_hook(const variable_list& tensors,
                                           std::function<void(const Tensor&)> hook) {
  auto state = std::make_shared<State>();
  state->on_any = std::move(hook);
  return register_state(tensors, std::move(state));
}

}  // namespace notape::autograd
