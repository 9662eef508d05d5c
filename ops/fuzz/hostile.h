// Hostile: arguments that nobody should pass: sizes from nowhere, other shapes and types, NaN,
// memory that overlaps, tensors that are not there. All from one seed.
#pragma once
#include "ops/spec/testing/drawn_row.h"

namespace notape::fuzz {

class Hostile {
 public:
  explicit Hostile(uint64_t seed) : draw_(seed), draws_ends_(once_in(3)) {}

  testing::DrawOfSeed& draw() { return draw_; }
  int64_t within(int64_t low, int64_t high) { return draw_.integer(low, high); }
  bool once_in(int64_t times) { return within(1, times) == 1; }
  template <typename T>
  const T& one_of(const std::vector<T>& list) {
    return list[static_cast<std::size_t>(within(0, static_cast<int64_t>(list.size()) - 1))];
  }

  /// Mostly a small number, at times one at the end of what int64 holds; for some seeds half of
  /// them are such, so that they meet in pairs and triples.
  int64_t number();
  std::vector<int64_t> numbers();
  double real();
  ScalarType type();
  /// Of any small shape, type and layout, at times undefined; often of the shape of the last one.
  Tensor tensor();
  /// The arguments of a case with one to three of them, or of their properties, exchanged.
  variable_list mutate(variable_list arguments);

 private:
  Tensor fresh();
  Tensor mutate(const Tensor& tensor);
  Tensor of_other_size(const Tensor& tensor);
  Tensor laid_out(const Tensor& tensor);
  Tensor with_strange_numbers(const Tensor& tensor);

  testing::DrawOfSeed draw_;
  bool draws_ends_;
  std::vector<int64_t> last_sizes_;
};

}  // namespace notape::fuzz
