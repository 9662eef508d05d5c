// Masks of what dropout keeps.
#pragma once
#include <memory>
#include <vector>

#include "autograd/tensor/random_stream.h"
#include "ops/at.h"

namespace notape {

/// Whether a draw keeps its element: with probability 1 - p, to 32 bits.
inline bool keeps(uint32_t draw, double p) { return static_cast<double>(draw) >= p * 0x1p32; }

/// The first draws of a mask under a seed, for references.
std::vector<uint32_t> draws_of_mask(uint64_t seed, std::size_t count);

/// One draw per entry of `sizes`, row-major, p > 0; inside vmap as its call wants them. On
/// `device`.
Tensor draw_mask(const Operation& op, IntArrayRef sizes, double p, Device device);

/// Throws ValueError unless 0 <= p <= 1.
void check_dropout_probability(const Operation& op, double p);
/// Throws DtypeError for integers.
void check_dropout_type(const Operation& op, const Tensor& input);

/// input scale where the mask holds, else 0: dropout with its derivative, recorded as `op`.
Tensor keep_scaled(const Operation& op, const Tensor& input, const Tensor& mask, double scale);

/// (N, C, 1, ...) for input (N, C, ...). Throws ShapeError for less than two dimensions.
std::vector<int64_t> feature_sizes(const Operation& op, const Tensor& input);

/// For rows of random operators: this thread draws from a generator of its own under the seed.
class SeedScope {
 public:
  explicit SeedScope(uint64_t seed);
  ~SeedScope();
  SeedScope(const SeedScope&) = delete;
  SeedScope& operator=(const SeedScope&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace notape
