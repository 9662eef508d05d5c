// Panels of the factors of a product: some lines of a matrix (rows of the left factor, columns of
// the right one) with their terms side by side, as the loops over tiles of the result read them.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstdint>

#include "autograd/tensor/half.h"
#include "ops/cpu/lanes.h"

namespace notape {

/// Lines of a factor, and the terms of each.
template <typename T>
struct Lines {
  const T* data;
  int64_t step, term_step;
  int64_t count, terms;

  Lines from(int64_t line, int64_t term) const {
    return {data + line * step + term * term_step, step, term_step, count - line, terms - term};
  }
};

template <int Count>
using Words [[gnu::vector_size(Count * sizeof(uint32_t))]] = uint32_t;
template <int Count>
using HalfWords [[gnu::vector_size(Count * sizeof(uint16_t))]] = uint16_t;

/// A word is a term as a float.
template <typename T>
struct WordOfFloat {
  using Element = T;
  static constexpr int kTerms = 1;

  template <int Count>
  [[gnu::always_inline]] static void load_along(Words<Count>& words, const T* from) {
    HalfWords<Count> bits;
    load(bits, from);
    words = __builtin_convertvector(bits, Words<Count>);
    if constexpr (std::same_as<T, BFloat16>)
      words <<= 16;
    else
      widen_half<Count>(words);
  }
  template <int Count>
  [[gnu::always_inline]] static void load_across(Words<Count>& words, const T* from, int64_t) {
    load_along<Count>(words, from);
  }

 private:
  /// As Half does (autograd/tensor/half.h).
  template <int Count>
  [[gnu::always_inline]] static void widen_half(Words<Count>& words) {
    const Words<Count> sign = (words & 0x8000u) << 16, magnitude = words & 0x7fffu;
    const auto scaled = reinterpret_cast<Words<Count>>(
        reinterpret_cast<FloatLanes<Count>>(magnitude << 13) * 0x1p112f);
    const Words<Count> beyond = 0x7f800000u | magnitude << 13;
    words = sign | (magnitude >= 0x7c00u ? beyond : scaled);
  }
};

/// A word is two neighbouring terms.
struct WordOfPair {
  using Element = BFloat16;
  static constexpr int kTerms = 2;

  template <int Count>
  [[gnu::always_inline]] static void load_along(Words<Count>& words, const BFloat16* from) {
    load(words, from);
  }
  template <int Count>
  [[gnu::always_inline]] static void load_across(Words<Count>& words, const BFloat16* from,
                                                 int64_t term_step) {
    HalfWords<Count> first, second;
    load(first, from);
    load(second, from + term_step);
    words = __builtin_convertvector(first, Words<Count>) |
            __builtin_convertvector(second, Words<Count>) << 16;
  }
};

/// Exchanges rows and columns by perfect shuffles: each moves the bits of a place's number by one.
template <int Count>
[[gnu::always_inline]] inline void transpose(Words<Count> (&rows)[Count]) {
  Words<Count> next[Count];
#pragma GCC unroll 4
  for (int done = 1; done < Count; done *= 2) {
#pragma GCC unroll 8
    for (int i = 0; i < Count / 2; ++i) {
      const Words<Count> a = rows[i], b = rows[i + Count / 2];
      if constexpr (Count == 16) {
        next[2 * i] =
            __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
        next[2 * i + 1] = __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13,
                                                  29, 14, 30, 15, 31);
      } else {
        next[2 * i] = __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
        next[2 * i + 1] = __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
      }
    }
#pragma GCC unroll 16
    for (int i = 0; i < Count; ++i) rows[i] = next[i];
  }
}

/// The words of `Count` lines and as many words of each, zero beyond the last: a line's words in a
/// row, or with `Turned` those of all lines.
template <typename Word, bool Turned, int Count>
[[gnu::always_inline]] inline void load_block(Words<Count> (&rows)[Count],
                                              Lines<typename Word::Element> from) {
  using T = typename Word::Element;
  constexpr int64_t kTerms = Count * Word::kTerms;
  T edge[Count * kTerms];
  const bool is_dense = from.step == 1 || from.term_step == 1;
  if (!is_dense || from.count < Count || from.terms < kTerms) {
    for (int64_t i = 0; i < Count; ++i)
      for (int64_t p = 0; p < kTerms; ++p)
        edge[i * kTerms + p] =
            i < from.count && p < from.terms ? from.data[i * from.step + p * from.term_step] : T(0);
    from = {edge, kTerms, 1, Count, kTerms};
  }
  if (from.term_step == 1) {
#pragma GCC unroll 16
    for (int i = 0; i < Count; ++i)
      Word::template load_along<Count>(rows[i], from.data + i * from.step);
    if (Turned) transpose<Count>(rows);
  } else {
#pragma GCC unroll 16
    for (int i = 0; i < Count; ++i)
      Word::template load_across<Count>(rows[i], from.data + i * Word::kTerms * from.term_step,
                                        from.term_step);
    if (!Turned) transpose<Count>(rows);
  }
}

/// The first `LineCount` lines as (words / Count, LineCount, Count): pieces of each line one after
/// another.
template <typename Word, int Count, int LineCount>
[[gnu::always_inline]] inline void pack_pieces(uint32_t* to, int64_t words,
                                               const Lines<typename Word::Element>& from) {
  for (int64_t word = 0; word < words; word += Count)
    for (int64_t line = 0; line < LineCount; line += Count, to += Count * Count) {
      Words<Count> rows[Count];
      load_block<Word, false, Count>(rows, from.from(line, word * Word::kTerms));
#pragma GCC unroll 16
      for (int i = 0; i < Count; ++i) store(to + i * Count, rows[i]);
    }
}

/// The panel (words, Width) of the first `Width` lines. Up to a block's words beyond it are
/// overwritten.
template <typename Word, int Lanes, int Width>
[[gnu::always_inline]] inline void pack_panel(uint32_t* to, int64_t words,
                                              const Lines<typename Word::Element>& from) {
  constexpr int64_t kVectors = (Width + Lanes - 1) / Lanes, kAhead = 8 * Word::kTerms;
  int64_t word = 0;
  if (from.step == 1 && from.count >= kVectors * Lanes)
    for (; (word + 1) * Word::kTerms <= from.terms && word < words; ++word)
      for (int64_t i = 0; i < kVectors; ++i) {
        const auto* const source = from.data + word * Word::kTerms * from.term_step + i * Lanes;
        Words<Lanes> row;
        Word::template load_across<Lanes>(row, source, from.term_step);
        __builtin_prefetch(source + kAhead * from.term_step);
        store(to + word * Width + i * Lanes, row);
      }
  for (; word < words; word += Lanes)
    for (int64_t line = 0; line < Width; line += Lanes) {
      Words<Lanes> rows[Lanes];
      load_block<Word, true, Lanes>(rows, from.from(line, word * Word::kTerms));
#pragma GCC unroll 16
      for (int i = 0; i < Lanes; ++i) store(to + (word + i) * Width + line, rows[i]);
    }
}

}  // namespace notape
