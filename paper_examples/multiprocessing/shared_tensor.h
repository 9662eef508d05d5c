// SharedTensor: a tensor whose memory several processes see (2019 paper, 5.4: torch.multiprocessing
// "automatically moves the data of tensors sent to other processes to shared memory instead of
// sending it over the communication channel").
#pragma once
#include <memory>

#include "autograd/autograd.h"

namespace notape::multiprocessing {

/// Row-major, on the CPU. What one process writes the others read: those forked after it was made,
/// and those that it was sent to. Neither locks nor version counters know of writes by others.
class SharedTensor {
 public:
  /// A copy of the values, in shared memory. Throws std::system_error if there is none to be had.
  explicit SharedTensor(const Tensor& values);
  static SharedTensor zeros(IntArrayRef size, ScalarType dtype = kFloat32);

  /// Lives as long as it is needed, also without this object. Wants no gradient.
  const Tensor& tensor() const { return tensor_; }

  /// Sends it through a Unix socket: a description and a descriptor of the memory, whatever its
  /// size. Returns how many bytes went through the socket. Throws std::system_error.
  std::size_t send(int socket) const;
  /// What the other side of the socket has sent. Throws std::system_error, and ValueError if that
  /// was something else.
  static SharedTensor receive(int socket);

 private:
  class Memory;
  SharedTensor(std::shared_ptr<Memory> memory, IntArrayRef size, ScalarType dtype);

  std::shared_ptr<Memory> memory_;
  Tensor tensor_;
};

}  // namespace notape::multiprocessing
