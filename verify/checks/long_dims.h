// LongDims: a case made longer along one dimension by many copies of itself and of other points, in
// an order without a period, so that a block that is lost, or takes the place of another, shows.
#pragma once
#include "verify/checks/subject.h"

namespace notape::verify {

/// The dimension of each argument that grows; -1: none does.
using LongDims = std::vector<int64_t>;

/// Ways of making the case longer along a dimension of equal size in as many arguments as have it,
/// counted from the first dimension or from the last, or wherever it is. Each covers every argument
/// that has a dimension of that size.
std::vector<LongDims> long_dims_of(const Subject& subject);

/// The same arguments at a few points, each with its own incoming gradient.
struct Points {
  std::vector<std::vector<Numbers>> values;  ///< of the arguments
  std::vector<Numbers> incoming;
};
/// Those at which the result is finite. What does not grow is the same at all of them.
Points points_of(const Subject& subject, const LongDims& dims);

/// Which point each copy repeats. The sequence has a period of a prime number of copies, which no
/// usual block size is a multiple of.
class Pattern {
 public:
  Pattern(const Subject& subject, std::size_t points) {
    constexpr uint32_t kStream = 1 << 30;
    for (std::size_t c = 0; c < kPeriod; ++c)
      point_[c] = keyed_bits(subject.drawn.key, kStream, c) % static_cast<uint32_t>(points);
  }
  std::size_t operator[](std::size_t copy) const { return point_[copy % kPeriod]; }

 private:
  static constexpr std::size_t kPeriod = 97;
  uint32_t point_[kPeriod];
};

}  // namespace notape::verify
