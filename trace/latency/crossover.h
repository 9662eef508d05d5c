// From which size on an operation's work outweighs its dispatch.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace notape::trace {

struct CurvePoint {
  int64_t size = 0;  ///< floats
  double ns = 0;     ///< per operation
};

/// Dispatch is the time of the smallest size; work is what a larger one takes longer. Work
/// outweighs dispatch where an operation takes more than twice the time of the smallest size.
struct Crossover {
  double dispatch_ns = 0;
  double ns_per_1000 = 0;      ///< work of the largest size, per 1000 floats
  std::optional<double> size;  ///< on the line, logarithmic both ways, between two sizes
  std::string words;           ///< the same as a sentence, with the two sizes
};

/// Points in the order of their sizes, at least one; the last size that takes less than twice the
/// time counts, whatever a disturbed smaller one says.
Crossover crossover(const std::vector<CurvePoint>& points);

}  // namespace notape::trace
