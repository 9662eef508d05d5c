// ObserverInFront: stands before the recorder and passes everything on to it, before or after what
// it does itself.
#pragma once
#include "autograd/observer.h"

namespace notape::trace {

class ObserverInFront : public Observer {
 public:
  ObserverInFront(const ObserverInFront&) = delete;
  ObserverInFront& operator=(const ObserverInFront&) = delete;

  void operator_begin(const char* name, uint64_t sequence_nr) noexcept override {
    behind_.operator_begin(name, sequence_nr);
  }
  void operator_end(const char* name, uint64_t sequence_nr) noexcept override {
    behind_.operator_end(name, sequence_nr);
  }
  void node_begin(const Node& node) noexcept override { behind_.node_begin(node); }
  void node_end(const Node& node) noexcept override { behind_.node_end(node); }
  void operands(const Tensor* const* tensors, std::size_t count) noexcept final {
    behind_.operands(tensors, count);
  }
  void backward_begin(const Tensor* roots, std::size_t count) noexcept final {
    behind_.backward_begin(roots, count);
  }

 protected:
  /// `behind` must outlive it.
  explicit ObserverInFront(Observer& behind) noexcept : behind_(behind) {}

 private:
  Observer& behind_;
};

}  // namespace notape::trace
