// The gradient of a filter: each weight is the response times the source at the tap's distance,
// summed over positions. Where channels fill vectors, a tile of a few taps by vectors of channels
// takes position after position; where they do not, vectors are of neighbouring positions.
#include <algorithm>
#include <numeric>
#include <utility>

#include "ops/core/allocate.h"
#include "ops/cpu/correlation.h"
#include "ops/cpu/lanes.h"
#include "ops/cpu/transposed_copy.h"
#include "ops/parallel.h"

namespace notape::correlation {
namespace {

int64_t round_up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }
float* floats(const Tensor& memory) { return memory.impl().data_as<float>(); }
Tensor memory_for(int64_t count) { return allocate(IntArrayRef(count), kFloat32, kCPU); }

/// Positions whose products are added up before they are added to those before: rows
/// [row, row_end), columns [column, column_end) of the response.
struct Strip {
  int64_t row, row_end, column, column_end;
};

/// Strips of about `positions` positions, in order.
template <typename F>
void for_each_strip(const Phase& phase, int64_t positions, const F& f) {
  const int64_t rows = std::max<int64_t>(1, positions / phase.columns);
  for (int64_t row = 0; row < phase.rows; row += rows)
    for (int64_t column = 0; column < phase.columns; column += positions)
      f(Strip{row, std::min(row + rows, phase.rows), column,
              std::min(column + positions, phase.columns)});
}

template <typename Vector>
[[gnu::always_inline]] inline void add_to(float* to, const Vector& more) {
  Vector sum;
  load(sum, to);
  sum += more;
  store(to, sum);
}

// ---- Vectors of channels ----

constexpr int kTaps = 6;
constexpr int64_t kStrip = 128;

/// One group of one image.
struct CorrelationWeightJob {
  const Correlation& problem;
  const float* source;
  const float* response;  // (blocks, positions, width)
  float* sums;            // (blocks, terms, width)
  int64_t width;

  const Phase& phase() const { return problem.phases[0]; }
  int64_t terms() const { return static_cast<int64_t>(phase().offsets.size()); }
};

/// Adds a strip's products for `Taps` terms from `term` on.
template <int Lanes, int Taps, int Vectors>
[[gnu::always_inline]] inline void add_strip(const CorrelationWeightJob& job, const Strip& s,
                                             int64_t block, int64_t term) {
  using Vector = FloatLanes<Lanes>;
  const Phase& phase = job.phase();
  Vector sums[Taps][Vectors] = {};
  for (int64_t row = s.row; row < s.row_end; ++row) {
    const float* pixels[Taps];
    for (int t = 0; t < Taps; ++t)
      pixels[t] = job.source + phase.offsets[static_cast<std::size_t>(term + t)] +
                  row * job.problem.source.pitch + s.column;
    const float* outputs =
        job.response + ((block * phase.rows + row) * phase.columns + s.column) * job.width;
    const int64_t columns = s.column_end - s.column;
    for (int64_t j = 0; j < columns; ++j, outputs += job.width) {
      Vector output[Vectors];
      for (int v = 0; v < Vectors; ++v) load(output[v], outputs + v * Lanes);
      for (int t = 0; t < Taps; ++t)
        for (int v = 0; v < Vectors; ++v) sums[t][v] += pixels[t][j] * output[v];
    }
  }
  float* const to = job.sums + (block * job.terms() + term) * job.width;
  for (int t = 0; t < Taps; ++t)
    for (int v = 0; v < Vectors; ++v) add_to(to + t * job.width + v * Lanes, sums[t][v]);
}

template <int Lanes, int Vectors>
[[gnu::always_inline]] inline void add_terms(const CorrelationWeightJob& job, const Strip& s,
                                             int64_t block, int64_t first, int64_t last) {
  for (; first + kTaps <= last; first += kTaps)
    add_strip<Lanes, kTaps, Vectors>(job, s, block, first);
  for (; first < last; ++first) add_strip<Lanes, 1, Vectors>(job, s, block, first);
}

/// All positions for terms [first, last) of a block.
void add_image(const CorrelationWeightJob& job, int64_t block, int64_t first, int64_t last) {
  const int64_t channels = std::min(job.width, job.problem.results - block * job.width);
  with_lanes([&]<int Lanes>() {
    constexpr int kVectors = Lanes == 16 ? 4 : 2;  // as registers allow
    const int64_t vectors = (channels + Lanes - 1) / Lanes;
    for_each_strip(job.phase(), kStrip, [&](const Strip& s) {
      const auto run_if_many = [&]<int Vectors>() __attribute__((always_inline)) {
        if (vectors == Vectors) add_terms<Lanes, Vectors>(job, s, block, first, last);
      };
      [&]<int... Is>(std::integer_sequence<int, Is...>) __attribute__((always_inline)) {
        (run_if_many.template operator()<Is + 1>(), ...);
      }
      (std::make_integer_sequence<int, kVectors>());
    });
  });
}

/// Channels of a block.
int64_t correlation_weight_block_width(int64_t channels) {
  const int64_t lanes = float_lanes();
  return std::min(round_up(channels, lanes), lanes == 16 ? 4 * lanes : 2 * lanes);
}

/// (rows, columns) -> blocks of `width` columns of the transposed: (blocks, columns, width).
void transpose_to_blocks(float* to, const float* from, int64_t rows, int64_t columns,
                         int64_t width) {
  constexpr int64_t kItem = sizeof(float);
  for (int64_t begin = 0; begin < rows; begin += width, to += columns * width) {
    const detail::TransposedPlane plane{std::min(width, rows - begin), columns, columns * kItem,
                                        width * kItem};
    parallel_for(0, columns, std::max<int64_t>(64, kParallelGrain / width / 64 * 64),
                 [&](int64_t first, int64_t last) {
                   detail::transpose_rows<float>(
                       reinterpret_cast<char*>(to),
                       reinterpret_cast<const char*>(from + begin * columns), plane, first, last);
                 });
  }
}

void by_channels(const Correlation& p, float* result, const float* response, const float* image) {
  const int64_t width = correlation_weight_block_width(p.results),
                blocks = (p.results + width - 1) / width;
  const auto terms = static_cast<int64_t>(p.phases[0].offsets.size());
  const Tensor source = p.source.cleared();
  const Tensor outputs = memory_for(blocks * p.plane * width);
  const Tensor sums = memory_for(blocks * terms * width);
  const CorrelationWeightJob job{p, floats(source), floats(outputs), floats(sums), width};
  const int64_t pieces = (terms + 16 * kTaps - 1) / (16 * kTaps);
  for (int64_t g = 0; g < p.groups; ++g) {
    std::fill_n(floats(sums), sums.numel(), 0.0f);
    for (int64_t n = 0; n < p.images; ++n) {
      const int64_t of_group = n * p.groups + g;
      const float* const pixels =
          image + of_group * p.source.channels * p.source.height * p.source.width;
      const int64_t grain = std::max<int64_t>(1, kParallelGrain / p.source.channel());
      parallel_for(0, p.source.channels, grain, [&](int64_t first, int64_t last) {
        p.source.place(floats(source), pixels, first, last);
      });
      transpose_to_blocks(floats(outputs), response + of_group * p.results * p.plane, p.results,
                          p.plane, width);
      parallel_for(0, blocks * pieces, 1, [&](int64_t first, int64_t last) {
        for (int64_t i = first; i < last; ++i) {
          const int64_t begin = i % pieces * 16 * kTaps;
          add_image(job, i / pieces, begin, std::min(begin + 16 * kTaps, terms));
        }
      });
    }
    for (int64_t o = 0; o < p.results; ++o)
      for (int64_t k = 0; k < terms; ++k)
        result[(g * p.results + o) * terms + k] =
            floats(sums)[(o / width * terms + k) * width + o % width];
  }
}

// ---- Vectors of positions ----

constexpr int kLanes = 16;  // whatever the registers are: sums keep their order

/// One channel of the source with one of the response.
struct Pair2d {
  const Phase& phase;
  const float* source;
  int64_t pitch;
  const float* response;  // (rows, response_pitch), zero from each row's end on
  int64_t response_pitch;
  float* sums;  // (taps, kLanes)
};

/// From kLanes - n on, n ones and then zeros.
constexpr int32_t kInside[2 * kLanes] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

template <int Lanes, int Taps, bool kMasked>
[[gnu::always_inline]] inline void add_products(const float* const (&pixels)[Taps],
                                                const float* outputs, int64_t j, int64_t count,
                                                FloatLanes<Lanes> (&sums)[Taps][kLanes / Lanes]) {
  using Vector = FloatLanes<Lanes>;
  for (int v = 0; v < kLanes / Lanes; ++v) {
    IntLanes<Lanes> inside;
    load(inside, kInside + kLanes - count + v * Lanes);
    Vector output;
    load(output, outputs + j + v * Lanes);
    for (int t = 0; t < Taps; ++t) {
      Vector pixel;
      load(pixel, pixels[t] + j + v * Lanes);
      // Beyond the row there may be infinity, which zero does not silence.
      if constexpr (kMasked) pixel = inside != 0 ? pixel : Vector{};
      sums[t][v] += output * pixel;
    }
  }
}

template <int Lanes, int Taps>
[[gnu::always_inline]] inline void add_strip(const Pair2d& job, const Strip& s, int64_t tap) {
  using Vector = FloatLanes<Lanes>;
  Vector sums[Taps][kLanes / Lanes] = {};
  for (int64_t row = s.row; row < s.row_end; ++row) {
    const float* pixels[Taps];
    for (int t = 0; t < Taps; ++t)
      pixels[t] =
          job.source + job.phase.offsets[static_cast<std::size_t>(tap + t)] + row * job.pitch;
    const float* const outputs = job.response + row * job.response_pitch;
    int64_t j = s.column;
    for (; j + kLanes <= s.column_end; j += kLanes)
      add_products<Lanes, Taps, false>(pixels, outputs, j, kLanes, sums);
    if (j < s.column_end)
      add_products<Lanes, Taps, true>(pixels, outputs, j, s.column_end - j, sums);
  }
  for (int t = 0; t < Taps; ++t)
    for (int v = 0; v < kLanes / Lanes; ++v)
      add_to(job.sums + (tap + t) * kLanes + v * Lanes, sums[t][v]);
}

void add_pair(const Pair2d& job, int64_t taps) {
  with_lanes([&]<int Lanes>() {
    constexpr int kMost = Lanes == 16 ? 9 : 5;
    for_each_strip(job.phase, kTermsAtOnce * kLanes, [&](const Strip& s) {
      int64_t tap = 0;
      for (; tap + kMost <= taps; tap += kMost) add_strip<Lanes, kMost>(job, s, tap);
      for (; tap + 2 <= taps; tap += 2) add_strip<Lanes, 2>(job, s, tap);
      if (tap < taps) add_strip<Lanes, 1>(job, s, tap);
    });
  });
}

/// All weights between input channel `c` of group `g` and the group's outputs.
void by_positions(const Correlation& p, float* result, const float* response, const float* image,
                  int64_t g, int64_t c) {
  const Phase& phase = p.phases[0];
  const auto terms = static_cast<int64_t>(phase.offsets.size());
  const int64_t taps = terms / p.source.channels, pitch = round_up(phase.columns, kLanes);
  Source one = p.source;
  one.channels = 1;
  const Tensor source = one.cleared(), outputs = memory_for(phase.rows * pitch);
  const Tensor sums = memory_for(p.results * taps * kLanes);
  std::fill_n(floats(outputs), outputs.numel(), 0.0f);
  std::fill_n(floats(sums), sums.numel(), 0.0f);
  for (int64_t n = 0; n < p.images; ++n) {
    const int64_t channel = (n * p.groups + g) * p.source.channels + c;
    one.place(floats(source), image + channel * one.height * one.width, 0, 1);
    for (int64_t o = 0; o < p.results; ++o) {
      const float* const plane = response + ((n * p.groups + g) * p.results + o) * p.plane;
      for (int64_t row = 0; row < phase.rows; ++row)
        copy_line(floats(outputs) + row * pitch, plane + row * phase.columns, phase.columns);
      add_pair({phase, floats(source), one.pitch, floats(outputs), pitch,
                floats(sums) + o * taps * kLanes},
               taps);
    }
  }
  for (int64_t o = 0; o < p.results; ++o)
    for (int64_t t = 0; t < taps; ++t) {
      const float* const lanes = floats(sums) + (o * taps + t) * kLanes;
      result[(g * p.results + o) * terms + c * taps + t] =
          static_cast<float>(std::accumulate(lanes, lanes + kLanes, 0.0));
    }
}

}  // namespace

void backward_weight(const Conv2dProblem& problem, float* result, const float* response,
                     const float* image) {
  const Correlation p = forward(problem);
  if (fill_lanes(p.results)) return by_channels(p, result, response, image);
  const int64_t work = std::max<int64_t>(1, p.images * p.results * p.plane);
  const int64_t grain = std::max<int64_t>(1, kParallelGrain / work);
  parallel_for(0, p.groups * p.source.channels, grain, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i)
      by_positions(p, result, response, image, i / p.source.channels, i % p.source.channels);
  });
}

}  // namespace notape::correlation
