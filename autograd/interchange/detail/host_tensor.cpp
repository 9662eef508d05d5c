#include "autograd/interchange/detail/host_tensor.h"

#include "autograd/error.h"
#include "autograd/modes/grad_mode.h"
#include "autograd/tensor/core_operators.h"

namespace notape::interchange {

Tensor host_tensor(const Tensor& tensor, const std::string& what) {
  if (!tensor.defined()) throw UndefinedTensor("{} is an undefined tensor", what);
  if (tensor.device().is_batched())
    throw BatchingNotImplemented("{} has one value per sample inside vmap", what);
  const NoGradGuard no_grad;
  Tensor host = tensor.variable_data();
  if (!host.device().is_cpu()) host = core_operators->convert(host, host.dtype(), kCPU);
  if (host.dtype() == kBool)  // from any bytes, of memory of others, to 0 and 1
    host = core_operators->convert(core_operators->convert(host, kByte, kCPU), kBool, kCPU);
  if (!host.is_contiguous()) host = core_operators->clone(host, contiguous_strides(host.sizes()));
  return host;
}

ClaimedShape claimed_shape(IntArrayRef sizes, ScalarType type) {
  ClaimedShape shape;
  try {
    shape.geometry = Geometry(sizes);
    shape.bytes = static_cast<uint64_t>(shape.geometry.numel()) * element_size(type);
  } catch (const ShapeError& error) {
    shape.problem = error.what_without_backtrace();
  }
  return shape;
}

void read_elements(ByteSource& source, const Tensor& dense) {
  auto* bytes = static_cast<unsigned char*>(dense.impl().data());
  const std::size_t count = byte_count(dense);
  source.read(bytes, count, "the data");
  if (dense.dtype() == kBool)
    for (std::size_t i = 0; i < count; ++i) bytes[i] = bytes[i] != 0;
}

}  // namespace notape::interchange
