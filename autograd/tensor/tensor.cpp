#include "autograd/tensor/tensor.h"

#include <cstring>

#include "autograd/tensor/device_interface.h"

namespace notape {

void Tensor::throw_undefined() { throw UndefinedTensor("the tensor is undefined"); }

void Tensor::throw_batched(const char* operation) {
  throw BatchingNotImplemented(
      "{}: a tensor inside vmap has one value per sample, not one; rewrite the function with other "
      "operators, or return the tensor from vmap first",
      operation);
}

bool Tensor::is_pinned() const { return checked().storage()->is_pinned(); }

void Tensor::check_type(ScalarType wanted) const {
  if (dtype() != wanted)
    throw DtypeError("expected scalar type {} but found {}", name_of(wanted), name_of(dtype()));
}

void Tensor::check_accessor(std::size_t dimensions) const {
  if (static_cast<std::size_t>(dim()) != dimensions)
    throw ShapeError("accessor: expected {} dims but tensor has {}", dimensions, dim());
  if (!device().of_samples().is_cpu())
    throw DeviceError("accessor: expected a tensor on the CPU, got {}",
                      notape::to_string(device()));
}

int64_t wrap_dim(int64_t dim, int64_t rank) {
  const int64_t range = rank > 0 ? rank : 1;
  if (dim < -range || dim >= range)
    throw IndexError("Dimension out of range (expected to be in range of [{}, {}], but got {})",
                     -range, range - 1, dim);
  return dim < 0 ? dim + range : dim;
}

int64_t Tensor::size(Integer dim) const {
  if (this->dim() == 0)
    throw IndexError("dimension specified as {} but tensor has no dimensions", dim);
  return sizes()[static_cast<std::size_t>(wrap_dim(dim, this->dim()))];
}

int64_t Tensor::stride(Integer dim) const {
  if (this->dim() == 0)
    throw IndexError("dimension specified as {} but tensor has no dimensions", dim);
  return strides()[static_cast<std::size_t>(wrap_dim(dim, this->dim()))];
}

Scalar Tensor::item_scalar() const {
  if (numel() != 1)
    throw ShapeError("a Tensor with {} elements cannot be converted to Scalar", numel());
  in_memory("item");
  return visit_type(dtype(), [&]<typename T>() -> Scalar {
    T value;
    if (device().is_cpu())
      std::memcpy(&value, impl_->data(), sizeof(T));
    else
      device_interface(device()).copy(&value, Device(), impl_->data(), device(), sizeof(T));
    return Scalar(value);
  });
}

uint64_t Tensor::_version() const {
  if (is_inference()) throw InferenceTensorError("Inference tensors do not track version counter.");
  return impl_->storage()->writes();
}

}  // namespace notape
