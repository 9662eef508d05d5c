#include "autograd/engine/engine.h"

#include "autograd/engine/graph_task.h"

namespace notape {

void Engine::queue_callback(std::function<void()> callback) {
  if (!thread_state.task)
    throw CallbackOutsideBackward("Final callbacks can only be installed during backward pass.");
  thread_state.task->queue_callback(std::move(callback));
}

}  // namespace notape
