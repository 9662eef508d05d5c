// What a reference of one number gives, and how well that is known: at one number in 113 bits, and
// along a stretch of neighbouring numbers as polynomials, so that billions of numbers can be
// judged.
#pragma once
#include <array>
#include <optional>

#include "autograd/tensor/scalar_type.h"
#include "ops/spec/reference.h"
#include "verify/exhaustive/batch.h"

namespace notape::verify::exhaustive {

/// The reference in 113 bits.
struct Exact {
  Wide value = 0;
  /// The first to the fourth, NaN where there is none: on a kink, and where the reference's formula
  /// gives none, as at infinity.
  std::array<Wide, 4> derivatives = {};
  Wide of(std::size_t quantity) const {
    return quantity == kValue ? value : derivatives[quantity - 1];
  }
};

/// A polynomial in t, from -1 to 1 along the stretch.
struct Polynomial {
  static constexpr int kTerms = 7;
  std::array<double, kTerms> terms = {};
  /// How far it may be off. The largest difference at numbers between the nodes counts four times.
  double error = 0;
  bool is_known = true;  ///< false where the reference gives no number

  double operator()(double t) const {
    double sum = terms[kTerms - 1];
    for (int i = kTerms - 2; i >= 0; --i) sum = sum * t + terms[static_cast<std::size_t>(i)];
    return sum;
  }
  Polynomial derivative() const;
  /// Not a number, or an infinity, all along.
  bool is_special() const { return !(terms[0] - terms[0] == 0); }
};

struct Stretch {
  double centre = 0, scale = 0;  ///< t = (x - centre) scale
  std::array<Polynomial, kQuantities> of;
};

using WideTerms = std::array<Wide, Polynomial::kTerms>;

class ExactReference {
 public:
  /// `reference` takes one argument and dual numbers.
  ExactReference(const Reference& reference, ScalarType dtype);

  Exact at(double x) const;
  /// From `low` to `high`, two numbers of one sign, where polynomials are exact to a fiftieth of a
  /// last place of every result; else none.
  std::optional<Stretch> along(double low, double high) const;

 private:
  /// The second and higher derivatives around 0. There the slopes of neighbours differ by less than
  /// 113 bits hold, those of numbers near 2^-20 do not.
  struct NearZero {
    bool is_known = false;
    WideTerms slope = {};  ///< the terms in x
    Wide derivative(int order, Wide x) const;
  };
  std::vector<WideDual> evaluate(const std::vector<Wide>& x) const;
  /// Of the numbers at the nodes, then between them. None if the polynomial is not good enough, or
  /// some of them only are no numbers of the type.
  std::optional<Polynomial> fitted(const std::vector<Wide>& exact, WideTerms& terms,
                                   Wide& error) const;
  /// None if it is off by more than a fiftieth of a last place of `smallest`.
  std::optional<Polynomial> rounded(const WideTerms& terms, Wide error, Wide smallest) const;
  NearZero symmetric() const;
  NearZero one_sided(int sign) const;
  const NearZero* near_zero(double x) const;

  const Reference& reference_;
  const ScalarType dtype_;
  const double smallest_;  ///< a fiftieth of the smallest number of the type
  NearZero below_, above_;
};

}  // namespace notape::verify::exhaustive
