// max_pool3d(x): the largest of each window of each volume (max_windows.cpp).
#include "ops/pooling/max_windows.h"
#include "ops/pooling/windows.h"
#include "ops/spec/row.h"

namespace notape {
namespace {

struct Parameters {
  Triple kernel, stride, padding, dilation;
  bool ceil_mode;
};

WindowTables tables_of(const Operation& op, IntArrayRef sizes, const Parameters& p) {
  WindowTables tables;
  std::vector<int64_t> counts;
  for (std::size_t d = 0; d < 3; ++d) {
    WindowTable& table = tables[d];
    table.size = sizes[sizes.size() - 3 + d];
    // Of one voxel it says nothing; a step that leaves the volume by more could leave 64 bits.
    table.step = p.kernel[d] == 1 ? 1 : p.dilation[d];
    table.begin.clear();
    table.end.clear();
    counts.push_back(window_count(table.size, p.kernel[d], p.stride[d], p.padding[d], p.dilation[d],
                                  p.ceil_mode));
    for (int64_t i = 0; i < counts[d]; ++i) {
      int64_t begin = i * p.stride[d] - p.padding[d];
      const int64_t end = begin + p.dilation[d] * (p.kernel[d] - 1) + 1;
      if (begin < 0) begin += (-begin + p.dilation[d] - 1) / p.dilation[d] * p.dilation[d];
      table.begin.push_back(begin);
      table.end.push_back(std::min(end, table.size));
    }
  }
  check_count(op, sizes, counts);
  return tables;
}

std::vector<int64_t> list(const Triple& triple) { return {triple.begin(), triple.end()}; }

std::tuple<Tensor, Tensor> run(const Operation& op, const Tensor& self, const Parameters& p) {
  check_windows(op, list(p.kernel), list(p.stride), list(p.padding));
  for (int64_t dilation : p.dilation)
    if (dilation < 1)
      op.fail<ValueError>("dilation should be greater than zero, but got {}", dilation);
  check_image(op, self, 3, false);
  return max_windows(op, self, 3, tables_of(op, self.sizes(), p));
}

OpCase draw_max_pool3d(Draw& draw) {
  Parameters p{1, 1, 0, 1, draw.boolean()};
  std::vector<int64_t> spatial;
  for (std::size_t d = 0; d < 3; ++d) {
    p.kernel[d] = draw.integer(1, 3);
    p.stride[d] = draw.integer(1, 3);
    p.padding[d] = draw.integer(0, p.kernel[d] / 2);
    p.dilation[d] = draw.integer(1, 2);
    spatial.push_back(
        std::max(p.dilation[d] * (p.kernel[d] - 1) + 1 - 2 * p.padding[d], p.dilation[d]) +
        draw.integer(0, 2));
  }
  const Operation op("max_pool3d", At::current());
  return max_windows_case(
      format_message("kernel={}, stride={}, padding={}, dilation={}, ceil_mode={}",
                     {to_string(list(p.kernel)), to_string(list(p.stride)),
                      to_string(list(p.padding)), to_string(list(p.dilation)), p.ceil_mode}),
      draw_image(draw, spatial), 3, tables_of(op, spatial, p), [=](const Tensor& x) {
        return max_pool3d(x, p.kernel, p.stride, p.padding, p.dilation, p.ceil_mode);
      });
}

const RegisterOp max_pool3d_row(op_row("max_pool3d", "pooling", draw_max_pool3d,
                                       Trait::Pads | Trait::Accumulates));

}  // namespace

Tensor max_pool3d(const Tensor& self, Triple kernel_size, Optional<Triple> stride, Triple padding,
                  Triple dilation, bool ceil_mode, At at) {
  return std::get<0>(
      run({"max_pool3d", at}, self,
          {kernel_size, stride.value_or(kernel_size), padding, dilation, ceil_mode}));
}

std::tuple<Tensor, Tensor> max_pool3d_with_indices(const Tensor& self, Triple kernel_size,
                                                   Optional<Triple> stride, Triple padding,
                                                   Triple dilation, bool ceil_mode, At at) {
  return run({"max_pool3d_with_indices", at}, self,
             {kernel_size, stride.value_or(kernel_size), padding, dilation, ceil_mode});
}

}  // namespace notape
