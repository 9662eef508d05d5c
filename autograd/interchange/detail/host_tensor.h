// What the file formats share: a tensor's values as plain bytes, and back.
#pragma once
#include <bit>

#include "autograd/interchange/input_file.h"
#include "autograd/tensor/tensor.h"

namespace notape::interchange {

static_assert(std::endian::native == std::endian::little, "files are written as memory lies");

/// The values row-major on the CPU, without history; the same memory if they lie so already.
/// Throws UndefinedTensor, naming `what`.
Tensor host_tensor(const Tensor& tensor, const std::string& what);

inline std::size_t byte_count(const Tensor& host) {
  return static_cast<std::size_t>(host.numel()) * host.element_size();
}

/// The geometry of a tensor that a file describes; `problem` is empty or says why none can be so.
struct ClaimedShape {
  Geometry geometry;
  uint64_t bytes = 0;
  std::string problem;
};
ClaimedShape claimed_shape(IntArrayRef sizes, ScalarType type);

/// Fills all elements of a dense tensor on the CPU with the bytes that follow, in memory order. A
/// bool is made of any byte, as whether it is zero.
void read_elements(ByteSource& source, const Tensor& dense);

}  // namespace notape::interchange
