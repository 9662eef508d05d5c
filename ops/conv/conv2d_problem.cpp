// Which convolutions exist: every check of shapes and parameters, and the size of the response.
#include <limits>

#include "ops/conv/conv2d.h"
#include "ops/core/sizes.h"

namespace notape {
namespace {

bool all_at_least(const Pair& pair, int64_t bound) { return pair[0] >= bound && pair[1] >= bound; }

void check_conv2d_problem_parameters(const Operation& op, const Conv2dProblem& p) {
  if (!all_at_least(p.stride, 1)) op.fail<ValueError>("non-positive stride is not supported");
  if (!all_at_least(p.padding, 0)) op.fail<ValueError>("negative padding is not supported");
  if (!all_at_least(p.dilation, 1))
    op.fail<ValueError>("dilation should be greater than zero, but got {}",
                        to_string(IntArrayRef(p.dilation.data(), 2)));
  for (const int64_t one :
       {p.stride[0], p.stride[1], p.padding[0], p.padding[1], p.dilation[0], p.dilation[1]})
    if (one > std::numeric_limits<int32_t>::max())  // sums and products of them stay in 64 bits
      op.fail<ValueError>("stride, padding and dilation may be at most 2147483647, not {}", one);
  if (p.groups < 1) op.fail<ValueError>("non-positive groups is not supported");
}

}  // namespace

void check_sizes(const Operation& op, const Tensor& operand, const std::array<int64_t, 4>& sizes) {
  const IntArrayRef wanted(sizes.data(), sizes.size());
  if (!operand.defined()) op.fail<UndefinedTensor>("an operand is undefined");
  if (!(operand.sizes() == wanted))
    op.fail<ShapeError>("expected an operand of shape {}, but got {}", to_string(wanted),
                        to_string(operand.sizes()));
}

Conv2dProblem conv2d_problem(const Operation& op, IntArrayRef image, IntArrayRef filter,
                             Pair stride, Pair padding, Pair dilation, int64_t groups) {
  Conv2dProblem p{.image = {},
                  .filter = {},
                  .response = {},
                  .stride = stride,
                  .padding = padding,
                  .dilation = dilation,
                  .groups = groups};
  check_conv2d_problem_parameters(op, p);
  if (filter.size() != 4)
    op.fail<ShapeError>("expected 4D weight, but got weight of size {}", to_string(filter));
  if (filter[0] == 0 || filter[0] % groups != 0)
    op.fail<ShapeError>(
        "Given groups={}, expected weight to be {} {} at dimension 0, but got weight of size {} "
        "instead",
        groups, filter[0] == 0 ? "at least" : "divisible by", filter[0] == 0 ? 1 : groups,
        to_string(filter));
  if (image[1] != filter[1] * groups)
    op.fail<ShapeError>(
        "Given groups={}, weight of size {}, expected input{} to have {} channels, but got {} "
        "channels instead",
        groups, to_string(filter), to_string(image), filter[1] * groups, image[1]);
  std::copy(image.begin(), image.end(), p.image.begin());
  std::copy(filter.begin(), filter.end(), p.filter.begin());
  if (filter[2] < 1 || filter[3] < 1)
    op.fail<ShapeError>("kernel size should be greater than zero, but got weight of size {}",
                        to_string(filter));
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();  // as of stride and padding
  for (const int64_t size : {image[2], image[3], filter[2], filter[3]})
    if (size < 0 || size > kMost)
      op.fail<ShapeError>("sizes of images and kernels are from 0 to 2147483647, not {}", size);
  p.response = {image[0], filter[0], 0, 0};
  int64_t room[2], reach[2];
  for (std::size_t d = 0; d < 2; ++d) {
    room[d] = image[2 + d] + 2 * padding[d];
    reach[d] = dilation[d] * (filter[2 + d] - 1) + 1;
    p.response[2 + d] = (room[d] - reach[d]) / stride[d] + 1;
  }
  if (reach[0] > room[0] || reach[1] > room[1])
    op.fail<ShapeError>(
        "Calculated padded input size per channel: ({} x {}). Kernel size: ({} x {}). Kernel size "
        "can't be greater than actual input size",
        room[0], room[1], reach[0], reach[1]);
  size_product(op, {filter[1], filter[2], filter[3]});  // as window() and positions() multiply
  size_product(op, {p.response[2], p.response[3]});
  return p;
}

}  // namespace notape
