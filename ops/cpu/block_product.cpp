#include "ops/cpu/block_product.h"

#include "ops/cpu/lanes.h"

namespace notape {
namespace {

/// As many numbers as there are in so many bytes.
template <typename T, int Bytes>
using Lanes [[gnu::vector_size(Bytes)]] = T;

/// `Rows` rows of c from `a` on, in `Vectors` vectors from `b` and `c` on.
template <int Bytes, int Rows, int Vectors, typename T>
[[gnu::always_inline]] inline void tile(const BlockProduct<T>& p, const T* a, const T* b, T* c,
                                        int64_t c_row) {
  using Vector = Lanes<T, Bytes>;
  constexpr int64_t kCount = Bytes / sizeof(T);
  Vector sums[Rows][Vectors] = {};
  if (p.adds)
#pragma GCC unroll 8
    for (int i = 0; i < Rows; ++i)
#pragma GCC unroll 8
      for (int j = 0; j < Vectors; ++j) load(sums[i][j], c + i * c_row + j * kCount);
  for (int64_t k = 0; k < p.terms; ++k, a += p.a_term, b += p.b_row) {
    Vector row[Vectors];
#pragma GCC unroll 8
    for (int j = 0; j < Vectors; ++j) load(row[j], b + j * kCount);
#pragma GCC unroll 8
    for (int i = 0; i < Rows; ++i) {
      const Vector factor = a[i * p.a_row] - Vector{};  // + would make zeros of one sign
#pragma GCC unroll 8
      for (int j = 0; j < Vectors; ++j) add_product(sums[i][j], factor, row[j]);
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < Rows; ++i)
#pragma GCC unroll 8
    for (int j = 0; j < Vectors; ++j) store(c + i * c_row + j * kCount, sums[i][j]);
}

/// The same where only `count` numbers of the last vector are the result's.
template <int Bytes, int Rows, typename T>
[[gnu::always_inline]] inline void edge_tile(const BlockProduct<T>& p, const T* a, const T* b, T* c,
                                             int64_t count) {
  constexpr int64_t kCount = Bytes / sizeof(T);
  T rows[Rows * kCount] = {};
  if (p.adds)
    for (int i = 0; i < Rows; ++i)
      for (int64_t j = 0; j < count; ++j) rows[i * kCount + j] = c[i * p.c_row + j];
  tile<Bytes, Rows, 1>(p, a, b, rows, kCount);
  for (int i = 0; i < Rows; ++i)
    for (int64_t j = 0; j < count; ++j) c[i * p.c_row + j] = rows[i * kCount + j];
}

template <int Bytes, int Rows, typename T>
[[gnu::always_inline]] inline void some_rows(const BlockProduct<T>& p, int64_t i) {
  constexpr int64_t kCount = Bytes / sizeof(T);
  constexpr int kMost = Bytes == 64 ? 4 : 2;  // as registers allow
  const T* const a = p.a + i * p.a_row;
  T* const c = p.c + i * p.c_row;
  int64_t j = 0;
  for (; j + kMost * kCount <= p.columns; j += kMost * kCount)
    tile<Bytes, Rows, kMost>(p, a, p.b + j, c + j, p.c_row);
  if (kMost > 2 && j + 2 * kCount <= p.columns) {
    tile<Bytes, Rows, 2>(p, a, p.b + j, c + j, p.c_row);
    j += 2 * kCount;
  }
  if (j + kCount <= p.columns) {
    tile<Bytes, Rows, 1>(p, a, p.b + j, c + j, p.c_row);
    j += kCount;
  }
  if (j < p.columns) edge_tile<Bytes, Rows>(p, a, p.b + j, c + j, p.columns - j);
}

template <int Bytes, typename T>
[[gnu::always_inline]] inline void all_rows(const BlockProduct<T>& p) {
  int64_t i = 0;
  const auto left = [&] { return p.rows - i; };
  for (; left() >= 6 && left() != 8 && left() != 9; i += 6) some_rows<Bytes, 6>(p, i);
  for (; left() >= 4; i += 4) some_rows<Bytes, 4>(p, i);
  for (; i < p.rows; ++i) some_rows<Bytes, 1>(p, i);
}

#ifdef __x86_64__
template <typename T>
[[gnu::target("avx512f,avx512bw,avx512dq,avx512vl")]] void multiply_512(const BlockProduct<T>& p) {
  all_rows<64>(p);
}
#endif

}  // namespace

template <typename T>
void multiply(const BlockProduct<T>& product) {
#ifdef __x86_64__
  if (float_lanes() == 16) return multiply_512(product);
#endif
  all_rows<32>(product);
}
template void multiply(const BlockProduct<float>&);
template void multiply(const BlockProduct<double>&);

}  // namespace notape
