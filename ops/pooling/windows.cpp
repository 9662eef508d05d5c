#include "ops/pooling/windows.h"

#include "ops/core/promotion.h"
#include "ops/pooling.h"

namespace notape {

Triple::Triple(std::initializer_list<Integer> list) : std::array<int64_t, 3>{} {
  if (list.size() != 1 && list.size() != 3)
    throw ValueError("a size per spatial dimension needs one or three numbers, but got {}",
                     list.size());
  for (std::size_t d = 0; d < 3; ++d) (*this)[d] = list.begin()[list.size() == 1 ? 0 : d];
}

void check_image(const Operation& op, const Tensor& self, std::size_t dims, bool no_channels) {
  check_operands(op, {&self});
  const IntArrayRef sizes = self.sizes();
  bool valid = sizes.size() == dims + 1 || sizes.size() == dims + 2;
  const std::size_t first = sizes.size() - dims - (no_channels ? 0 : 1);
  for (std::size_t d = first; valid && d < sizes.size(); ++d) valid = sizes[d] > 0;
  if (!valid)
    op.fail<ShapeError>(
        "Expected {}D or {}D (batch mode) tensor with optional 0 dim batch size for input, but got:"
        "{}",
        dims + 1, dims + 2, to_string(sizes));
}

void check_output_size(const Operation& op, std::span<const int64_t> output_size) {
  constexpr int64_t kMost = 1 << 28;
  for (const int64_t size : output_size) {
    if (size < 0)
      op.fail<ValueError>(
          "elements of output_size must be greater than or equal to 0 but received {}", size);
    if (size > kMost) op.fail<OutOfMemory>("an output of size {} has too many windows", size);
  }
}

void check_windows(const Operation& op, const std::vector<int64_t>& kernel,
                   const std::vector<int64_t>& stride, const std::vector<int64_t>& padding) {
  for (std::size_t d = 0; d < kernel.size(); ++d) {
    if (kernel[d] < 1)
      op.fail<ValueError>("kernel size should be greater than zero, but got {}", to_string(kernel));
    if (stride[d] < 1)
      op.fail<ValueError>("stride should be greater than zero, but got {}", to_string(stride));
    if (padding[d] < 0)
      op.fail<ValueError>("pad must be non-negative, but got pad: {}", padding[d]);
    if (padding[d] > kernel[d] / 2)
      op.fail<ValueError>(
          "pad should be at most half of kernel size, but got pad={} and kernel_size={}",
          padding[d], kernel[d]);
  }
}

void check_count(const Operation& op, IntArrayRef sizes, const std::vector<int64_t>& counts) {
  if (std::all_of(counts.begin(), counts.end(), [](int64_t count) { return count > 0; })) return;
  op.fail<ShapeError>("Given input size: {}. Calculated output size: {}. Output size is too small",
                      to_string(sizes), to_string(counts));
}

}  // namespace notape
