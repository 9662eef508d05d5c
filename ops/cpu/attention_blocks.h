// What attention and its gradient share on the CPU: scores of a block of keys by a block of
// queries. Queries lie side by side, so that maxima, sums and exponentials are of whole vectors,
// and products take keys and values from where they are.
#pragma once
#include <algorithm>
#include <limits>

#include "ops/core/allocate.h"
#include "ops/core/vector_math.h"
#include "ops/cpu/block_product.h"
#include "ops/cpu/transposed_copy.h"
#include "ops/linalg/attention.h"
#include "ops/reduce/exponentials.h"
#include "ops/reduce/reduction.h"

namespace notape::attention {

inline constexpr int64_t kQueries = 64, kKeys = 64;
/// Numbers in a row of packed memory come to a multiple of this.
inline constexpr int64_t kPad = 16;
inline int64_t padded(int64_t n) { return (n + kPad - 1) / kPad * kPad; }

/// The matrices of a tensor.
template <typename T>
class Matrices {
 public:
  explicit Matrices(const Tensor& tensor)
      : data_(tensor.impl().data_as<T>()), geometry_(&tensor.impl().geometry()) {}
  int64_t rows() const { return geometry_->size(geometry_->dim() - 2); }
  int64_t columns() const { return geometry_->size(geometry_->dim() - 1); }
  int64_t row_step() const { return geometry_->stride(geometry_->dim() - 2); }
  int64_t column_step() const { return geometry_->stride(geometry_->dim() - 1); }
  int64_t count() const {
    int64_t result = 1;
    for (int d = geometry_->dim() - 3; d >= 0; --d) result *= geometry_->size(d);
    return result;
  }
  /// The first element of one, counted row-major over the dimensions in front.
  T* at(int64_t which) const {
    T* place = data_;
    for (int d = geometry_->dim() - 3; d >= 0; --d) {
      place += which % geometry_->size(d) * geometry_->stride(d);
      which /= geometry_->size(d);
    }
    return place;
  }

 private:
  T* data_;
  const Geometry* geometry_;
};

/// Pieces of one allocation, each beginning at a multiple of 64 bytes from its start.
template <typename T>
class Workspace {
 public:
  explicit Workspace(int64_t elements)
      : memory_(allocate(IntArrayRef({elements}), scalar_type_of<T>, kCPU)),
        next_(memory_.impl().template data_as<T>()) {}
  T* take(int64_t elements) { return std::exchange(next_, next_ + padded(elements)); }

 private:
  Tensor memory_;
  T* next_;
};

/// A block of rows, times a factor: as rows, and with those as columns. Zeros beyond.
template <typename T>
struct PackedRows {
  T *rows, *across;  // (kQueries, width) and (width, kQueries)
  int64_t width;

  static int64_t elements(int64_t columns) { return 2 * kQueries * padded(columns); }
  PackedRows(Workspace<T>& memory, int64_t columns)
      : rows(memory.take(kQueries * padded(columns))),
        across(memory.take(kQueries * padded(columns))),
        width(padded(columns)) {}

  void pack(const Matrices<const T>& from, int64_t which, int64_t first, int64_t count, T factor) {
    const int64_t columns = from.columns(), step = from.column_step();
    const T* row = from.at(which) + first * from.row_step();
    for (int64_t i = 0; i < count; ++i, row += from.row_step()) {
      T* const to = rows + i * width;
      if (step == 1)
        for (int64_t e = 0; e < columns; ++e) to[e] = row[e] * factor;
      else
        for (int64_t e = 0; e < columns; ++e) to[e] = row[e * step] * factor;
      std::fill(to + columns, to + width, T(0));
    }
    std::fill(rows + count * width, rows + padded(count) * width, T(0));
    transpose(across, kQueries, rows, width, width, padded(count));
  }

  /// target[i][j] = source[j][i]; both sizes are multiples of eight.
  static void transpose(T* target, int64_t target_step, const T* source, int64_t source_step,
                        int64_t height, int64_t width) {
    constexpr int64_t kItem = sizeof(T);
    for (int64_t i = 0; i < height; i += 8)
      for (int64_t j = 0; j < width; j += 8)
        detail::transpose_tile<T>(
            reinterpret_cast<char*>(target + i * target_step + j), target_step * kItem,
            reinterpret_cast<const char*>(source + j * source_step + i), source_step * kItem);
  }
};

/// Scores of some keys by some queries.
struct Block {
  int64_t which;  // of the matrices
  int64_t first_query, queries, first_key, keys;
  int64_t width() const { return padded(queries); }
};

/// What a mask adds to scores; a bool one hides instead, whatever the score is.
template <typename T>
T addend_of(bool is_seen) {
  constexpr T kAddends[] = {-std::numeric_limits<T>::infinity(), 0};  // no branch to guess wrong
  return kAddends[is_seen];
}
template <typename T>
T addend_of(T addend) {
  return addend;
}
template <typename M, typename T>
T masked_score(T score, T addend) {
  if constexpr (std::is_same_v<M, bool>) return addend == 0 ? score : addend;
  return score + addend;
}

/// Masks scores[s kQueries + q].
template <typename M, typename T>
void apply_mask(const Matrices<const M>& mask, const Block& b, T* scores) {
  const int64_t row_step = mask.row_step(), step = mask.column_step();
  const M* from = mask.at(b.which) + b.first_query * row_step + b.first_key * step;
  if (row_step == 0) {  // the same for all queries
    for (int64_t s = 0; s < b.keys; ++s, scores += kQueries) {
      const T addend = addend_of<T>(from[s * step]);
      for (int64_t q = 0; q < b.width(); ++q) scores[q] = masked_score<M>(scores[q], addend);
    }
    return;
  }
  T rows[kQueries * kKeys] = {}, across[kKeys * kQueries];
  for (int64_t q = 0; q < b.queries; ++q, from += row_step)
    for (int64_t s = 0; s < b.keys; ++s) rows[q * kKeys + s] = addend_of<T>(from[s * step]);
  PackedRows<T>::transpose(across, kQueries, rows, kKeys, padded(b.keys), b.width());
  for (int64_t s = 0; s < b.keys; ++s)
    for (int64_t q = s * kQueries; q < s * kQueries + b.width(); ++q)
      scores[q] = masked_score<M>(scores[q], across[q]);
}

/// scores[s kQueries + q] of all queries up to the width, from packed and scaled queries.
template <typename T>
void compute_scores(const Attending& in, const Matrices<const T>& key, const Block& b,
                    const PackedRows<T>& queries, T* scores) {
  multiply<T>({.rows = b.keys,
               .columns = b.width(),
               .terms = key.columns(),
               .a = key.at(b.which) + b.first_key * key.row_step(),
               .a_row = key.row_step(),
               .a_term = key.column_step(),
               .b = queries.across,
               .b_row = kQueries,
               .c = scores,
               .c_row = kQueries});
  if (in.mask.defined() && in.mask.dtype() == kBool)
    apply_mask<bool>(Matrices<const bool>(in.mask), b, scores);
  else if (in.mask.defined())
    apply_mask<T>(Matrices<const T>(in.mask), b, scores);
  if (in.is_causal)
    for (int64_t s = 0; s < b.keys; ++s)
      std::fill_n(scores + s * kQueries,
                  std::clamp<int64_t>(b.first_key + s - b.first_query, 0, b.width()),
                  -std::numeric_limits<T>::infinity());
}

/// How many keys a block of queries sees anything of.
inline int64_t keys_seen(const Attending& in, int64_t keys, int64_t first_query, int64_t queries) {
  return in.is_causal ? std::min(keys, first_query + queries) : keys;
}

/// e^(x[q] - largest[q]) in place of x[q], for q < n, a multiple of kPad. Inline, for run_wide().
template <typename T>
[[gnu::always_inline]] inline void exponentials(T* x, const T* largest, int64_t n) {
  if constexpr (std::is_same_v<T, float>) {
    // Results below the normal numbers would each take a hundred times as long: all that is hidden.
    constexpr float kLeast = -87;
    for (int64_t q = 0; q < n; ++q) {
      const float distance = x[q] - largest[q];
      const float result = exp_below_zero(distance < kLeast ? kLeast : distance);
      x[q] = distance < kLeast ? 0.0f : result;
    }
  } else {
    constexpr std::experimental::element_aligned_tag anywhere;
    for (int64_t q = 0; q < n; q += static_cast<int64_t>(Vector<T>::size()))
      math::exp(Vector<T>(x + q, anywhere) - Vector<T>(largest + q, anywhere))
          .copy_to(x + q, anywhere);
  }
}

}  // namespace notape::attention
