// Blocks of attention where an ordinary product has given NaN, maybe by 0 times what is hidden:
// only pairs of query and key that see each other are multiplied. Bits are those of the ordinary
// product wherever that has a number.
#pragma once
#include <array>
#include <cmath>
#include <vector>

#include "ops/cpu/attention_blocks.h"

namespace notape::attention {

/// Whether a mask can hide anything.
inline bool may_hide(const Attending& in) { return in.is_causal || in.mask.defined(); }

/// Which pairs of a block are hidden, at [s kQueries + q].
template <typename T>
class HiddenPairs {
 public:
  HiddenPairs(const Attending& in, const Block& b) : block_(b) {
    for (int64_t s = 0; s < b.keys; ++s)
      for (int64_t q = 0; q < b.queries; ++q)
        hidden_[static_cast<std::size_t>(s * kQueries + q)] =
            is_hidden(in, b.which, b.first_query + q, b.first_key + s);
  }

  /// 0 in their places.
  void clear(T* of_pairs) const {
    for (std::size_t i = 0, end = static_cast<std::size_t>(block_.keys * kQueries); i < end; ++i)
      of_pairs[i] = hidden_[i] ? T(0) : of_pairs[i];
  }

  /// c[e c_row + q] += the sum of a[s][e] b[s kQueries + q] over keys s that query q sees.
  void multiply_keys(BlockProduct<T> product) const {
    const auto number_of = [from = product.a, step = product.a_term, across = product.a_row](
                               int64_t s, int64_t e) { return from[s * step + e * across]; };
    const std::vector<T> finite = finite_of(number_of, product.terms, product.rows);
    product.a = finite.data();
    product.a_row = 1;
    product.a_term = product.rows;
    multiply(product);
    for_others(number_of, product.terms, product.rows, [&](int64_t s, int64_t e, T number) {
      T* const to = product.c + e * product.c_row;
      for (int64_t q = 0; q < block_.queries; ++q)
        to[q] += is_hidden(s, q) ? T(0) : number * product.b[s * product.b_row + q];
    });
  }

  /// c[s c_row + e] += the sum of a[s kQueries + q] b[q][e] over queries q that see key s.
  void multiply_queries(BlockProduct<T> product) const {
    const auto number_of = [from = product.b, step = product.b_row](int64_t q, int64_t e) {
      return from[q * step + e];
    };
    const std::vector<T> finite = finite_of(number_of, product.terms, product.b_row);
    product.b = finite.data();
    multiply(product);
    for_others(number_of, product.terms, product.columns, [&](int64_t q, int64_t e, T number) {
      for (int64_t s = 0; s < block_.keys; ++s)
        product.c[s * product.c_row + e] +=
            is_hidden(s, q) ? T(0) : product.a[s * product.a_row + q] * number;
    });
  }

 private:
  static bool is_hidden(const Attending& in, int64_t which, int64_t query, int64_t key) {
    if (in.is_causal) return key > query;
    const auto at = [&]<typename M>(const Matrices<M>& mask) {
      return mask.at(which)[query * mask.row_step() + key * mask.column_step()];
    };
    if (in.mask.dtype() == kBool) return !at(Matrices<const Bool>(in.mask));
    return at(Matrices<const T>(in.mask)) == -std::numeric_limits<T>::infinity();
  }
  bool is_hidden(int64_t s, int64_t q) const {
    return hidden_[static_cast<std::size_t>(s * kQueries + q)];
  }

  /// Row-major; 0 for what is not finite.
  template <typename NumberOf>
  static std::vector<T> finite_of(const NumberOf& number_of, int64_t rows, int64_t columns) {
    std::vector<T> result;
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t e = 0; e < columns; ++e)
        result.push_back(std::isfinite(number_of(i, e)) ? number_of(i, e) : T(0));
    return result;
  }
  template <typename NumberOf, typename Visit>
  static void for_others(const NumberOf& number_of, int64_t rows, int64_t columns,
                         const Visit& visit) {
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t e = 0; e < columns; ++e)
        if (!std::isfinite(number_of(i, e))) visit(i, e, number_of(i, e));
  }

  const Block block_;
  std::array<bool, kKeys * kQueries> hidden_{};
};

/// Whether any of n numbers is NaN.
template <typename T>
bool any_nan(const T* numbers, int64_t n) {
  return sum_lanes<int32_t>(n, [=](int64_t i) { return numbers[i] != numbers[i]; }) > 0;
}

}  // namespace notape::attention
