#include "autograd/tensor/tensor_impl.h"

#include "autograd/graph/accumulate_grad.h"
#include "autograd/graph/hooks.h"
#include "autograd/graph/support.h"
#include "autograd/tensor/tensor_extra.h"

namespace notape {

TensorImpl::~TensorImpl() {
  count(Count::LiveTensors, -1);
  if (has(kRetainsGrad) && history_)
    std::erase_if(history_->make_hooks().retained,
                  [this](const auto& entry) { return entry.tensor == this; });
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

void TensorImpl::set_storage(Ref<Storage> storage, Geometry geometry, ScalarType dtype) {
  set(kSupport, false);
  storage_ = std::move(storage);
  geometry_ = std::move(geometry);
  dtype_ = dtype;
  device_ = storage_->device();
  set(kDetached, false);
  set(kData, false);
}

}  // namespace notape
