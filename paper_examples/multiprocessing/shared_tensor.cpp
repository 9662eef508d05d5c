#include "paper_examples/multiprocessing/shared_tensor.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <system_error>

#include "ops/ops.h"

namespace notape::multiprocessing {
namespace {

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

/// What goes through the socket beside the descriptor.
struct Description {
  static constexpr uint64_t kMagic = 0x6e6f746170657368;  // "notapesh"
  static constexpr int64_t kMostDimensions = 16;
  uint64_t magic;
  int64_t dtype, dimensions;
  int64_t size[kMostDimensions];
};

/// Throws ValueError for sizes that no tensor has.
std::size_t bytes_of(IntArrayRef size, ScalarType dtype) {
  std::size_t bytes = element_size(dtype);
  for (const int64_t n : size)
    if (n < 0 || __builtin_mul_overflow(bytes, static_cast<std::size_t>(n), &bytes))
      throw ValueError("SharedTensor: a tensor cannot have the size {}", to_string(size));
  return bytes;
}

/// One descriptor as the control part of a message.
struct Message {
  Message(Description& description) {
    bytes = {&description, sizeof description};
    header.msg_iov = &bytes;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof control;
  }
  iovec bytes{};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr header{};
};

}  // namespace

/// Memory without a name in the file system, mapped here.
class SharedTensor::Memory {
 public:
  explicit Memory(std::size_t bytes) : bytes_(std::max<std::size_t>(bytes, 1)) {
    descriptor_ = ::memfd_create("notape", MFD_CLOEXEC);
    if (descriptor_ < 0) fail("shared memory");
    if (::ftruncate(descriptor_, static_cast<off_t>(bytes_)) != 0) close_and_fail();
    map();
  }
  /// Takes over a descriptor that was received.
  Memory(int descriptor, IntArrayRef size, ScalarType dtype) : descriptor_(descriptor) {
    try {
      bytes_ = std::max<std::size_t>(bytes_of(size, dtype), 1);
      struct stat status {};
      if (::fstat(descriptor_, &status) != 0) fail("SharedTensor::receive");
      if (static_cast<std::size_t>(status.st_size) < bytes_)
        throw ValueError("SharedTensor::receive: {} bytes of memory for a tensor of {}",
                         status.st_size, bytes_);
    } catch (...) {
      ::close(descriptor_);
      throw;
    }
    map();
  }
  ~Memory() {
    ::munmap(data_, bytes_);
    ::close(descriptor_);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  void* data() const { return data_; }
  int descriptor() const { return descriptor_; }

 private:
  void map() {
    data_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
    if (data_ == MAP_FAILED) close_and_fail();
  }
  [[noreturn]] void close_and_fail() const {
    const int reason = errno;
    ::close(descriptor_);
    errno = reason;
    fail("shared memory");
  }

  int descriptor_;
  std::size_t bytes_ = 0;
  void* data_ = nullptr;
};

SharedTensor::SharedTensor(std::shared_ptr<Memory> memory, IntArrayRef size, ScalarType dtype)
    : memory_(std::move(memory)),
      tensor_(from_blob(
          memory_->data(), size, [keep = memory_](void*) {}, dtype)) {}

SharedTensor::SharedTensor(const Tensor& values)
    : SharedTensor(zeros(values.sizes(), values.dtype())) {
  const NoGradGuard no_grad;
  tensor_.copy_(values.detach());
}

SharedTensor SharedTensor::zeros(IntArrayRef size, ScalarType dtype) {
  return SharedTensor(std::make_shared<Memory>(bytes_of(size, dtype)), size, dtype);
}

std::size_t SharedTensor::send(int socket) const {
  Description description{
      Description::kMagic, static_cast<int64_t>(tensor_.dtype()), tensor_.dim(), {}};
  if (tensor_.dim() > Description::kMostDimensions)
    throw ValueError("SharedTensor::send: a tensor of {} dimensions, at most {} can be sent",
                     tensor_.dim(), Description::kMostDimensions);
  std::copy(tensor_.sizes().begin(), tensor_.sizes().end(), description.size);
  Message message(description);
  cmsghdr* const part = CMSG_FIRSTHDR(&message.header);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(sizeof(int));
  const int descriptor = memory_->descriptor();
  std::memcpy(CMSG_DATA(part), &descriptor, sizeof descriptor);
  const ssize_t sent = ::sendmsg(socket, &message.header, MSG_NOSIGNAL);
  if (sent < 0) fail("SharedTensor::send");
  return static_cast<std::size_t>(sent);
}

SharedTensor SharedTensor::receive(int socket) {
  Description description{};
  Message message(description);
  const ssize_t received = ::recvmsg(socket, &message.header, MSG_WAITALL | MSG_CMSG_CLOEXEC);
  if (received < 0) fail("SharedTensor::receive");
  const cmsghdr* const part = CMSG_FIRSTHDR(&message.header);
  int descriptor = -1;
  if (part && part->cmsg_type == SCM_RIGHTS)
    std::memcpy(&descriptor, CMSG_DATA(part), sizeof descriptor);
  const bool is_ours = received == sizeof description && description.magic == Description::kMagic &&
                       descriptor >= 0 && description.dimensions >= 0 &&
                       description.dimensions <= Description::kMostDimensions &&
                       description.dtype >= 0 && description.dtype < kScalarTypes;
  if (!is_ours) {
    if (descriptor >= 0) ::close(descriptor);
    throw ValueError("SharedTensor::receive: {} bytes came that are no tensor", received);
  }
  const IntArrayRef size(description.size, static_cast<std::size_t>(description.dimensions));
  const auto dtype = static_cast<ScalarType>(description.dtype);
  return SharedTensor(std::make_shared<Memory>(descriptor, size, dtype), size, dtype);
}

}  // namespace notape::multiprocessing
