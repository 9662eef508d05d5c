// adaptive_avg_pool1d(x), adaptive_avg_pool2d(x), adaptive_avg_pool3d(x): the mean of each of so
// many windows of each row, plane or volume, dimension by dimension.
#include <span>

#include "ops/pooling.h"
#include "ops/pooling/windows.h"
#include "ops/reduce/reduction.h"
#include "ops/resample/plain_resample.h"
#include "ops/resample/resample.h"

namespace notape {
namespace {

Tensor adaptive_avg_pool(const Operation& op, const char* node, const Tensor& self,
                         std::span<const int64_t> output_size) {
  check_output_size(op, output_size);
  check_image(op, self, output_size.size(), true);
  require_floating(op, self);
  std::vector<LinearMap> maps;
  for (std::size_t d = 0; d < output_size.size(); ++d) {
    SparseRows matrix;
    matrix.columns = self.sizes()[self.sizes().size() - output_size.size() + d];
    for (int64_t i = 0; i < output_size[d]; ++i) {
      const AdaptiveWindow window(i, matrix.columns, output_size[d]);
      for (int64_t k = window.begin; k < window.end; ++k)
        matrix.add(k, 1 / static_cast<double>(window.end - window.begin));
      matrix.end_row();
    }
    maps.push_back(LinearMap(std::move(matrix)));
  }
  return resample(op, node, self, std::move(maps));
}

using AdaptiveCall = Tensor (*)(const Tensor& self, const std::vector<int64_t>& sizes);
OpCase adaptive_avg_pool_case(Draw& draw, std::size_t dims, AdaptiveCall call) {
  std::vector<int64_t> spatial, counts;
  for (std::size_t d = 0; d < dims; ++d) {
    spatial.push_back(draw.integer(1, dims > 2 ? 4 : 6));
    counts.push_back(draw.integer(0, dims > 2 ? 3 : 5));
  }
  OpCase one;
  one.label = format_message("output_size={}", {to_string(counts)});
  one.arguments = {{.sizes = draw_image(draw, spatial, 0)}};
  for (std::size_t d = 0; d < dims; ++d)
    if (counts[d] > 0) one.averaged *= (spatial[d] + counts[d] - 1) / counts[d];
  one.call = [=](const variable_list& x) { return call(x[0], counts); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    return plain_resample(x[0], counts, [&](std::size_t d, int64_t i) {
      std::vector<PlainTerm> terms;
      // Those that lie in the i-th part, if only partly.
      for (int64_t k = 0; k < spatial[d]; ++k)
        if ((k + 1) * counts[d] > i * spatial[d] && k * counts[d] < (i + 1) * spatial[d])
          terms.push_back({k, 1});
      for (PlainTerm& term : terms) term.weight = 1 / static_cast<double>(terms.size());
      return terms;
    });
  };
  return one;
}

OpCase draw_adaptive_avg_pool1d(Draw& draw) {
  return adaptive_avg_pool_case(draw, 1, [](const Tensor& x, const std::vector<int64_t>& sizes) {
    return adaptive_avg_pool1d(x, sizes[0]);
  });
}

const RegisterOp adaptive_avg_pool1d_row(op_row("adaptive_avg_pool1d", "pooling",
                                                draw_adaptive_avg_pool1d,
                                                Trait::Accumulates | Trait::Averages));

OpCase draw_adaptive_avg_pool2d(Draw& draw) {
  return adaptive_avg_pool_case(draw, 2, [](const Tensor& x, const std::vector<int64_t>& sizes) {
    return adaptive_avg_pool2d(x, Pair(sizes[0], sizes[1]));
  });
}

const RegisterOp adaptive_avg_pool2d_row(op_row("adaptive_avg_pool2d", "pooling",
                                                draw_adaptive_avg_pool2d,
                                                Trait::Accumulates | Trait::Averages));

OpCase draw_adaptive_avg_pool3d(Draw& draw) {
  return adaptive_avg_pool_case(draw, 3, [](const Tensor& x, const std::vector<int64_t>& sizes) {
    return adaptive_avg_pool3d(x, Triple(sizes[0], sizes[1], sizes[2]));
  });
}

const RegisterOp adaptive_avg_pool3d_row(op_row("adaptive_avg_pool3d", "pooling",
                                                draw_adaptive_avg_pool3d,
                                                Trait::Accumulates | Trait::Averages));

}  // namespace

Tensor adaptive_avg_pool1d(const Tensor& self, Integer output_size, At at) {
  const int64_t sizes[] = {output_size};
  return adaptive_avg_pool({"adaptive_avg_pool1d", at}, "AdaptiveAvgPool1DBackward0", self, sizes);
}

Tensor adaptive_avg_pool2d(const Tensor& self, Pair output_size, At at) {
  return adaptive_avg_pool({"adaptive_avg_pool2d", at}, "AdaptiveAvgPool2DBackward0", self,
                           output_size);
}

Tensor adaptive_avg_pool3d(const Tensor& self, Triple output_size, At at) {
  return adaptive_avg_pool({"adaptive_avg_pool3d", at}, "AdaptiveAvgPool3DBackward0", self,
                           output_size);
}

}  // namespace notape
