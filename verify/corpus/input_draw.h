// InputDraw: the inputs of one trial, the same for one name and seed on every machine.
#pragma once
#include <cstdint>
#include <functional>
#include <string_view>

#include "autograd/tensor/tensor.h"

namespace notape::verify::corpus {

class InputDraw {
 public:
  InputDraw(std::string_view name, uint64_t seed);

  /// In [0, 1).
  double unit();
  /// In [low, high).
  double number(double low, double high) { return low + (high - low) * unit(); }
  /// From low to high, both included.
  int64_t integer(int64_t low, int64_t high);

  /// Leaves that require grad, float64. Entries in [low, high).
  Tensor uniform(const std::vector<int64_t>& sizes, double low, double high);
  /// Entries in [low, high), of all magnitudes alike; both positive.
  Tensor magnitudes(const std::vector<int64_t>& sizes, double low, double high);
  /// As `magnitudes`, of both signs.
  Tensor signed_magnitudes(const std::vector<int64_t>& sizes, double low, double high);
  /// Entries in [low, high), none nearer to one of `kinks` than `distance`.
  Tensor off_kinks(const std::vector<int64_t>& sizes, double low, double high,
                   const std::vector<double>& kinks, double distance = 0.02);
  /// Whole numbers from low to high, so that some are equal.
  Tensor whole(const std::vector<int64_t>& sizes, int64_t low, int64_t high);

  /// Constants: int64 from 0 to below `end`, or 0 and 1 in float64.
  Tensor indices(const std::vector<int64_t>& sizes, int64_t end);
  Tensor bits(const std::vector<int64_t>& sizes);

 private:
  uint64_t next();
  template <typename F>
  Tensor leaf(const std::vector<int64_t>& sizes, const F& value);

  uint64_t state_;
};

/// `tensor` as a constant.
Tensor constant(const Tensor& tensor);

/// One input that is still to be drawn, by the method of InputDraw of the same name.
using Undrawn = std::function<Tensor(InputDraw&)>;
Undrawn uniform(std::vector<int64_t> sizes, double low, double high);
Undrawn magnitudes(std::vector<int64_t> sizes, double low, double high);
Undrawn signed_magnitudes(std::vector<int64_t> sizes, double low, double high);
Undrawn off_kinks(std::vector<int64_t> sizes, double low, double high, std::vector<double> kinks);
Undrawn whole(std::vector<int64_t> sizes, int64_t low, int64_t high);
Undrawn indices(std::vector<int64_t> sizes, int64_t end);
Undrawn bits(std::vector<int64_t> sizes);
/// Draws one after another.
std::function<variable_list(InputDraw&)> drawn(std::vector<Undrawn> inputs);

}  // namespace notape::verify::corpus
