#include "verify/plugin/guarded_buffer.h"

#include <cstring>

#include "autograd/modes/grad_mode.h"
#include "autograd/tensor/factories.h"
#include "ops/ops.h"
#include "verify/checks/outcome.h"
#include "verify/plugin/c_operator.h"

namespace notape::verify {
namespace {

// Wide enough for a loop that runs a row or two too far.
constexpr std::size_t kMargin = 4096;
constexpr unsigned char kNan = 0xFF, kNeverWritten = 0xA5;
// Quiet NaNs that no arithmetic gives; adding to one leaves it as it is.
constexpr uint64_t kUnwritten64 = 0x7ff8'badc'0ffe'e000;
constexpr uint32_t kUnwritten32 = 0x7fc0'babe;

const void* bytes_of(const Tensor& tensor) {
  return tensor.dtype() == kFloat32 ? static_cast<const void*>(tensor.const_data_ptr<float>())
                                    : static_cast<const void*>(tensor.const_data_ptr<double>());
}
void* writable_bytes_of(const Tensor& tensor) {
  return tensor.dtype() == kFloat32 ? static_cast<void*>(tensor.mutable_data_ptr<float>())
                                    : static_cast<void*>(tensor.mutable_data_ptr<double>());
}

}  // namespace

GuardedBuffer::GuardedBuffer(std::string name, const Tensor& values)
    : name_(std::move(name)),
      read_only_(true),
      shape_(shape_of(values)),
      dtype_(values.dtype() == kFloat32 ? NOTAPE_FLOAT32 : NOTAPE_FLOAT64) {
  const NoGradGuard no_grad;
  const Tensor dense = values.contiguous();
  allocate(kNan);
  std::memcpy(data(), bytes_of(dense), data_bytes());
  original_ = lines_;
}

GuardedBuffer::GuardedBuffer(std::string name, const notape_shape& shape, int32_t dtype)
    : name_(std::move(name)), read_only_(false), shape_(shape), dtype_(dtype) {
  allocate(kNeverWritten);
  for (std::size_t i = 0; i < entries_of(shape_); ++i) {
    unsigned char* entry = data() + i * entry_bytes();
    if (dtype_ == NOTAPE_FLOAT32)
      std::memcpy(entry, &kUnwritten32, sizeof kUnwritten32);
    else
      std::memcpy(entry, &kUnwritten64, sizeof kUnwritten64);
  }
  original_ = lines_;
}

void GuardedBuffer::allocate(unsigned char margin) {
  const std::size_t data_lines = (data_bytes() + sizeof(Line) - 1) / sizeof(Line);
  lines_.resize(data_lines + 2 * kMargin / sizeof(Line));
  std::memset(lines_.data(), margin, lines_.size() * sizeof(Line));
}

std::size_t GuardedBuffer::entry_bytes() const {
  return dtype_ == NOTAPE_FLOAT32 ? sizeof(float) : sizeof(double);
}
std::size_t GuardedBuffer::data_bytes() const { return entries_of(shape_) * entry_bytes(); }
unsigned char* GuardedBuffer::data() { return lines_.data()->bytes + kMargin; }
const unsigned char* GuardedBuffer::data() const { return lines_.data()->bytes + kMargin; }

notape_buffer GuardedBuffer::view() { return {data(), shape_, dtype_}; }

Tensor GuardedBuffer::tensor() const {
  const std::vector<int64_t> sizes = sizes_of(shape_);
  const Tensor result =
      empty(IntArrayRef(sizes), dtype(dtype_ == NOTAPE_FLOAT32 ? kFloat32 : kFloat64));
  std::memcpy(writable_bytes_of(result), data(), data_bytes());
  return result;
}

std::string GuardedBuffer::fault() const {
  const std::string outside = fault_in_margins();
  return outside.empty() ? fault_in_entries() : outside;
}

std::string GuardedBuffer::fault_in_margins() const {
  const unsigned char *now = lines_.data()->bytes, *then = original_.data()->bytes;
  const std::size_t end = kMargin + data_bytes(), all = lines_.size() * sizeof(Line);
  if (std::memcmp(now, then, kMargin) == 0 && std::memcmp(now + end, then + end, all - end) == 0)
    return "";
  for (std::size_t i = end; i < all; ++i)
    if (now[i] != then[i])
      return format_message("wrote past the end of {}, at entry {} of {}",
                            {name_, (i - kMargin) / entry_bytes(), entries_of(shape_)});
  for (std::size_t i = kMargin; i-- > 0;)
    if (now[i] != then[i])
      return format_message("wrote before the start of {}, at entry -{}",
                            {name_, (kMargin - i - 1) / entry_bytes() + 1});
  return "";
}

std::string GuardedBuffer::fault_in_entries() const {
  const unsigned char* then = original_.data()->bytes + kMargin;
  for (std::size_t i = 0; i < entries_of(shape_); ++i) {
    const std::size_t at = i * entry_bytes();
    const bool same = std::memcmp(data() + at, then + at, entry_bytes()) == 0;
    const std::string where = coordinates(sizes_of(shape_), i);
    if (read_only_ && !same) return "wrote to " + name_ + where + ", which it may only read";
    if (!read_only_ && same) return "did not write " + name_ + where + ", or added to it";
  }
  return "";
}

notape_shape shape_of(const Tensor& tensor) {
  if (tensor.dim() > NOTAPE_MAX_RANK)
    throw ForeignOperatorError("a tensor of rank {} does not fit the C interface, whose most is {}",
                               tensor.dim(), NOTAPE_MAX_RANK);
  notape_shape shape{};
  shape.rank = static_cast<int32_t>(tensor.dim());
  for (int64_t d = 0; d < tensor.dim(); ++d) shape.sizes[d] = tensor.size(d);
  return shape;
}

std::vector<int64_t> sizes_of(const notape_shape& shape) {
  return {shape.sizes, shape.sizes + shape.rank};
}

std::size_t entries_of(const notape_shape& shape) {
  std::size_t count = 1;
  for (int32_t d = 0; d < shape.rank; ++d) count *= static_cast<std::size_t>(shape.sizes[d]);
  return count;
}

}  // namespace notape::verify
