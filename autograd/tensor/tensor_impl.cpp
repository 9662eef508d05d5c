#include "autograd/tensor/tensor_impl.h"

namespace notape {

void TensorImpl::set_storage(Ref<Storage> storage, Geometry geometry, ScalarType dtype) {
  forget_zeros();
  storage_ = std::move(storage);
  geometry_ = std::move(geometry);
  dtype_ = dtype;
  device_ = storage_->device();
  set(kDetached, false);
  set(kData, false);
}

}  // namespace notape
