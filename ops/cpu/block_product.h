// Products of blocks that stay in the nearest caches, on this thread and without packing: a number
// of the left factor by a row of the right one at a time, tiles of the result in registers.
#pragma once
#include <cstdint>

namespace notape {

/// c = a b, or c += a b: a (rows, terms) with any steps, b (terms, columns) and c with dense rows.
/// Rows of b can be read, with any finite numbers, up to a multiple of 64 bytes beyond `columns`.
template <typename T>
struct BlockProduct {
  int64_t rows, columns, terms;
  const T* a;
  int64_t a_row, a_term;
  const T* b;
  int64_t b_row;
  T* c;
  int64_t c_row;
  bool adds = false;
};

/// An element is a sum in the order of its terms, wherever it lies and whatever the processor's
/// registers are; each term is multiplied and added with one rounding where instructions do that.
template <typename T>
void multiply(const BlockProduct<T>& product);
extern template void multiply(const BlockProduct<float>&);
extern template void multiply(const BlockProduct<double>&);

}  // namespace notape
