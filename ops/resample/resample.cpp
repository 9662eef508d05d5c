#include "ops/resample/resample.h"

#include <algorithm>

#include "autograd/graph/record.h"
#include "ops/core/allocate.h"
#include "ops/core/promotion.h"

namespace notape {

void SparseRows::add(int64_t column, double weight) {
  if (weight == 0) return;
  for (auto i = static_cast<std::size_t>(starts.back()); i < sources.size(); ++i)
    if (sources[i] == column) {
      weights[i] += weight;
      return;
    }
  sources.push_back(column);
  weights.push_back(weight);
}

void SparseRows::end_row() { starts.push_back(static_cast<int64_t>(sources.size())); }

SparseRows SparseRows::transposed() const {
  SparseRows result;
  result.columns = rows();
  result.starts.assign(static_cast<std::size_t>(columns) + 1, 0);
  for (int64_t source : sources) ++result.starts[static_cast<std::size_t>(source) + 1];
  for (std::size_t c = 1; c < result.starts.size(); ++c) result.starts[c] += result.starts[c - 1];
  result.sources.resize(sources.size());
  result.weights.resize(weights.size());
  std::vector<int64_t> next = result.starts;
  for (std::size_t row = 0; row + 1 < starts.size(); ++row)
    for (auto i = static_cast<std::size_t>(starts[row]);
         i < static_cast<std::size_t>(starts[row + 1]); ++i) {
      const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(sources[i])]++);
      result.sources[at] = static_cast<int64_t>(row);
      result.weights[at] = weights[i];
    }
  return result;
}

LinearMap::LinearMap(SparseRows matrix)
    : rows(std::make_shared<const SparseRows>(std::move(matrix))),
      transposed(std::make_shared<const SparseRows>(rows->transposed())) {}

LinearMap picking(const std::vector<int64_t>& sources, int64_t columns) {
  SparseRows matrix;
  matrix.columns = columns;
  for (int64_t source : sources) {
    matrix.add(source, 1);
    matrix.end_row();
  }
  return LinearMap(std::move(matrix));
}

namespace {

struct Resample {
  std::shared_ptr<const std::vector<LinearMap>> maps;

  Resample back() const {
    auto transposed = std::make_shared<std::vector<LinearMap>>();
    for (const LinearMap& map : *maps) transposed->push_back(map.back());
    return {std::move(transposed)};
  }
};

Tensor resample(const Tensor& x, const Resample& p, bool moves);

constexpr auto kMoving = derivative(
    "",
    selection([](const Tensor& grad, const Resample& p) { return resample(grad, p.back(), true); },
              [](const Tensor& tangent, const Resample& p) { return resample(tangent, p, true); }));
constexpr auto kMixing = derivative(
    "", rule([](const Tensor& grad, const Resample& p) { return resample(grad, p.back(), false); },
             [](const Tensor& tangent, const Resample& p) { return resample(tangent, p, false); }));

/// One dimension after the other, first those that leave the least; of equal ones first the last,
/// along which neighbours cannot be computed together.
Tensor run(const Operation& op, const Tensor& x, const std::vector<LinearMap>& maps) {
  if (is_batched(x))
    return over_batch([&](int64_t, const Tensor& all) { return run(op, all, maps); }, x);
  std::vector<std::size_t> order(maps.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = order.size() - 1 - i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return maps[a].rows->rows() * maps[b].rows->columns <
           maps[b].rows->rows() * maps[a].rows->columns;
  });
  Tensor value = raw_contiguous(raw_convert(x, computed_in(x.dtype())));
  std::vector<int64_t> sizes = x.sizes().vec();
  for (std::size_t i : order) {
    const std::size_t dim = sizes.size() - maps.size() + i;
    sizes[dim] = maps[i].rows->rows();
    int64_t inner = 1;
    for (std::size_t d = dim + 1; d < sizes.size(); ++d) inner *= sizes[d];
    const Tensor next = allocate(sizes, value.dtype(), value.device());
    resample_kernel(op, value.dtype(), value.device(), next, value, *maps[i].rows, inner);
    value = next;
  }
  return raw_convert(value, x.dtype());
}

Tensor recorded(const Operation& op, const char* node, const Tensor& x, const Resample& p,
                bool moves) {
  const auto named = [node](auto derivative) {
    derivative.name = node;
    return derivative;
  };
  Tensor result = run(op, x, *p.maps);
  return moves ? record(named(kMoving), op, std::move(result), p, x)
               : record(named(kMixing), op, std::move(result), p, x);
}

Tensor resample(const Tensor& x, const Resample& p, bool moves) {
  return recorded(Operation("resample", At::current()), "ResampleBackward0", x, p, moves);
}

}  // namespace

Tensor resample(const Operation& op, const char* node, const Tensor& x, std::vector<LinearMap> maps,
                Weights weights) {
  return recorded(op, node, x, {std::make_shared<const std::vector<LinearMap>>(std::move(maps))},
                  weights == Weights::OfOneSign);
}

}  // namespace notape
