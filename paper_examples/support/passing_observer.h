// PassingObserver: watches a program for as long as it lives, and lets whoever observed before see
// everything, too.
#pragma once
#include "autograd/observer.h"

namespace notape::paper {

class PassingObserver : public Observer {
 public:
  PassingObserver() : before_(set_observer(this)) {}
  ~PassingObserver() override { set_observer(before_); }
  PassingObserver(const PassingObserver&) = delete;
  PassingObserver& operator=(const PassingObserver&) = delete;

  void operator_begin(const char* name, uint64_t sequence_nr) noexcept override {
    if (before_) before_->operator_begin(name, sequence_nr);
  }
  void operator_end(const char* name, uint64_t sequence_nr) noexcept override {
    if (before_) before_->operator_end(name, sequence_nr);
  }
  void operands(const Tensor* const* tensors, std::size_t count) noexcept override {
    if (before_) before_->operands(tensors, count);
  }
  void backward_begin(const Tensor* roots, std::size_t count) noexcept override {
    if (before_) before_->backward_begin(roots, count);
  }
  void node_begin(const Node& node) noexcept override {
    if (before_) before_->node_begin(node);
  }
  void node_end(const Node& node) noexcept override {
    if (before_) before_->node_end(node);
  }

 private:
  Observer* before_;
};

}  // namespace notape::paper
