#include "autograd/engine/engine_controls.h"

#include "autograd/engine/graph_task.h"
#include "autograd/engine/worker_pool.h"

namespace notape {

void Engine::queue_callback(std::function<void()> callback) {
  GraphTask* task = GraphTask::current();
  if (!task)
    throw CallbackOutsideBackward("Final callbacks can only be installed during backward pass.");
  task->queue_callback(std::move(callback));
}

void Engine::set_num_threads(int count) {
  if (count <= 0)
    throw ValueError("Engine::set_num_threads: expected a positive number, got {}", count);
  if (count == get_num_threads()) return;
  WorkerPool::instance().stop();
  engine_threads.store(count, std::memory_order_relaxed);
}

int Engine::get_num_threads() { return engine_threads.load(std::memory_order_relaxed); }

}  // namespace notape
