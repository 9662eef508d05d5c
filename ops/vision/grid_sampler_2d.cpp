// grid_sampler_2d(x, grid): the image at the places that grid names, by its neighbours along each
// dimension ("taps"): y[n, c, i, j] = sum over taps a, b of v_a(grid_y) w_b(grid_x) x[n, c, a, b].
// Which taps is piecewise constant, with what weights differentiable, and so is where padding
// moves a place to.
#include "autograd/tensor/factories.h"
#include "ops/arithmetic.h"
#include "ops/comparison.h"
#include "ops/core/allocate.h"
#include "ops/core/autocast.h"
#include "ops/core/composite.h"
#include "ops/core/promotion.h"
#include "ops/index.h"
#include "ops/reduce/reduction.h"
#include "ops/rounding.h"
#include "ops/selection.h"
#include "ops/shape.h"
#include "ops/spec/row.h"
#include "ops/vision.h"
#include "ops/vision/grid_sampler.h"

namespace notape {
namespace {

/// A neighbour along one dimension.
struct Tap {
  Tensor place;   // (N, H', W'), int64, 0 where it is outside
  Tensor inside;  // bool
  Tensor weight;  // undefined for 1
};

/// The value alone.
Tensor plain_value(const Tensor& x) { return raw_alias(x, x.impl().geometry()); }

/// From -1..1 to numbers of pixels.
Tensor in_pixels(const Tensor& x, int64_t size, bool align_corners, At at) {
  const Tensor shifted = add(x, 1, 1, at);
  if (align_corners) return mul(shifted, static_cast<double>(size - 1) / 2, at);
  return mul(sub(mul(shifted, size, at), 1, 1, at), 0.5, at);
}

/// Mirrored at the first and last pixel, at their centres with align_corners, else at their edges.
Tensor mirrored(const Tensor& place, int64_t size, bool align_corners, At at) {
  const double low = align_corners ? 0 : -0.5;
  const auto span = static_cast<double>(align_corners ? size - 1 : size);
  if (span == 0) return zeros_like(place);
  const Tensor distance = abs(sub(place, low, 1, at), at);
  const Tensor rest = remainder(distance, span, at);
  const Tensor turned = ge(remainder(plain_value(distance), 2 * span), span);
  return add(where(turned, rsub(rest, span, at), rest, at), low, 1, at);
}

/// Where padding finds a place; NaN at the first pixel, as in LibTorch.
Tensor padded(const Tensor& place, int64_t size, const GridSampling& how, At at) {
  if (how.padding == GridPadding::Zeros) return place;
  const Tensor folded =
      how.padding == GridPadding::Reflection ? mirrored(place, size, how.align_corners, at) : place;
  return clamp(where(eq(folded, folded), folded, 0, at), 0, size - 1, at);
}

Tap tap_at(const Tensor& place, int64_t size, const Tensor& weight) {
  const Tensor inside = logical_and(ge(place, 0), le(place, size - 1));
  return {to(where(inside, place, 0), kInt64), inside, weight};
}

/// Keys' cubic convolution with a = -3/4, at a distance below 1 and from 1 to 2.
Tensor near_weight(const Tensor& t, At at) {
  return add(mul(mul(sub(mul(t, 1.25, at), 2.25, 1, at), t, at), t, at), 1, 1, at);
}
Tensor far_weight(const Tensor& t, At at) {
  const Tensor inner = add(mul(add(mul(t, -0.75, at), 3.75, 1, at), t, at), -6, 1, at);
  return add(mul(inner, t, at), 3, 1, at);
}

/// x: (N, H', W')
std::vector<Tap> taps_of(const Tensor& x, int64_t size, const GridSampling& how, At at) {
  const Tensor exact = in_pixels(x, size, how.align_corners, at);
  if (how.mode == GridMode::Bicubic) {
    const Tensor first = floor(plain_value(exact)), t = sub(exact, first, 1, at);
    const auto tap = [&](int64_t shift, const Tensor& weight) {
      const Tensor place = first + shift;
      // A place that is not a number is not padded: its weights are none either.
      return tap_at(padded(place, size, how, at), size, weight);
    };
    return {tap(-1, far_weight(add(t, 1, 1, at), at)), tap(0, near_weight(t, at)),
            tap(1, near_weight(rsub(t, 1, at), at)), tap(2, far_weight(rsub(t, 2, at), at))};
  }
  const Tensor place = padded(exact, size, how, at);
  if (how.mode == GridMode::Nearest) return {tap_at(round(plain_value(place)), size, {})};
  const Tensor first = floor(plain_value(place)), t = sub(place, first, 1, at);
  return {tap_at(first, size, rsub(t, 1, at)), tap_at(first + 1, size, t)};
}

/// One neighbour of each place: (N, C, H', W').
Tensor neighbour(const Tensor& flat, const Tap& row, const Tap& column, int64_t width,
                 IntArrayRef result_sizes, At at) {
  const int64_t images = result_sizes[0], places = result_sizes[2] * result_sizes[3];
  const Tensor index = reshape(row.place * width + column.place, {images, 1, places});
  const Tensor all = expand(index, {images, result_sizes[1], places});
  const Tensor entries = reshape(gather(flat, 2, all, at), result_sizes, at);
  const Tensor inside = unsqueeze(logical_and(row.inside, column.inside), 1);
  return where(inside, entries, 0, at);
}

/// The sum of values[i] with the weight of taps[i]. The four weights of cubic convolution add up to
/// 1, some below 0: what all values have in common is taken out, so that where all are equal, as
/// beyond a border, the derivatives by the weights cancel exactly.
Tensor weighed(const std::vector<Tensor>& values, const std::vector<Tap>& taps, At at) {
  if (values.size() == 1) return values[0];
  const bool cubic = values.size() == 4;
  Tensor result = cubic ? values[1] : Tensor();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (cubic && i == 1) continue;
    const Tensor value = cubic ? sub(values[i], values[1], 1, at) : values[i];
    const Tensor part = mul(value, unsqueeze(taps[i].weight, 1, at), at);
    result = result.defined() ? add(result, part, 1, at) : part;
  }
  return result;
}

Tensor sampled(const Tensor& input, const Tensor& grid, const GridSampling& how, At at) {
  const int64_t height = input.size(2), width = input.size(3);
  const std::vector<int64_t> sizes = {input.size(0), input.size(1), grid.size(1), grid.size(2)};
  const std::vector<Tap> columns = taps_of(select(grid, 3, 0, at), width, how, at);
  const std::vector<Tap> rows = taps_of(select(grid, 3, 1, at), height, how, at);
  const Tensor flat = reshape(input, {sizes[0], sizes[1], height * width}, at);
  std::vector<Tensor> lines;
  for (const Tap& row : rows) {
    std::vector<Tensor> values;
    for (const Tap& column : columns)
      values.push_back(neighbour(flat, row, column, width, sizes, at));
    lines.push_back(weighed(values, columns, at));
  }
  const Tensor result = weighed(lines, rows, at);
  // What does not change with the places has gradient 0 by them, and not none.
  if (how.mode != GridMode::Nearest) return result;
  const Tensor none =
      masked_fill(grid, ones({}, TensorOptions(kBool).device(grid.device())), 0, at);
  return add(result, unsqueeze(select(none, 3, 0, at), 1, at), 1, at);
}

void check_shapes(const Operation& op, const Tensor& input, const Tensor& grid) {
  if (input.dim() != 4 || grid.dim() != 4)
    op.fail<ShapeError>("expected 4D input and grid, but got input {} and grid {}",
                        to_string(input.sizes()), to_string(grid.sizes()));
  if (input.size(0) != grid.size(0))
    op.fail<ShapeError>(
        "expected grid and input to have same batch size, but got input with sizes {} and grid "
        "with sizes {}",
        to_string(input.sizes()), to_string(grid.sizes()));
  if (grid.size(3) != 2)
    op.fail<ShapeError>(
        "expected grid to have size 2 in last dimension, but got grid with sizes {}",
        to_string(grid.sizes()));
  if (input.size(2) == 0 || input.size(3) == 0)
    op.fail<ShapeError>(
        "expected input to have non-empty spatial dimensions, but input has sizes {}",
        to_string(input.sizes()));
}

const RegisterOp grid_sampler_2d_row(op_row("grid_sampler_2d", "vision", draw_grid_sampling,
                                            Trait::Accumulates));

}  // namespace

Tensor grid_sampler_2d(const Tensor& input, const Tensor& grid, Integer interpolation_mode,
                       Integer padding_mode, bool align_corners, At at) {
  if (in_autocast(input)) [[unlikely]]
    return autocast_to_widest(
        at,
        [&](auto... x) {
          return grid_sampler_2d(x..., interpolation_mode, padding_mode, align_corners, at);
        },
        input, grid);
  const Operation op("grid_sampler_2d", at);
  check_operands(op, {&input, &grid});
  require_floating(op, input);
  check_same_type(op, input, grid);
  check_shapes(op, input, grid);
  if (interpolation_mode < 0 || interpolation_mode > 2)
    op.fail<ValueError>("interpolation_mode must be 0, 1 or 2, but is {}", interpolation_mode);
  if (padding_mode < 0 || padding_mode > 2)
    op.fail<ValueError>("padding_mode must be 0, 1 or 2, but is {}", padding_mode);
  const GridSampling how{static_cast<GridMode>(int64_t{interpolation_mode}),
                         static_cast<GridPadding>(int64_t{padding_mode}), align_corners};
  const Composite composite({&input, &grid});
  const ScalarType type = computed_in(input.dtype());
  return to(sampled(to(input, type, at), to(grid, type, at), how, at), input.dtype(), at);
}

Tensor grid_sample(const Tensor& input, const Tensor& grid, std::string_view mode,
                   std::string_view padding_mode, bool align_corners, At at) {
  const Operation op("grid_sample", at);
  const auto number = [&](const char* what, std::string_view name,
                          const std::array<std::string_view, 3>& names) -> int64_t {
    for (std::size_t i = 0; i < names.size(); ++i)
      if (name == names[i]) return static_cast<int64_t>(i);
    op.fail<ValueError>("expected {} to be '{}', '{}' or '{}', but got: '{}'", what, names[0],
                        names[1], names[2], name);
  };
  const int64_t how = number("mode", mode, {"bilinear", "nearest", "bicubic"});
  const int64_t outside = number("padding_mode", padding_mode, {"zeros", "border", "reflection"});
  return grid_sampler_2d(input, grid, how, outside, align_corners, at);
}

}  // namespace notape
