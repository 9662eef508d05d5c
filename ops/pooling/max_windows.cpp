#include "ops/pooling/max_windows.h"

#include <limits>

#include "ops/comparison.h"
#include "ops/core/allocate.h"
#include "ops/core/composite.h"
#include "ops/core/promotion.h"
#include "ops/index.h"
#include "ops/pooling/windows.h"
#include "ops/selection.h"
#include "ops/shape.h"
#include "ops/spec/plain.h"

namespace notape {
namespace {

std::vector<int64_t> result_sizes(IntArrayRef sizes, std::size_t dims, const WindowTables& tables) {
  std::vector<int64_t> result = sizes.vec();
  for (std::size_t d = 0; d < dims; ++d)
    result[result.size() - dims + d] = tables[3 - dims + d].count();
  return result;
}

Tensor positions(const Operation& op, const Tensor& self, std::size_t dims,
                 const WindowTables& tables) {
  if (is_batched(self))
    return over_batch([&](int64_t, const Tensor& all) { return positions(op, all, dims, tables); },
                      self);
  const Tensor result = allocate(result_sizes(self.sizes(), dims, tables), kInt64, self.device());
  const Tensor x = raw_contiguous(raw_convert(self, computed_in(self.dtype())));
  max_windows_kernel(op, x.dtype(), x.device(), result, x, tables);
  return result;
}

bool any_empty(const WindowTables& tables) {
  for (const WindowTable& table : tables)
    for (std::size_t i = 0; i < table.begin.size(); ++i)
      if (table.begin[i] >= table.end[i]) return true;
  return false;
}

}  // namespace

std::tuple<Tensor, Tensor> max_windows(const Operation& op, const Tensor& self, std::size_t dims,
                                       const WindowTables& tables) {
  const At at = op.at;
  const Composite composite({&self});
  const Tensor indices = positions(op, self, dims, tables);
  const auto end = static_cast<int64_t>(self.sizes().size() - dims);
  std::vector<int64_t> lines(self.sizes().begin(), self.sizes().begin() + end), picks = lines;
  lines.push_back(tables[0].size * tables[1].size * tables[2].size);
  picks.push_back(tables[0].count() * tables[1].count() * tables[2].count());
  const bool some_empty = any_empty(tables);
  const Tensor places = some_empty ? clamp_min(indices, 0, at) : indices;
  const Tensor values = reshape(
      gather(reshape(self, lines, at), -1, reshape(places, picks, at), at), indices.sizes(), at);
  if (!some_empty) return {values, indices};
  // The largest of nothing.
  const Scalar least = visit_computed(self.dtype(), []<typename T>() -> Scalar {
    if constexpr (std::numeric_limits<T>::has_infinity)
      return -std::numeric_limits<T>::infinity();
    else
      return std::numeric_limits<T>::lowest();
  });
  return {masked_fill(values, lt(indices, 0, at), least, at), indices};
}

std::tuple<Tensor, Tensor> adaptive_max_pool(const Operation& op, const Tensor& self,
                                             const std::vector<int64_t>& output_size) {
  const std::size_t dims = output_size.size();
  check_output_size(op, output_size);
  check_image(op, self, dims, true);
  WindowTables tables;
  for (std::size_t d = 0; d < dims; ++d) {
    WindowTable& table = tables[3 - dims + d];
    table.size = self.sizes()[self.sizes().size() - dims + d];
    table.begin.clear();
    table.end.clear();
    for (int64_t i = 0; i < output_size[d]; ++i) {
      const AdaptiveWindow window(i, table.size, output_size[d]);
      table.begin.push_back(window.begin);
      table.end.push_back(window.end);
    }
  }
  return max_windows(op, self, dims, tables);
}

OpCase max_windows_case(std::string label, std::vector<int64_t> sizes, std::size_t dims,
                        const WindowTables& tables, MaximaCall call) {
  OpCase one;
  one.label = std::move(label);
  one.arguments = {{.sizes = sizes, .distinct = true}};
  one.call = [=](const variable_list& x) { return call(x[0]); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    PlainTensor<T> result(result_sizes(sizes, dims, tables));
    const auto& [depth, rows, columns] = tables;
    const int64_t windows = depth.count() * rows.count() * columns.count();
    for (int64_t o = 0; o < result.numel(); ++o) {
      const auto i = static_cast<std::size_t>(o % windows / (rows.count() * columns.count()));
      const auto j = static_cast<std::size_t>(o / columns.count() % rows.count());
      const auto k = static_cast<std::size_t>(o % columns.count());
      T best = -HUGE_VAL;
      for (int64_t d = depth.begin[i]; d < depth.end[i]; d += depth.step)
        for (int64_t h = rows.begin[j]; h < rows.end[j]; h += rows.step)
          for (int64_t w = columns.begin[k]; w < columns.end[k]; w += columns.step) {
            const int64_t at = ((o / windows * depth.size + d) * rows.size + h) * columns.size + w;
            const T& value = x[0].values[static_cast<std::size_t>(at)];
            if (value > best) best = value;
          }
      result.values[static_cast<std::size_t>(o)] = best;
    }
    return result;
  };
  return one;
}

OpCase adaptive_max_pool_case(
    Draw& draw, std::size_t dims,
    std::function<Tensor(const Tensor&, const std::vector<int64_t>&)> call) {
  WindowTables tables;
  std::vector<int64_t> spatial, counts;
  for (std::size_t d = 0; d < dims; ++d) {
    WindowTable& table = tables[3 - dims + d];
    table.size = draw.integer(1, 6);
    spatial.push_back(table.size);
    counts.push_back(draw.integer(0, 5));
    table.begin.clear();
    table.end.clear();
    for (int64_t i = 0; i < counts[d]; ++i) {
      // The entries that lie in the i-th part, if only partly.
      int64_t begin = 0, end = table.size;
      while ((begin + 1) * counts[d] <= i * table.size) ++begin;
      while ((end - 1) * counts[d] >= (i + 1) * table.size) --end;
      table.begin.push_back(begin);
      table.end.push_back(end);
    }
  }
  return max_windows_case(format_message("output_size={}", {to_string(counts)}),
                          draw_image(draw, spatial), dims, tables,
                          [=](const Tensor& x) { return call(x, counts); });
}

}  // namespace notape
