// EngineThreads: the number of engine threads for a scope.
#pragma once
#include "autograd/engine/engine_controls.h"

namespace notape::testing {

class EngineThreads {
 public:
  explicit EngineThreads(int count) : before_(Engine::get_num_threads()) {
    Engine::set_num_threads(count);
  }
  ~EngineThreads() { Engine::set_num_threads(before_); }
  EngineThreads(const EngineThreads&) = delete;
  EngineThreads& operator=(const EngineThreads&) = delete;

 private:
  int before_;
};

}  // namespace notape::testing
