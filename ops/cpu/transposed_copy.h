// Copies whose source and target are solid along different dimensions, by square tiles: along rows
// alone every element of the source would be fetched with a cache line of its own.
#pragma once
#include <algorithm>
#include <cstring>

#include "ops/elementwise/plan.h"
#include "ops/parallel.h"

namespace notape {
namespace detail {

/// Eight numbers of the size of T, whatever they mean.
template <typename T>
using Eight [[gnu::vector_size(8 * sizeof(T))]] = T;

/// target[i][j] = source[j][i] for i, j < 8; steps in bytes.
template <typename T>
void transpose_tile(char* target, int64_t target_step, const char* source, int64_t source_step) {
  Eight<T> rows[8], next[8];
  for (int j = 0; j < 8; ++j) std::memcpy(&rows[j], source + j * source_step, sizeof rows[j]);
  // A perfect shuffle of all 64 moves the bits of a place's number by one; three exchange i and j.
  for (int shuffle = 0; shuffle < 3; ++shuffle) {
    for (int k = 0; k < 4; ++k) {
      const Eight<T> a = rows[k], b = rows[k + 4];
      next[2 * k] = __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
      next[2 * k + 1] = __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
    }
    std::copy_n(next, 8, rows);
  }
  for (int i = 0; i < 8; ++i) std::memcpy(target + i * target_step, &rows[i], sizeof rows[i]);
}

/// Two dimensions of a plan: along the rows the target is solid, across them the source.
struct TransposedPlane {
  static constexpr int64_t kBlock = 32;  // in both directions: its lines stay in the nearest cache

  int64_t width, height;             // of the target's rows, and their number
  int64_t source_step, target_step;  // in bytes, across the solid dimensions
};

/// A block's lines are pages apart, where the processor does not look ahead itself.
inline void prefetch_block(const char* target, const char* source, const TransposedPlane& p,
                           int64_t item) {
  constexpr int64_t kLine = 64, kBlock = TransposedPlane::kBlock;
  for (int64_t k = 0; k < kBlock; ++k)
    for (int64_t byte = 0; byte < kBlock * item; byte += kLine) {
      __builtin_prefetch(source + k * p.source_step + byte);
      __builtin_prefetch(target + k * p.target_step + byte, 1);
    }
}

/// Rows [first, last) of the target's, which begins at `target`.
template <typename T>
void transpose_rows(char* target, const char* source, const TransposedPlane& p, int64_t first,
                    int64_t last) {
  constexpr int64_t kItem = sizeof(T), kBlock = TransposedPlane::kBlock;
  const auto place = [&](int64_t i, int64_t j) { return target + i * p.target_step + j * kItem; };
  const auto origin = [&](int64_t i, int64_t j) { return source + j * p.source_step + i * kItem; };
  for (int64_t row = first; row < last; row += kBlock)
    for (int64_t column = 0; column < p.width; column += kBlock) {
      const int64_t rows = std::min(row + kBlock, last);
      const int64_t columns = std::min(column + kBlock, p.width);
      if (row + kBlock <= last && column + 2 * kBlock <= p.width)
        prefetch_block(place(row, column + kBlock), origin(row, column + kBlock), p, kItem);
      for (int64_t i = row; i < rows; i += 8)
        for (int64_t j = column; j < columns; j += 8) {
          if (i + 8 <= rows && j + 8 <= columns) {
            transpose_tile<T>(place(i, j), p.target_step, origin(i, j), p.source_step);
            continue;
          }
          for (int64_t y = i; y < std::min(i + 8, rows); ++y)
            for (int64_t x = j; x < std::min(j + 8, columns); ++x)
              std::memcpy(place(y, x), origin(y, x), kItem);
        }
    }
}

/// Whether each stride of the target leads beyond all that lies within the faster dimensions.
inline bool writes_nothing_twice(const ElementwisePlan& plan, int64_t item) {
  int64_t reach = item;
  for (int d = 0; d < plan.ndim; ++d) {
    if (plan.strides[d][0] < reach) return false;
    reach += plan.strides[d][0] * (plan.sizes[d] - 1);
  }
  return true;
}

}  // namespace detail

/// Copies elements of T's size if the plan has a plane that is worth tiles; false if it has none.
template <typename T>
bool copy_transposed(const ElementwisePlan& plan) {
  constexpr int64_t kItem = sizeof(T), kFewest = 8, kRows = 64;
  if (plan.ndim < 2 || plan.sizes[0] < kFewest || plan.strides[0][0] != kItem ||
      plan.strides[0][1] == kItem || plan.strides[0][1] == 0)
    return false;
  int solid = 1;
  while (solid < plan.ndim && plan.strides[solid][1] != kItem) ++solid;
  if (solid == plan.ndim || plan.sizes[solid] < kFewest ||
      !detail::writes_nothing_twice(plan, kItem))
    return false;
  const detail::TransposedPlane plane{plan.sizes[0], plan.sizes[solid], plan.strides[0][1],
                                      plan.strides[solid][0]};
  const int64_t strips = (plane.height + kRows - 1) / kRows;
  const int64_t planes = plan.numel / (plane.width * plane.height);
  const int64_t grain =
      std::max<int64_t>(1, kParallelGrain / (plane.width * std::min(plane.height, kRows)));
  parallel_for(0, planes * strips, grain, [&](int64_t first, int64_t last) {
    for (int64_t piece = first; piece < last; ++piece) {
      char *target = plan.data[0], *source = plan.data[1];
      int64_t rest = piece / strips;
      for (int d = 1; d < plan.ndim; ++d) {
        if (d == solid) continue;
        target += rest % plan.sizes[d] * plan.strides[d][0];
        source += rest % plan.sizes[d] * plan.strides[d][1];
        rest /= plan.sizes[d];
      }
      const int64_t row = piece % strips * kRows;
      detail::transpose_rows<T>(target, source, plane, row, std::min(row + kRows, plane.height));
    }
  });
  return true;
}

}  // namespace notape
