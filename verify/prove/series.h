// Arb's numbers and polynomials, with destructors.
#pragma once
#include <arb_hypgeom.h>
#include <arb_poly.h>

namespace notape::math {

/// The terms of a series, and with how many bits their intervals' middles are computed: around the
/// middle of a cell, and on all of it.
inline constexpr slong kTerms = 28, kBits[] = {320, 128};

struct Ball {
  arb_t value;
  Ball() { arb_init(value); }
  Ball(const Ball& other) {
    arb_init(value);
    arb_set(value, other.value);
  }
  Ball& operator=(const Ball& other) {
    arb_set(value, other.value);
    return *this;
  }
  ~Ball() { arb_clear(value); }
};

struct Poly {
  arb_poly_t value;
  Poly() { arb_poly_init(value); }
  Poly(const Poly&) = delete;
  Poly& operator=(const Poly&) = delete;
  ~Poly() { arb_poly_clear(value); }
};

struct SeriesPair {
  arb_poly_t of[2];  ///< around the middle, and on the cell
  SeriesPair() {
    for (auto& poly : of) arb_poly_init(poly);
  }
  SeriesPair(const SeriesPair&) = delete;
  SeriesPair& operator=(const SeriesPair&) = delete;
  ~SeriesPair() {
    for (auto& poly : of) arb_poly_clear(poly);
  }
};

}  // namespace notape::math
