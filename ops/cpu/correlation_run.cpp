// Tiles of results in registers. Where channels fill vectors a tile is of neighbouring positions in
// a row by two vectors of channels; where they do not it is of a few channels by vectors of
// positions, which run through the source from row to row: those between the rows are left out.
#include <algorithm>
#include <utility>

#include "ops/core/allocate.h"
#include "ops/cpu/correlation.h"
#include "ops/cpu/lanes.h"
#include "ops/parallel.h"

namespace notape::correlation {
namespace {

bool job_has_threes(const Phase& phase) {
  return static_cast<int64_t>(phase.offsets.size()) <= kTermsAtOnce && phase.has_threes();
}

/// What both kinds of tiles need of one image, group and phase.
struct CorrelationRunJob {
  const Correlation& problem;
  const Phase& phase;
  const float* source;
  const float* filter;  // (blocks, terms, width)
  float* result;        // (results, plane)
  Bias bias;            // of the first result
  bool has_threes = job_has_threes(phase);

  int64_t terms() const { return static_cast<int64_t>(phase.offsets.size()); }
  float bias_of(int64_t o) const { return bias.data ? bias.data[o * bias.stride] : 0; }
};

/// Channels of a block of the filter: two vectors, or the rows of a tile of positions.
int64_t correlation_run_block_width(const Correlation& problem) {
  const int64_t lanes = float_lanes();
  return fill_lanes(problem.results) ? 2 * lanes : lanes / 2;
}

/// One group of the filter as (blocks, terms, width), zero beyond the last result.
void pack(const Correlation& p, const Phase& phase, const float* filter, int64_t width, float* to) {
  constexpr int64_t kTerms = 16;
  const auto terms = static_cast<int64_t>(phase.offsets.size());
  for (int64_t block = 0; block < p.results; block += width, to += terms * width)
    for (int64_t begin = 0; begin < terms; begin += kTerms)
      for (int64_t lane = 0; lane < width; ++lane) {
        const float* from = filter + (block + lane) * p.weight_step;
        const bool exists = block + lane < p.results;
        for (int64_t k = begin; k < std::min(begin + kTerms, terms); ++k)
          to[k * width + lane] = exists ? from[phase.weights[static_cast<std::size_t>(k)]] : 0.0f;
      }
}

/// total[i][j] = sum over terms of a(k, i) * b(k, j), some terms at a time.
template <int Lanes, int Rows, int Vectors, typename A, typename B>
[[gnu::always_inline]] inline void sum_terms(int64_t terms,
                                             FloatLanes<Lanes> (&total)[Rows][Vectors],
                                             const A& scalars, const B& vectors) {
  using Vector = FloatLanes<Lanes>;
  for (int64_t k = 0; k < terms;) {
    const int64_t end = std::min(k + kTermsAtOnce, terms);
    Vector sums[Rows][Vectors] = {};
    for (; k < end; ++k) {
      const float* const scalar = scalars(k);
      const float* const from = vectors(k);
      Vector vector[Vectors];
#pragma GCC unroll 16
      for (int j = 0; j < Vectors; ++j) load(vector[j], from + j * Lanes);
#pragma GCC unroll 16
      for (int i = 0; i < Rows; ++i)
#pragma GCC unroll 16
        for (int j = 0; j < Vectors; ++j) sums[i][j] += scalar[i] * vector[j];
    }
#pragma GCC unroll 16
    for (int i = 0; i < Rows; ++i)
#pragma GCC unroll 16
      for (int j = 0; j < Vectors; ++j) total[i][j] += sums[i][j];
  }
}

/// `Columns` neighbouring results of a row, for the channels of a block.
template <int Lanes, int Columns, int Vectors>
[[gnu::always_inline]] inline void channel_tile(const CorrelationRunJob& job, int64_t block,
                                                int64_t row, int64_t column) {
  using Vector = FloatLanes<Lanes>;
  constexpr int64_t kWidth = 2 * Lanes;
  const int64_t* const offsets = job.phase.offsets.data();
  const float* const source = job.source + row * job.problem.source.pitch + column;
  const float* const filter = job.filter + block * job.terms() * kWidth;
  Vector total[Columns][Vectors] = {};
  sum_terms<Lanes>(
      job.terms(), total, [&](int64_t k) { return source + offsets[k]; },
      [&](int64_t k) { return filter + k * kWidth; });
  float values[Columns][Vectors * Lanes];
  for (int i = 0; i < Columns; ++i)
    for (int j = 0; j < Vectors; ++j) store(&values[i][j * Lanes], total[i][j]);
  const int64_t step = job.phase.column_step;
  const int64_t channels = std::min<int64_t>(Vectors * Lanes, job.problem.results - block * kWidth);
  for (int64_t o = 0; o < channels; ++o) {
    const int64_t channel = block * kWidth + o;
    float* const to = job.result + channel * job.problem.plane + job.phase.start +
                      row * job.phase.row_step + column * step;
    const float bias = job.bias_of(channel);
    for (int i = 0; i < Columns; ++i) to[i * step] = values[i][o] + bias;
  }
}

/// One row of a block of channels, in tiles of nearly equal width.
template <int Lanes, int Vectors>
[[gnu::always_inline]] inline void channel_row(const CorrelationRunJob& job, int64_t block,
                                               int64_t row) {
  constexpr int kColumns = Lanes == 16 ? 14 : 6;  // as registers allow
  const int64_t columns = job.phase.columns, tiles = (columns + kColumns - 1) / kColumns;
  for (int64_t tile = 0; tile < tiles; ++tile) {
    const int64_t begin = tile * columns / tiles, end = (tile + 1) * columns / tiles;
    const auto run_if_wide = [&]<int Columns>() __attribute__((always_inline)) {
      if (end - begin == Columns) channel_tile<Lanes, Columns, Vectors>(job, block, row, begin);
    };
    [&]<int... Is>(std::integer_sequence<int, Is...>) __attribute__((always_inline)) {
      (run_if_wide.template operator()<Is + 1>(), ...);
    }
    (std::make_integer_sequence<int, kColumns>());
  }
}

/// Rows of blocks [first, last).
void channel_rows(const CorrelationRunJob& job, int64_t first, int64_t last) {
  with_lanes([&]<int Lanes>() {
    for (int64_t i = first; i < last; ++i) {
      const int64_t block = i / job.phase.rows, row = i % job.phase.rows;
      if (job.problem.results - block * 2 * Lanes > Lanes)
        channel_row<Lanes, 2>(job, block, row);
      else
        channel_row<Lanes, 1>(job, block, row);
    }
  });
}

/// Positions of which a piece of work consists: a multiple of each tile's.
constexpr int64_t kPositions = 768;

/// Positions from `first` on, counted through the source, of a few channels: to (Channels,
/// kPositions).
template <int Lanes, int Channels, int Vectors>
[[gnu::always_inline]] inline void position_tile(const CorrelationRunJob& job, int64_t block,
                                                 int64_t first, float* to) {
  using Vector = FloatLanes<Lanes>;
  constexpr int64_t kWidth = Lanes / 2;
  const int64_t* const offsets = job.phase.offsets.data();
  const float* const source = job.source + first;
  const float* const filter = job.filter + block * job.terms() * kWidth;
  Vector total[Channels][Vectors] = {};
  sum_terms<Lanes>(
      job.terms(), total, [&](int64_t k) { return filter + k * kWidth; },
      [&](int64_t k) { return source + offsets[k]; });
  for (int i = 0; i < Channels; ++i)
    for (int j = 0; j < Vectors; ++j) store(to + i * kPositions + j * Lanes, total[i][j]);
}

/// The same for one channel whose taps are three in a row: vectors that cross from one cache line
/// to the next take twice as long to read, so that only each third is read, and those between are
/// made of two of them.
template <int Vectors>
[[gnu::always_inline]] inline void position_tile_of_threes(const CorrelationRunJob& job,
                                                           int64_t block, int64_t first,
                                                           float* to) {
  constexpr int kLanes = 16;
  FloatLanes<kLanes> sums[Vectors] = {};
  const float* filter = job.filter + block * job.terms() * kLanes / 2;
  for (int64_t k = 0; k < job.terms(); k += 3, filter += 3 * kLanes / 2) {
    const float* const source = job.source + first + job.phase.offsets[static_cast<std::size_t>(k)];
    FloatLanes<kLanes> vector[Vectors + 1];
    for (int j = 0; j <= Vectors; ++j) load(vector[j], source + j * kLanes);
    for (int j = 0; j < Vectors; ++j) {
      const FloatLanes<kLanes> a = vector[j], b = vector[j + 1];
      sums[j] += filter[0] * a;
      sums[j] += filter[kLanes / 2] * __builtin_shufflevector(a, b, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
                                                              11, 12, 13, 14, 15, 16);
      sums[j] += filter[kLanes] * __builtin_shufflevector(a, b, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
                                                          13, 14, 15, 16, 17);
    }
  }
  for (int j = 0; j < Vectors; ++j) store(to + j * kLanes, sums[j]);
}

/// Short lines without a call.
void add_line(float* to, const float* from, int64_t n, float bias) {
  constexpr int64_t kBlock = 8;
  const auto add_block = [&](int64_t begin) {
    for (int64_t j = begin; j < begin + kBlock; ++j) to[j] = from[j] + bias;
  };
  if (n < kBlock) {
    for (int64_t j = 0; j < n; ++j) to[j] = from[j] + bias;
    return;
  }
  for (int64_t j = 0; j + kBlock <= n; j += kBlock) add_block(j);
  add_block(n - kBlock);
}

/// Moves positions [first, last) to where they belong.
void store_positions(const CorrelationRunJob& job, int64_t channel, const float* from,
                     int64_t first, int64_t last) {
  const int64_t pitch = job.problem.source.pitch, step = job.phase.column_step;
  const float bias = job.bias_of(channel);
  float* const plane = job.result + channel * job.problem.plane + job.phase.start;
  int64_t row = first / pitch, column = first % pitch;
  for (int64_t at = first; at < last; at += pitch - column, ++row, column = 0) {
    float* to = plane + row * job.phase.row_step + column * step;
    const float* value = from + (at - first);
    const int64_t n = std::min(job.phase.columns - column, last - at);
    if (step == 1)
      add_line(to, value, n, bias);
    else
      for (int64_t j = 0; j < n; ++j) to[j * step] = value[j] + bias;
  }
}

template <int Lanes, int Channels>
[[gnu::always_inline]] inline void position_piece(const CorrelationRunJob& job, int64_t block,
                                                  int64_t first, int64_t last) {
  constexpr int kVectors = Lanes == 16 ? (Channels == 1   ? 8
                                          : Channels <= 4 ? 4
                                                          : 3)
                                       : (Channels == 1   ? 8
                                          : Channels == 2 ? 4
                                                          : 2);
  constexpr int64_t kTile = kVectors * Lanes;
  float values[Channels * kPositions];
  int64_t at = first;
  if constexpr (Lanes == 16 && Channels == 1)
    if (job.has_threes) {
      for (; at + 4 * Lanes < last; at += 8 * Lanes)
        position_tile_of_threes<8>(job, block, at, values + (at - first));
      for (; at < last; at += 4 * Lanes)
        position_tile_of_threes<4>(job, block, at, values + (at - first));
    }
  for (; at + kTile <= last; at += kTile)
    position_tile<Lanes, Channels, kVectors>(job, block, at, values + (at - first));
  for (; at < last; at += Lanes)
    position_tile<Lanes, Channels, 1>(job, block, at, values + (at - first));
  for (int i = 0; i < Channels; ++i)
    store_positions(job, block * (Lanes / 2) + i, values + i * kPositions, first, last);
}

/// Pieces [first, last) of blocks by kPositions.
void position_pieces(const CorrelationRunJob& job, int64_t positions, int64_t first, int64_t last) {
  const int64_t pieces = (positions + kPositions - 1) / kPositions;
  with_lanes([&]<int Lanes>() {
    for (int64_t i = first; i < last; ++i) {
      const int64_t block = i / pieces, begin = i % pieces * kPositions;
      const int64_t end = std::min(begin + kPositions, positions);
      const int64_t channels =
          std::min<int64_t>(Lanes / 2, job.problem.results - block * Lanes / 2);
      const auto run_if_many = [&]<int Channels>() __attribute__((always_inline)) {
        if (channels == Channels) position_piece<Lanes, Channels>(job, block, begin, end);
      };
      [&]<int... Is>(std::integer_sequence<int, Is...>) __attribute__((always_inline)) {
        (run_if_many.template operator()<Is + 1>(), ...);
      }
      (std::make_integer_sequence<int, Lanes / 2>());
    }
  });
}

void run_phase(const CorrelationRunJob& job, int64_t blocks) {
  const Phase& phase = job.phase;
  if (phase.rows == 0 || phase.columns == 0) return;
  const int64_t width = correlation_run_block_width(job.problem),
                cost = width * std::max<int64_t>(job.terms(), 1);
  if (fill_lanes(job.problem.results)) {
    const int64_t grain = std::max<int64_t>(1, 4 * kParallelGrain / (cost * phase.columns));
    parallel_for(0, blocks * phase.rows, grain,
                 [&](int64_t first, int64_t last) { channel_rows(job, first, last); });
  } else {
    const int64_t positions = (phase.rows - 1) * job.problem.source.pitch + phase.columns;
    const int64_t pieces = blocks * ((positions + kPositions - 1) / kPositions);
    const int64_t grain = std::max<int64_t>(1, 4 * kParallelGrain / (cost * kPositions));
    parallel_for(0, pieces, grain, [&](int64_t first, int64_t last) {
      position_pieces(job, positions, first, last);
    });
  }
}

/// All groups of the filter for a phase: (groups, blocks, terms, width).
Tensor packed(const Correlation& p, const Phase& phase, const float* filter, int64_t blocks) {
  const int64_t width = correlation_run_block_width(p);
  const int64_t group = blocks * static_cast<int64_t>(phase.offsets.size()) * width;
  Tensor result = allocate(IntArrayRef(p.groups * group), kFloat32, kCPU);
  for (int64_t g = 0; g < p.groups; ++g)
    pack(p, phase, filter + g * p.weights, width, result.impl().data_as<float>() + g * group);
  return result;
}

}  // namespace

void run(const Correlation& p, float* result, const float* source, const float* filter, Bias bias) {
  const int64_t blocks =
      (p.results + correlation_run_block_width(p) - 1) / correlation_run_block_width(p);
  std::vector<Tensor> filters;
  int64_t work = 1;
  for (const Phase& phase : p.phases) {
    filters.push_back(packed(p, phase, filter, blocks));
    work += p.results * phase.rows * phase.columns * static_cast<int64_t>(phase.offsets.size());
  }
  const int64_t grain = std::max<int64_t>(1, 4 * kParallelGrain / work);
  parallel_for(0, p.images * p.groups, grain, [&](int64_t first, int64_t last) {
    const Tensor memory = p.source.cleared();
    float* const padded = memory.impl().data_as<float>();
    for (int64_t i = first; i < last; ++i) {
      const int64_t g = i % p.groups;
      p.source.place(padded, source + i * p.source.channels * p.source.height * p.source.width, 0,
                     p.source.channels);
      for (std::size_t k = 0; k < p.phases.size(); ++k) {
        Bias of_group = bias;
        if (bias.data) of_group.data += g * p.results * bias.stride;
        const int64_t of_filter = filters[k].numel() / p.groups;
        run_phase({p, p.phases[k], padded, filters[k].impl().data_as<float>() + g * of_filter,
                   result + i * p.results * p.plane, of_group},
                  blocks);
      }
    }
  });
}

}  // namespace notape::correlation
