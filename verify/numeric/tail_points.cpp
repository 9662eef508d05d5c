#include "verify/numeric/tail_points.h"

#include <cmath>
#include <limits>

namespace notape::verify {
namespace {

constexpr uint32_t kTailStream = 1 << 28;

struct Range {
  int bits, lowest, highest;  ///< of the mantissa; exponents of the least and the largest number
};
Range range_of(ScalarType dtype) {
  const ElementType& type = element_type(dtype);
  return {type.digits, type.lowest_exponent, type.highest_exponent};
}

/// Beside these 1 - x, log(x) and 1 + x cancel.
constexpr double kCentres[] = {0.5, 1, 2};
/// e^x ends in one of these in one of the types, and erf, whose slope is e^(-x^2).
constexpr double kEnds[] = {3.92,
                            5.92,
                            8.9,
                            9.3,
                            10.2,
                            16.6,
                            18.7,
                            19.1,
                            26.6,
                            27.3,
                            36.7,
                            37.5,
                            87.33,
                            88.72,
                            103.27,
                            103.97,
                            349.3,
                            354.9,
                            372.6,
                            708.39,
                            709.1,
                            709.78,
                            744.4,
                            745.13,
                            1.5707963267948966,
                            3.14159265358979};

class Points {
 public:
  explicit Points(ScalarType dtype) : dtype_(dtype), range_(range_of(dtype)) {
    every_exponent();
    exponents_ = points_.size();
    beside_centres();
    along(40, 1.0 / 16);
    along(800, 3);
    for (const double end : kEnds)
      for (int step = -4; step <= 4; ++step) add(end * (1 + step * 0x1p-10));
    for (double whole = 3; whole <= 12; ++whole) add(whole);
    add(largest());
    add(std::ldexp(1, range_.highest - 1) * 1.99);
  }

  const Numbers& all() const { return points_; }
  /// How many of them, the first ones, go through the exponents.
  std::size_t exponents() const { return exponents_; }

 private:
  double largest() const {
    return dtype_ != kFloat64 ? static_cast<double>(std::numeric_limits<float>::max())
                              : std::numeric_limits<double>::max();
  }
  void add(double x) {
    points_.push_back(round_to(x, dtype_));
    points_.push_back(-points_.back());
  }
  /// In [0, 1), a full mantissa.
  double fraction() {
    const double high = keyed_bits(0, kTailStream, next_++),
                 low = keyed_bits(0, kTailStream, next_++);
    return high * 0x1p-32 + low * 0x1p-64;
  }

  void every_exponent() {
    add(0);
    for (int exponent = range_.lowest; exponent <= range_.highest; ++exponent) {
      add(std::ldexp(1, exponent));
      add(std::ldexp(1 + 0.999 * fraction(), exponent));
    }
  }
  void beside_centres() {
    for (const double centre : kCentres)
      for (int distance = 1; distance <= range_.bits; ++distance) {
        const double step = std::ldexp(1 + fraction(), -distance);
        for (const double there : {centre * (1 + step), centre * (1 - step / 2)}) add(there);
      }
  }
  void along(double end, double step) {
    for (double x = 0; x < end; x += step) add(x + step * fraction());
  }

  const ScalarType dtype_;
  const Range range_;
  std::size_t next_ = 0, exponents_ = 0;
  Numbers points_;
};

const Points& points_of(ScalarType dtype) {
  static const Points single(kFloat32), twice(kFloat64);
  return dtype != kFloat64 ? single : twice;
}

}  // namespace

Numbers all_tail_points(ScalarType dtype) { return points_of(dtype).all(); }

Numbers some_tail_points(ScalarType dtype, uint32_t key, uint32_t stream, std::size_t count) {
  const Points& points = points_of(dtype);
  const Numbers& all = points.all();
  Numbers result;
  for (std::size_t i = 0; i < count; ++i) {
    const uint32_t bits = keyed_bits(key, kTailStream + 1 + stream, i);
    // Of every two one goes through the exponents: most of what happens, happens in a few binades.
    const std::size_t first = bits & 1 ? points.exponents() : 0;
    result.push_back(all[first + (bits >> 1) % (all.size() - first)]);
  }
  return result;
}

}  // namespace notape::verify
