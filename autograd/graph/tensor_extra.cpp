// How a TensorExtra comes and goes: here, because what it points to is the graph's.
#include "autograd/tensor/tensor_extra.h"

#include "autograd/graph/accumulate_grad.h"
#include "autograd/graph/hooks.h"
#include "autograd/graph/support.h"

namespace notape {

TensorImpl::~TensorImpl() {
  count(Count::LiveTensors, -1);
  if (has(kRetainsGrad) && history_) history_->make_hooks().retained.erase(this);
  TensorExtra* extra = this->extra();
  if (!extra) return;
  if (Node* node = extra->accumulator.load()) {
    const NodeRef accumulator = NodeRef::adopt(node);
    static_cast<AccumulateGrad*>(node)->leaf_died(this);
  }
  delete extra;
}

TensorExtra& TensorImpl::create_extra() {
  auto fresh = std::make_unique<TensorExtra>();
  TensorExtra* expected = nullptr;
  if (extra_.compare_exchange_strong(expected, fresh.get())) return *fresh.release();
  return *expected;
}

TensorExtra& TensorImpl::make_first_extra() {
  auto* extra = new TensorExtra();
  extra_.store(extra, std::memory_order_relaxed);
  return *extra;
}

}  // namespace notape
