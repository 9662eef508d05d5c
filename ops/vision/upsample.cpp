#include "ops/vision/upsample.h"

#include <algorithm>
#include <cmath>

#include "ops/core/autocast.h"
#include "ops/core/promotion.h"
#include "ops/reduce/reduction.h"

namespace notape {
namespace {

/// The whole number, or an end of the range: the low one for NaN.
int64_t within(double number, int64_t low, int64_t high) {
  if (number >= static_cast<double>(high)) return high;
  return number > static_cast<double>(low) ? static_cast<int64_t>(number) : low;
}

}  // namespace

SparseRows nearest(const Resize& how) {
  SparseRows matrix;
  matrix.columns = how.from;
  for (int64_t i = 0; i < how.to; ++i) {
    const int64_t at = how.scale && *how.scale > 0
                           ? within(static_cast<double>(i) * how.step(), 0, how.from - 1)
                           : i * how.from / how.to;
    matrix.add(std::min(at, how.from - 1), 1);
    matrix.end_row();
  }
  return matrix;
}

SparseRows linear(const Resize& how) {
  SparseRows matrix;
  matrix.columns = how.from;
  for (int64_t i = 0; i < how.to; ++i) {
    const double centre = std::max(how.centre(i), 0.0);
    const int64_t first = within(centre, 0, how.from - 1);
    const double share = std::min(centre - static_cast<double>(first), 1.0);
    if (first + 1 >= how.from) {
      matrix.add(first, 1);
    } else {
      matrix.add(first, 1 - share);
      matrix.add(first + 1, share);
    }
    matrix.end_row();
  }
  return matrix;
}

SparseRows cubic(const Resize& how) {
  constexpr double a = -0.75;
  // Of places at a distance t below 1 and 1 + t, in forms in which nothing cancels.
  const auto near = [](double t) { return 1 - t * t * ((a + 3) - (a + 2) * t); };
  const auto far = [](double t) { return a * t * (1 - t) * (1 - t); };
  SparseRows matrix;
  matrix.columns = how.from;
  for (int64_t i = 0; i < how.to; ++i) {
    const double centre = how.centre(i), floor = std::floor(centre), t = centre - floor;
    const double weights[] = {far(t), near(t), near(1 - t), far(1 - t)};
    for (int64_t k = 0; k < 4; ++k)
      matrix.add(within(floor - 1 + static_cast<double>(k), 0, how.from - 1), weights[k]);
    matrix.end_row();
  }
  return matrix;
}

Tensor upsample(const Operation& op, const char* node, const Tensor& self,
                const std::vector<int64_t>& sizes, const std::vector<std::optional<double>>& scales,
                bool align_corners, ResizeMap map) {
  if (in_autocast(self)) [[unlikely]]
    return autocast_to_float32(
        op.at,
        [&](auto... x) { return upsample(op, node, x..., sizes, scales, align_corners, map); },
        self);
  check_operand(op, self);
  const std::size_t rank = self.sizes().size(), dims = sizes.size();
  if (rank != dims + 2)
    op.fail<ShapeError>("It is expected input_size equals to {}, but got size {}", dims + 2, rank);
  const IntArrayRef spatial(self.sizes().data() + 2, dims);
  const auto is_positive = [](int64_t size) { return size > 0; };
  if (!std::all_of(sizes.begin(), sizes.end(), is_positive) ||
      !std::all_of(spatial.begin(), spatial.end(), is_positive))
    op.fail<ShapeError>(
        "Input and output sizes should be greater than 0, but got input {} output {}",
        to_string(spatial), to_string(sizes));
  constexpr int64_t kMost = 1 << 28;
  if (std::any_of(sizes.begin(), sizes.end(), [](int64_t size) { return size > kMost; }))
    op.fail<OutOfMemory>("an output of sizes {} has too many entries", to_string(sizes));
  if (self.size(1) == 0)
    op.fail<ShapeError>("Non-empty {}D data tensor expected but got a tensor with sizes {}",
                        dims + 2, to_string(self.sizes()));
  if (map != nearest) require_floating(op, self);
  std::vector<LinearMap> maps;
  for (std::size_t d = 0; d < dims; ++d)
    maps.push_back(LinearMap(map({spatial[d], sizes[d], align_corners, scales[d]})));
  return resample(op, node, self, std::move(maps),
                  map == cubic ? Weights::Mixed : Weights::OfOneSign);
}

std::vector<PlainTerm> plain_nearest(const Resize& how, int64_t i) {
  int64_t at = 0;
  while (at + 1 < how.from &&
         static_cast<double>(at + 1) <= static_cast<double>(i) * how.step() + 1e-9)
    ++at;
  return {{at, 1}};
}

std::vector<PlainTerm> plain_linear(const Resize& how, int64_t i) {
  // A hat around each entry, and beyond the ends the whole weight for the first or last.
  const double at = std::clamp(how.centre(i), 0.0, static_cast<double>(how.from - 1));
  std::vector<PlainTerm> terms;
  for (int64_t k = 0; k < how.from; ++k)
    if (const double away = std::abs(at - static_cast<double>(k)); away < 1)
      terms.push_back({k, 1 - away});
  return terms;
}

std::vector<PlainTerm> plain_cubic(const Resize& how, int64_t i) {
  const double at = how.centre(i);
  std::vector<PlainTerm> terms;
  const auto near = static_cast<int64_t>(at);
  for (int64_t k = near - 3; k <= near + 3; ++k) {
    const double x = std::abs(at - static_cast<double>(k));
    const double weight = x < 1   ? 1.25 * x * x * x - 2.25 * x * x + 1
                          : x < 2 ? -0.75 * (x - 1) * (x - 2) * (x - 2)
                                  : 0;
    if (weight != 0) terms.push_back({std::clamp<int64_t>(k, 0, how.from - 1), weight});
  }
  return terms;
}

OpCase upsample_case(Draw& draw, std::size_t dims, bool may_align, const UpsampleCall& call,
                     PlainWeights weights) {
  std::vector<Resize> how;
  std::vector<int64_t> sizes = {draw.integer(0, 2), draw.integer(1, 2)}, to;
  const bool align = may_align && draw.boolean(), scaled = draw.integer(0, 2) == 2;
  OpCase one;
  one.label = align ? "align_corners" : "";
  for (std::size_t d = 0; d < dims; ++d) {
    how.push_back({draw.integer(1, 4), draw.integer(1, 7), align});
    if (scaled) how[d].scale = draw.real(0.5, 2.5);
    sizes.push_back(how[d].from);
    to.push_back(how[d].to);
    one.label += format_message("{}size={}, scale={}", {one.label.empty() ? "" : ", ", how[d].to,
                                                        how[d].scale.value_or(0)});
  }
  one.arguments = {{.sizes = sizes}};
  one.call = [=](const variable_list& x) { return call(x[0], how); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    return plain_resample(x[0], to, [&](std::size_t d, int64_t i) { return weights(how[d], i); });
  };
  return one;
}

}  // namespace notape
