#include "verify/plugin/guarded_buffer.h"

#include <algorithm>
#include <cfloat>
#include <cstring>

#include "autograd/modes/grad_mode.h"
#include "autograd/tensor/factories.h"
#include "verify/numeric/number_text.h"
#include "verify/plugin/c_operator.h"
#include "verify/plugin/declaration.h"

namespace notape::verify {
namespace {

// Wide enough for a loop that runs a row or two too far.
constexpr std::size_t kMargin = 4096;
constexpr unsigned char kNan = 0xFF, kNeverWritten = 0xA5, kAbsurdIndex = 0x5A;
// Quiet NaNs that no arithmetic gives; adding to one leaves it as it is. Whole numbers that nobody
// counts to.
constexpr uint64_t kUnwritten64 = 0x7ff8'badc'0ffe'e000, kUnwrittenInt64 = 0x5ada'badc'0ffe'e000;
constexpr uint32_t kUnwritten32 = 0x7fc0'babe, kUnwrittenInt32 = 0x5ada'babe;
constexpr uint16_t kUnwrittenBFloat16 = 0x7fda, kUnwrittenFloat16 = 0x7eda;

template <typename Visit>
auto visit_entry_type(int32_t dtype, const Visit& visit) {
  switch (dtype) {
    case NOTAPE_FLOAT32:
      return visit.template operator()<float>();
    case NOTAPE_INT32:
      return visit.template operator()<int32_t>();
    case NOTAPE_INT64:
      return visit.template operator()<int64_t>();
    case NOTAPE_LONG_DOUBLE:
      return visit.template operator()<long double>();
    case NOTAPE_BFLOAT16:
      return visit.template operator()<BFloat16>();
    case NOTAPE_FLOAT16:
      return visit.template operator()<Half>();
    default:
      return visit.template operator()<double>();
  }
}

/// How much of an entry holds its value: ten of the sixteen bytes of an x87 long double.
template <typename T>
constexpr std::size_t kValueBytes = sizeof(T);
template <>
constexpr std::size_t kValueBytes<long double> = LDBL_MANT_DIG == 64 ? 10 : sizeof(long double);

template <typename T>
T unwritten() {
  T value{};
  if constexpr (std::is_same_v<T, float>)
    std::memcpy(&value, &kUnwritten32, sizeof value);
  else if constexpr (std::is_same_v<T, double>)
    std::memcpy(&value, &kUnwritten64, sizeof value);
  else if constexpr (std::is_same_v<T, BFloat16>)
    value = T::from_bits(kUnwrittenBFloat16);
  else if constexpr (std::is_same_v<T, Half>)
    value = T::from_bits(kUnwrittenFloat16);
  else if constexpr (std::is_same_v<T, int32_t>)
    value = static_cast<T>(kUnwrittenInt32);
  else if constexpr (std::is_same_v<T, int64_t>)
    value = static_cast<T>(kUnwrittenInt64);
  else
    value = __builtin_nanl("0xbadc0ffee000");
  return value;
}

bool is_whole(int32_t dtype) { return dtype == NOTAPE_INT32 || dtype == NOTAPE_INT64; }

ScalarType type_of_code(int32_t dtype) {
  switch (dtype) {
    case NOTAPE_FLOAT32:
      return kFloat32;
    case NOTAPE_BFLOAT16:
      return kBFloat16;
    case NOTAPE_FLOAT16:
      return kFloat16;
    default:
      return is_whole(dtype) ? kInt64 : kFloat64;
  }
}

/// To 16 bits by way of double, rounded once.
template <typename To, typename From>
To to_entry(From value) {
  if constexpr (std::is_same_v<To, From>)
    return value;
  else if constexpr (std::is_same_v<To, Half> || std::is_same_v<To, BFloat16>)
    return To(static_cast<double>(value));
  else if constexpr (std::is_same_v<From, Half> || std::is_same_v<From, BFloat16>)
    return static_cast<To>(static_cast<float>(value));
  else
    return static_cast<To>(value);
}

Tensor bytes_of(const void* from, std::size_t count) {
  const Tensor bytes = empty({static_cast<int64_t>(count)}, dtype(ScalarType::Byte));
  std::memcpy(bytes.mutable_data_ptr<uint8_t>(), from, count);
  return bytes;
}

std::vector<int64_t> row_major(const notape_shape& shape) {
  std::vector<int64_t> strides(static_cast<std::size_t>(shape.rank));
  int64_t step = 1;
  for (std::size_t d = strides.size(); d-- > 0;) {
    strides[d] = step;
    step *= std::max<int64_t>(shape.sizes[d], 1);
  }
  return strides;
}

}  // namespace

GuardedBuffer::GuardedBuffer(std::string name, const Tensor& values)
    : GuardedBuffer(std::move(name), values, code_of_real(values.dtype()), Strides::RowMajor) {}

GuardedBuffer::GuardedBuffer(std::string name, const Tensor& values, int32_t dtype, Strides strides)
    : name_(std::move(name)), read_only_(true), shape_(shape_of(values)), dtype_(dtype) {
  const NoGradGuard no_grad;
  const Tensor here = values.device().is_cpu() ? values : values.cpu();
  const Tensor source = strides == Strides::RowMajor ? here.contiguous() : here;
  strides_ = strides == Strides::RowMajor ? row_major(shape_) : source.strides().vec();
  allocate(is_whole(dtype_) ? kAbsurdIndex : kNan);
  visit_type(source.dtype(), [&]<typename From>() {
    const From* from = source.const_data_ptr<From>();
    visit_entry_type(dtype_, [&]<typename T>() {
      for (std::size_t i = 0; i < entries_of(shape_); ++i) {
        const std::size_t at = offset_of(i);
        const T value = to_entry<T>(from[at / sizeof(T)]);
        std::memcpy(data() + at, &value, sizeof value);
      }
    });
  });
  original_ = lines_;
}

GuardedBuffer::GuardedBuffer(std::string name, const std::vector<int64_t>& sizes,
                             const std::vector<long double>& values, int32_t dtype)
    : name_(std::move(name)),
      read_only_(true),
      shape_(shape_of(sizes)),
      strides_(row_major(shape_)),
      dtype_(dtype) {
  allocate(kNan);
  visit_entry_type(dtype_, [&]<typename T>() {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const T value = to_entry<T>(values[i]);
      std::memcpy(data() + i * sizeof(T), &value, sizeof value);
    }
  });
  original_ = lines_;
}

GuardedBuffer::GuardedBuffer(std::string name, const notape_shape& shape, int32_t dtype)
    : name_(std::move(name)),
      read_only_(false),
      shape_(shape),
      strides_(row_major(shape_)),
      dtype_(dtype) {
  allocate(kNeverWritten);
  visit_entry_type(dtype_, [&]<typename T>() {
    const T mark = unwritten<T>();
    for (std::size_t i = 0; i < entries_of(shape_); ++i)
      std::memcpy(data() + i * sizeof(T), &mark, kValueBytes<T>);
  });
  original_ = lines_;
}

void GuardedBuffer::allocate(unsigned char margin) {
  extent_ = entries_of(shape_) == 0 ? 0 : 1;
  for (std::size_t d = 0; extent_ > 0 && d < strides_.size(); ++d)
    extent_ += static_cast<std::size_t>(strides_[d] * (shape_.sizes[d] - 1));
  const std::size_t data_lines = (extent_bytes() + sizeof(Line) - 1) / sizeof(Line);
  lines_.resize(data_lines + 2 * kMargin / sizeof(Line));
  std::memset(lines_.data(), margin, lines_.size() * sizeof(Line));
}

std::size_t GuardedBuffer::entry_bytes() const {
  return visit_entry_type(dtype_, []<typename T>() { return sizeof(T); });
}
std::size_t GuardedBuffer::extent_bytes() const { return extent_ * entry_bytes(); }
unsigned char* GuardedBuffer::data() { return lines_.data()->bytes + kMargin; }
const unsigned char* GuardedBuffer::data() const { return lines_.data()->bytes + kMargin; }

std::size_t GuardedBuffer::offset_of(std::size_t entry) const {
  int64_t position = 0;
  for (auto d = static_cast<std::size_t>(shape_.rank); d-- > 0;) {
    const auto size = static_cast<std::size_t>(shape_.sizes[d]);
    position += static_cast<int64_t>(entry % size) * strides_[d];
    entry /= size;
  }
  return static_cast<std::size_t>(position) * entry_bytes();
}

void GuardedBuffer::put_on(Device device) {
  const NoGradGuard no_grad;
  device_memory_ = bytes_of(lines_.data(), lines_.size() * sizeof(Line)).to(device);
}

void GuardedBuffer::fetch() {
  const NoGradGuard no_grad;
  std::memcpy(lines_.data(), device_memory_.cpu().const_data_ptr<uint8_t>(),
              lines_.size() * sizeof(Line));
}

notape_buffer GuardedBuffer::view() { return {data(), shape_, dtype_}; }

notape_tensor GuardedBuffer::tensor_view() {
  notape_tensor view{};
  view.struct_size = sizeof view;
  view.data =
      device_memory_.defined() ? device_memory_.mutable_data_ptr<uint8_t>() + kMargin : data();
  view.count = static_cast<int64_t>(entries_of(shape_));
  view.dtype = dtype_;
  view.rank = shape_.rank;
  std::copy_n(shape_.sizes, shape_.rank, view.sizes);
  std::copy(strides_.begin(), strides_.end(), view.strides);
  return view;
}

Tensor GuardedBuffer::tensor() const {
  const std::vector<int64_t> sizes = sizes_of(shape_);
  const ScalarType type = type_of_code(dtype_);
  const Tensor result = empty(IntArrayRef(sizes), dtype(type));
  visit_type(type, [&]<typename To>() {
    To* to = result.mutable_data_ptr<To>();
    visit_entry_type(dtype_, [&]<typename T>() {
      for (std::size_t i = 0; i < entries_of(shape_); ++i) {
        T value;
        std::memcpy(&value, data() + i * sizeof(T), sizeof value);
        to[i] = to_entry<To>(value);
      }
    });
  });
  return device_memory_.defined() ? result.to(device_memory_.device()) : result;
}

std::vector<long double> GuardedBuffer::long_doubles() const {
  std::vector<long double> values(entries_of(shape_));
  visit_entry_type(dtype_, [&]<typename T>() {
    for (std::size_t i = 0; i < values.size(); ++i) {
      T value;
      std::memcpy(&value, data() + i * sizeof(T), sizeof value);
      values[i] = to_entry<long double>(value);
    }
  });
  return values;
}

void GuardedBuffer::lower_sizes(const int64_t* sizes) {
  for (int32_t d = 0; d < shape_.rank; ++d)
    if (sizes[d] < 0 || sizes[d] > shape_.sizes[d])
      throw ForeignOperatorError("changed size {} of {} from {} to {}: it may only be lowered", d,
                                 name_, shape_.sizes[d], sizes[d]);
  std::copy_n(sizes, shape_.rank, shape_.sizes);
  strides_ = row_major(shape_);
}

std::string GuardedBuffer::fault() const {
  const std::string outside = fault_in_margins();
  return outside.empty() ? fault_in_entries() : outside;
}

std::string GuardedBuffer::fault_in_margins() const {
  const unsigned char *now = lines_.data()->bytes, *then = original_.data()->bytes;
  const std::size_t end = kMargin + extent_bytes(), all = lines_.size() * sizeof(Line);
  if (std::memcmp(now, then, kMargin) == 0 && std::memcmp(now + end, then + end, all - end) == 0)
    return "";
  for (std::size_t i = end; i < all; ++i)
    if (now[i] != then[i])
      return format_message("wrote past the end of {}, at entry {} of {}",
                            {name_, (i - kMargin) / entry_bytes(), extent_});
  for (std::size_t i = kMargin; i-- > 0;)
    if (now[i] != then[i])
      return format_message("wrote before the start of {}, at entry -{}",
                            {name_, (kMargin - i - 1) / entry_bytes() + 1});
  return "";
}

bool GuardedBuffer::is_untouched(std::size_t byte) const {
  const unsigned char* then = original_.data()->bytes + kMargin;
  const std::size_t value_bytes =
      visit_entry_type(dtype_, []<typename T>() { return kValueBytes<T>; });
  return std::memcmp(data() + byte, then + byte, value_bytes) == 0;
}

std::string GuardedBuffer::fault_in_entries() const {
  for (std::size_t i = 0; i < entries_of(shape_); ++i) {
    const bool same = is_untouched(offset_of(i));
    const std::string where = same == read_only_ ? "" : coordinates(sizes_of(shape_), i);
    if (read_only_ && !same) return "wrote to " + name_ + where + ", which it may only read";
    if (!read_only_ && same && !may_stay_unwritten_)
      return "did not write " + name_ + where + ", or added to it";
  }
  const unsigned char* then = original_.data()->bytes + kMargin;
  if (read_only_ && std::memcmp(data(), then, extent_bytes()) != 0)
    return "wrote between the entries of " + name_ + ", which are not its own";
  return "";
}

notape_shape shape_of(const Tensor& tensor) { return shape_of(tensor.sizes().vec()); }

notape_shape shape_of(const std::vector<int64_t>& sizes) {
  if (sizes.size() > NOTAPE_MAX_RANK)
    throw ForeignOperatorError(
        "a tensor of rank {} does not fit the C interface, which allows at most {}", sizes.size(),
        NOTAPE_MAX_RANK);
  notape_shape shape{};
  shape.rank = static_cast<int32_t>(sizes.size());
  std::copy(sizes.begin(), sizes.end(), shape.sizes);
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
