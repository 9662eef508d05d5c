// CarriedState: a thread that works for a backward run has the modes of the thread that started it.
#pragma once
#include "autograd/modes/thread_state.h"

namespace notape {

/// In its scope this thread has the state `caller`, except for its name with observers.
class CarriedState {
 public:
  explicit CarriedState(const ThreadState& caller) : own_(thread_state) {
    thread_state = caller;
    thread_state.observed_as = own_.observed_as;
  }
  ~CarriedState() { thread_state = own_; }
  CarriedState(const CarriedState&) = delete;
  CarriedState& operator=(const CarriedState&) = delete;

 private:
  ThreadState own_;
};

}  // namespace notape
