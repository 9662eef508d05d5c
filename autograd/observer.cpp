#include "autograd/observer.h"

#include "autograd/modes/thread_state.h"

namespace notape {

std::atomic<Observer*> active_observer{nullptr};

Observer* set_observer(Observer* observer) noexcept {
  return active_observer.exchange(observer, std::memory_order_acq_rel);
}

void Operation::begin() noexcept {
  sequence_nr_ = thread_state.next_sequence_nr;
  observer_->operator_begin(name, sequence_nr_);
}

std::string Operation::in_brackets(const SourceLocation& at) {
  return kProvenance ? " (at " + place_of(at) + ")" : "";
}

void Operation::end() noexcept { observer_->operator_end(name, sequence_nr_); }

}  // namespace notape
