#include "ops/cpu/correlation.h"

#include <algorithm>

#include "ops/core/allocate.h"

namespace notape::correlation {
namespace {

/// Rounded up, for any sign of `a`.
int64_t divide_up(int64_t a, int64_t b) { return a > 0 ? (a + b - 1) / b : -(-a / b); }
int64_t divide_down(int64_t a, int64_t b) { return -divide_up(-a, b); }

/// How far the last tap lies from the first, in steps of the stride.
int64_t reach(const Conv2dProblem& p, std::size_t axis) {
  return (p.filter[2 + axis] - 1) * p.dilation[axis] / p.stride[axis];
}

}  // namespace

Tensor Source::cleared() const {
  Tensor memory = allocate(IntArrayRef(elements()), kFloat32, kCPU);
  std::fill_n(memory.impl().data_as<float>(), elements(), 0.0f);
  return memory;
}

void Source::place(float* to, const float* image, int64_t first, int64_t last) const {
  for (int64_t c = first; c < last; ++c)
    for (int64_t a = 0; a < stride[0]; ++a)
      for (int64_t b = 0; b < stride[1]; ++b) {
        const int64_t begin = std::clamp<int64_t>(divide_up(left - b, stride[1]), 0, pitch);
        const int64_t end = std::clamp(divide_up(width + left - b, stride[1]), begin, pitch);
        const int64_t top_row = std::clamp<int64_t>(divide_up(top - a, stride[0]), 0, rows);
        const int64_t end_row = std::clamp(divide_up(height + top - a, stride[0]), top_row, rows);
        float* line = to + c * channel() + (a * stride[1] + b) * plane() + top_row * pitch + begin;
        const float* from = image + (c * height + top_row * stride[0] + a - top) * width +
                            begin * stride[1] + b - left;
        for (int64_t i = top_row; i < end_row; ++i, line += pitch, from += stride[0] * width)
          if (stride[1] == 1)
            copy_line(line, from, end - begin);
          else
            for (int64_t j = 0; j < end - begin; ++j) line[j] = from[j * stride[1]];
      }
}

bool takes(const Conv2dProblem& p) {
  double around = 1;
  for (std::size_t axis : {0, 1}) {
    if (p.stride[axis] > 4 || p.response[2 + axis] < 1 || p.image[2 + axis] < 1) return false;
    const auto taps = static_cast<double>(p.filter[2 + axis]);
    const double span = (taps - 1) * static_cast<double>(p.dilation[axis]) +
                        static_cast<double>(p.stride[axis] * p.response[2 + axis]) +
                        static_cast<double>(p.image[2 + axis]);
    around *= span;
  }
  const auto area = static_cast<double>(p.image[2] * p.image[3] + p.positions());
  return around <= 8 * area + 4096 && p.window() > 0 && p.filter[0] > 0 && p.image[0] > 0;
}

bool is_worthwhile(const Correlation& p) {
  return !fill_lanes(p.results) ||
         std::any_of(p.phases.begin(), p.phases.end(),
                     [](const Phase& phase) { return phase.columns >= 4; });
}

bool Phase::has_threes() const {
  const std::size_t terms = offsets.size();
  for (std::size_t k = 0; k + 2 < terms; k += 3)
    if (offsets[k + 1] != offsets[k] + 1 || offsets[k + 2] != offsets[k] + 2) return false;
  return terms % 3 == 0;
}

Correlation forward(const Conv2dProblem& p) {
  const Source source{.channels = p.filter[1],
                      .height = p.image[2],
                      .width = p.image[3],
                      .stride = p.stride,
                      .top = p.padding[0],
                      .left = p.padding[1],
                      .rows = p.response[2] + reach(p, 0),
                      .pitch = p.response[3] + reach(p, 1)};
  Phase phase{.offsets = {},
              .weights = {},
              .rows = p.response[2],
              .columns = p.response[3],
              .start = 0,
              .row_step = p.response[3],
              .column_step = 1};
  for (int64_t c = 0; c < p.filter[1]; ++c)
    for (int64_t k = 0; k < p.filter[2]; ++k)
      for (int64_t l = 0; l < p.filter[3]; ++l) {
        const int64_t y = k * p.dilation[0], x = l * p.dilation[1];
        const int64_t part = y % p.stride[0] * p.stride[1] + x % p.stride[1];
        phase.weights.push_back(static_cast<int64_t>(phase.offsets.size()));
        phase.offsets.push_back(c * source.channel() + part * source.plane() +
                                y / p.stride[0] * source.pitch + x / p.stride[1]);
      }
  const int64_t results = p.filter[0] / p.groups;
  return {.source = source,
          .phases = {std::move(phase)},
          .images = p.image[0],
          .groups = p.groups,
          .results = results,
          .plane = p.positions(),
          .weight_step = p.window(),
          .weights = results * p.window()};
}

namespace {

/// Rows (or columns) h of an image with h + padding = stride i + remainder, i in [begin, end).
struct Every {
  int64_t begin, end;
};
Every every(const Conv2dProblem& p, std::size_t axis, int64_t remainder) {
  const int64_t begin = divide_up(p.padding[axis] - remainder, p.stride[axis]);
  const int64_t last = p.image[2 + axis] - 1 + p.padding[axis] - remainder;
  return {begin, std::max(begin, divide_down(last, p.stride[axis]) + 1)};
}

/// The lowest i of any remainder, and the end of all.
Every every(const Conv2dProblem& p, std::size_t axis) {
  return {every(p, axis, p.stride[axis] - 1).begin, every(p, axis, 0).end};
}

Phase phase_of_image(const Conv2dProblem& p, const Source& source, const Pair& remainder) {
  const Every rows = every(p, 0, remainder[0]), columns = every(p, 1, remainder[1]);
  Phase phase{.offsets = {},
              .weights = {},
              .rows = rows.end - rows.begin,
              .columns = columns.end - columns.begin,
              .start = (rows.begin * p.stride[0] + remainder[0] - p.padding[0]) * p.image[3] +
                       columns.begin * p.stride[1] + remainder[1] - p.padding[1],
              .row_step = p.stride[0] * p.image[3],
              .column_step = p.stride[1]};
  // Where position 0 of the response stands in the source, from the phase's first place.
  const int64_t row = rows.begin + source.top, column = columns.begin + source.left;
  for (int64_t o = 0; o < source.channels; ++o)
    for (int64_t k = p.filter[2]; k-- > 0;)
      for (int64_t l = p.filter[3]; l-- > 0;) {  // so that the offsets ascend
        const int64_t y = k * p.dilation[0], x = l * p.dilation[1];
        if (y % p.stride[0] != remainder[0] || x % p.stride[1] != remainder[1]) continue;
        phase.weights.push_back(o * p.window() + k * p.filter[3] + l);
        phase.offsets.push_back(o * source.plane() + (row - y / p.stride[0]) * source.pitch +
                                column - x / p.stride[1]);
      }
  return phase;
}

}  // namespace

Correlation backward_input(const Conv2dProblem& p) {
  const Every rows = every(p, 0), columns = every(p, 1);
  const Source source{.channels = p.filter[0] / p.groups,
                      .height = p.response[2],
                      .width = p.response[3],
                      .top = reach(p, 0) - rows.begin,
                      .left = reach(p, 1) - columns.begin,
                      .rows = rows.end - rows.begin + reach(p, 0),
                      .pitch = columns.end - columns.begin + reach(p, 1)};
  Correlation all{.source = source,
                  .phases = {},
                  .images = p.image[0],
                  .groups = p.groups,
                  .results = p.filter[1],
                  .plane = p.image[2] * p.image[3],
                  .weight_step = p.filter[2] * p.filter[3],
                  .weights = source.channels * p.window()};
  for (int64_t a = 0; a < p.stride[0]; ++a)
    for (int64_t b = 0; b < p.stride[1]; ++b)
      all.phases.push_back(phase_of_image(p, source, {a, b}));
  return all;
}

}  // namespace notape::correlation
