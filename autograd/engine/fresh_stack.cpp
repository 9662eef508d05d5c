#include "autograd/engine/fresh_stack.h"

#include <pthread.h>

#include <cstring>
#include <exception>

#include "autograd/engine/carried_state.h"
#include "autograd/error.h"

namespace notape {
namespace {

constexpr std::size_t kStackBytes = 8 << 20;

struct Job {
  const std::function<void()>& work;
  ThreadState state;
  std::exception_ptr error;
};

void* run_job(void* argument) {
  Job& job = *static_cast<Job*>(argument);
  const CarriedState carried(job.state);
  try {
    job.work();
  } catch (...) {
    job.error = std::current_exception();
  }
  job.state.next_sequence_nr = thread_state.next_sequence_nr;
  return nullptr;
}

}  // namespace

void on_fresh_stack(const std::function<void()>& work) {
  Job job{work, thread_state, nullptr};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_t thread;
  const int failure = pthread_create(&thread, &attributes, run_job, &job);
  pthread_attr_destroy(&attributes);
  if (failure != 0)
    throw BackwardTooDeep(
        "backward: {} runs are under way inside one another, and there is no stack for more: {}",
        thread_state.backward_depth, std::strerror(failure));
  pthread_join(thread, nullptr);
  thread_state.next_sequence_nr = job.state.next_sequence_nr;
  if (job.error) std::rethrow_exception(job.error);
}

}  // namespace notape
