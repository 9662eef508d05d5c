#include "ops/spec/plain.h"
#include "ops/vision/grid_sampler.h"

namespace notape {
namespace {

/// x between -1 and 1 in pixels.
template <typename T>
T plain_pixels(const T& x, int64_t size, bool align_corners) {
  if (align_corners) return (x + T(1)) * T(size - 1) / T(2);
  return ((x + T(1)) * T(size) - T(1)) / T(2);
}

/// Walks back inside, fold by fold.
template <typename T>
T plain_fold(T place, int64_t size, const GridSampling& how) {
  const T low = how.align_corners ? T(0) : T(-0.5);
  const T high = T(size - 1) - low;
  if (how.padding == GridPadding::Reflection) {
    if (how.align_corners && size == 1) return T(0);
    while (place < low || place > high)
      place = place < low ? low + low - place : high + high - place;
  }
  if (how.padding == GridPadding::Zeros) return place;
  return place < T(0) ? T(0) : place > T(size - 1) ? T(size - 1) : place;
}

template <typename T>
T plain_cubic_weight(T distance) {
  const T d = distance < T(0) ? -distance : distance, a = T(-0.75);
  if (d >= T(2)) return T(0);
  return d < T(1) ? (a + T(2)) * d * d * d - (a + T(3)) * d * d + T(1)
                  : a * d * d * d - T(5) * a * d * d + T(8) * a * d - T(4) * a;
}

template <typename T>
using PlainTaps = std::vector<std::pair<int64_t, T>>;

/// The pixels that are read, and their weights; a half is rounded to an even pixel.
template <typename T>
PlainTaps<T> plain_taps(const T& x, int64_t size, const GridSampling& how) {
  PlainTaps<T> taps;
  const bool cubic = how.mode == GridMode::Bicubic;
  const T exact = plain_pixels(x, size, how.align_corners);
  const T place = cubic ? exact : plain_fold(exact, size, how);
  const auto first = static_cast<int64_t>(place + T(64)) - 64;
  for (int64_t tap = first - 1; tap <= first + 2; ++tap) {
    const T from = place - T(tap), distance = from < T(0) ? -from : from;
    if (how.mode == GridMode::Nearest) {
      const bool is_nearest = distance < T(0.5) || (distance <= T(0.5) && tap % 2 == 0);
      if (is_nearest && tap >= 0 && tap < size) taps.emplace_back(tap, T(1));
      continue;
    }
    if (!cubic && (tap < first || tap > first + 1)) continue;
    const T target = cubic ? plain_fold(T(tap), size, how) : T(tap);
    const auto at = static_cast<int64_t>(target + T(64.5)) - 64;
    if (at >= 0 && at < size)
      taps.emplace_back(at, cubic ? plain_cubic_weight(distance) : T(1) - distance);
  }
  return taps;
}

/// A place in pixels, a little or far outside, too, never near a pixel's centre or edge.
double draw_place(Draw& draw, int64_t size, bool align_corners) {
  const double halves = static_cast<double>(draw.integer(-5, 2 * size + 5)) / 2;
  const double place = halves + 0.05 + draw.real(0, 0.4);
  if (!align_corners) return (2 * place + 1) / static_cast<double>(size) - 1;
  return size == 1 ? draw.real(-2, 2) : 2 * place / static_cast<double>(size - 1) - 1;
}

}  // namespace

OpCase draw_grid_sampling(Draw& draw) {
  const GridSampling how{static_cast<GridMode>(draw.integer(0, 2)),
                         static_cast<GridPadding>(draw.integer(0, 2)), draw.boolean()};
  const std::vector<int64_t> sizes = {draw.integer(0, 2), draw.integer(0, 2), draw.integer(1, 4),
                                      draw.integer(1, 4)};
  const std::vector<int64_t> grid = {sizes[0], draw.integer(0, 2), draw.integer(1, 3), 2};
  std::vector<double> places;
  for (int64_t i = 0; i < sizes[0] * grid[1] * grid[2]; ++i)
    for (const int64_t size : {sizes[3], sizes[2]})
      places.push_back(draw_place(draw, size, how.align_corners));
  OpCase one;
  one.label = format_message("mode={}, padding={}, align_corners={}, grid {}",
                             {static_cast<int>(how.mode), static_cast<int>(how.padding),
                              how.align_corners, to_string(grid)});
  one.arguments = {{.sizes = sizes}, {.sizes = grid}};
  one.arguments[1].fixed = places;
  one.call = [=](const variable_list& x) {
    return grid_sampler_2d(x[0], x[1], static_cast<int64_t>(how.mode),
                           static_cast<int64_t>(how.padding), how.align_corners);
  };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    const int64_t height = sizes[2], width = sizes[3], targets = grid[1] * grid[2];
    PlainTensor<T> result({sizes[0], sizes[1], grid[1], grid[2]});
    for (int64_t o = 0; o < result.numel(); ++o) {
      const int64_t image = o / targets / sizes[1];
      const auto place = static_cast<std::size_t>((image * targets + o % targets) * 2);
      const PlainTaps<T> across = plain_taps(x[1].values[place], width, how);
      const PlainTaps<T> down = plain_taps(x[1].values[place + 1], height, how);
      T& target = result.values[static_cast<std::size_t>(o)];
      for (const auto& [i, of_row] : down)
        for (const auto& [j, of_column] : across) {
          const auto from = static_cast<std::size_t>((o / targets * height + i) * width + j);
          target = target + of_row * of_column * x[0].values[from];
        }
    }
    return result;
  };
  return one;
}

}  // namespace notape
