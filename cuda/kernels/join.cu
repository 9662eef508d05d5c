// Tensors joined by one launch for many: their lines become parts of the result's lines.
#include "ops/shape/join.h"

#include <cstdint>

#include "cuda/kernels/launch_slices.h"
#include "cuda/kernels/multi_tensor.h"
#include "ops/core/divisor.h"

namespace notape::cuda {
namespace {

struct alignas(16) Bytes16 {
  uint64_t halves[2];
};

/// The tensors of one launch, cut into parts of one size, and a team at each part. Unit: as many
/// bytes as all begin and end at multiples of.
template <typename Unit>
class JoinTensors {
 public:
  static constexpr std::size_t kMost = 80;

  JoinTensors(const Tensor& result, int64_t lines)
      : result_(reinterpret_cast<Unit*>(result.impl().data())),
        lines_(lines),
        width_(units_of(result) / lines) {}

  /// Into columns that begin at `column`; returns where those of the next begin.
  int64_t add(const Tensor& tensor, int64_t column) {
    const int64_t count = units_of(tensor), width = count / lines_;
    const bool is_small = count <= Divisor::kLargest;
    parts_ += (count + kPart - 1) / kPart;
    tensors_[size_++] = {reinterpret_cast<const Unit*>(tensor.impl().data()),
                         width,
                         column,
                         parts_,
                         is_small,
                         is_small ? Divisor(width) : Divisor()};
    return column + width;
  }
  bool is_full() const { return size_ == kMost; }
  int64_t parts() const { return parts_; }

  template <typename Team>
  __device__ void operator()(int64_t part, const Team& team) const {
    int k = 0;
    while (tensors_[k].parts_so_far <= part) ++k;
    const One& one = tensors_[k];
    const int64_t first = (part - (k == 0 ? 0 : tensors_[k - 1].parts_so_far)) * kPart;
    const int64_t count = one.width * lines_, end = first + kPart < count ? first + kPart : count;
    for (int64_t i = first + team.rank(); i < end; i += team.size()) {
      const int64_t line =
          one.is_small ? one.by_width.quotient(static_cast<uint32_t>(i)) : i / one.width;
      result_[line * width_ + one.column + (i - line * one.width)] = one.data[i];
    }
  }

  static int64_t units_of(const Tensor& tensor) {
    return tensor.numel() * static_cast<int64_t>(element_size(tensor.dtype())) /
           static_cast<int64_t>(sizeof(Unit));
  }

 private:
  struct One {
    const Unit* data;
    int64_t width, column, parts_so_far;
    bool is_small;
    Divisor by_width;
  };
  Unit* result_;
  int64_t lines_, width_;
  One tensors_[kMost];
  std::size_t size_ = 0;
  int64_t parts_ = 0;
};

template <typename Unit>
void join(const Tensor& result, const TensorList& tensors, int64_t lines) {
  static_assert(sizeof(JoinTensors<Unit>) + sizeof(int64_t) <= kArguments);
  JoinTensors<Unit> work(result, lines);
  const auto launch = [&] {
    if (work.parts() > 0) detail::launch_by_blocks(work, work.parts(), stream_of(result));
    work = JoinTensors<Unit>(result, lines);
  };
  int64_t column = 0;
  for (const Tensor& tensor : tensors) {
    if (tensor.numel() == 0) continue;
    column = work.add(tensor, column);
    if (work.is_full()) launch();
  }
  launch();
}

void join_on_cuda(const Operation&, const Tensor& result, const TensorList& tensors,
                  int64_t lines) {
  const auto item = static_cast<uint64_t>(element_size(result.dtype()));
  uint64_t all = 16;  // bits below the lowest that is set divide all
  const auto note = [&](const Tensor& tensor) {
    if (tensor.numel() == 0) return;
    all |= reinterpret_cast<uintptr_t>(tensor.impl().data());
    all |= static_cast<uint64_t>(tensor.numel() / lines) * item;
  };
  note(result);
  for (const Tensor& tensor : tensors) note(tensor);
  if (all % 16 == 0) return join<Bytes16>(result, tensors, lines);
  if (all % 8 == 0) return join<uint64_t>(result, tensors, lines);
  if (all % 4 == 0) return join<uint32_t>(result, tensors, lines);
  if (all % 2 == 0) return join<uint16_t>(result, tensors, lines);
  join<uint8_t>(result, tensors, lines);
}

const Implementation on_cuda(join_kernel, kCUDA, join_on_cuda);

}  // namespace
}  // namespace notape::cuda
