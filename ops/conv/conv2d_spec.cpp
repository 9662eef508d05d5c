#include "ops/conv/conv2d_spec.h"

namespace notape {

Conv2dProblem draw_conv2d_problem(Draw& draw) {
  const int64_t groups = draw.integer(1, 2);
  const Pair stride(draw.integer(1, 2), draw.integer(1, 2));
  const Pair padding(draw.integer(0, 2), draw.integer(0, 1));
  const Pair dilation(draw.integer(1, 2), draw.integer(1, 2));
  const std::vector<int64_t> filter = {groups * draw.integer(1, 2), draw.integer(0, 2),
                                       draw.integer(1, 3), draw.integer(1, 3)};
  std::vector<int64_t> image = {draw.integer(0, 2), groups * filter[1], 0, 0};
  for (std::size_t d = 0; d < 2; ++d) {
    const int64_t reach = dilation[d] * (filter[2 + d] - 1) + 1;
    image[2 + d] = std::max<int64_t>(reach - 2 * padding[d], 1) + draw.integer(0, 3);
  }
  const Operation op("conv2d", SourceLocation::current());
  return conv2d_problem(op, image, filter, stride, padding, dilation, groups);
}

std::string conv2d_label(const Conv2dProblem& p) {
  return format_message("stride={}x{}, padding={}x{}, dilation={}x{}, groups={}",
                        {p.stride[0], p.stride[1], p.padding[0], p.padding[1], p.dilation[0],
                         p.dilation[1], p.groups});
}

}  // namespace notape
