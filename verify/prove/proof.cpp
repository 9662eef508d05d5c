#include "verify/prove/proof.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <ctime>

#include "autograd/autograd.h"
#include "autograd/tensor/factories.h"
#include "verify/prove/series.h"
#include "verify/prove/tape.h"

namespace notape::prove {
namespace {

using math::Ball;
using math::Branches;
using math::kBits;
using math::kTerms;
using math::Poly;

constexpr int kOrders = 3;
constexpr double kMostSeconds = 12;  ///< of a processor

struct Cell {
  double low, high;
  double middle() const { return low + (high - low) / 2; }
  double radius() const { return std::max(middle() - low, high - middle()) * (1 + 0x1p-50); }
};

/// x on the cell.
Enclosure identity_on(const Cell& cell) {
  const auto pair = std::make_shared<math::SeriesPair>();
  for (int k = 0; k < 2; ++k) {
    Ball start;
    arb_set_d(start.value, cell.middle());
    if (k == 1) mag_set_d(arb_radref(start.value), cell.radius());
    arb_poly_set_coeff_arb(pair->of[k], 0, start.value);
    arb_poly_set_coeff_si(pair->of[k], 1, 1);
  }
  return Enclosure(pair);
}

/// Value and derivatives up to `orders` of a call, entries as they stand in memory.
std::vector<Tensor> derivatives_of(const OpCase& one, const Tensor& at, int orders) {
  const EnableGradGuard recording;
  const Tensor x = at.detach().requires_grad_(true);
  std::vector<Tensor> all = {one.call({x})};
  for (int order = 1; order <= orders; ++order) {
    Tensor next;
    if (all.back().requires_grad())
      next =
          autograd::grad({all.back()}, {x}, {ones_like(all.back())}, {}, order < orders, true)[0];
    all.push_back(next.defined() ? next : zeros_like(x));
  }
  return all;
}
Tensor number_tensor(double x) { return full({1}, x, kFloat64); }
Enclosure enclosure_in(const Tensor& tensor) {
  return enclosure_at(reinterpret_cast<const char*>(tensor.detach().const_data_ptr<double>()));
}
double number_in(const Tensor& tensor) { return tensor.detach().const_data_ptr<double>()[0]; }

/// At most the smallest |a| of an interval.
double size_below(const Ball& a) {
  mag_t bound;
  mag_init(bound);
  arb_get_mag_lower(bound, a.value);
  const double result = mag_get_d(bound);
  mag_clear(bound);
  return result;
}
Ball coefficient(const arb_poly_t poly, slong i) {
  Ball ball;
  arb_poly_get_coeff_arb(ball.value, poly, i);
  return ball;
}

double double_of(const Ball& a) { return arf_get_d(arb_midref(a.value), ARF_RND_NEAR); }

/// An upper bound of |series| on the cell, by the terms around the middle and the remainder.
double bound(const arb_poly_t middle, const arb_poly_t cell, double radius) {
  constexpr slong kLast = kTerms - 1 - kOrders;
  mag_t sum, term, step, power;  // beyond the range of doubles, too
  for (auto* each : {sum, term, step, power}) mag_init(each);
  mag_set_d(step, radius);
  mag_one(power);
  for (slong i = 0; i <= kLast; ++i) {
    arb_get_mag(term, coefficient(i < kLast ? middle : cell, i).value);
    mag_addmul(sum, term, power);
    mag_mul(power, power, step);
  }
  const double result = mag_get_d(sum);
  for (auto* each : {sum, term, step, power}) mag_clear(each);
  return result * (1 + 1e-12);
}

struct Outcome {
  double within = 0;
  Left doubt = {};  ///< no proof on this cell, if it says why
  bool is_refuted = false;
};

class Prover {
 public:
  Prover(const OpCase& one, int orders) : one_(one), orders_(orders) {}

  /// On the cell, whatever its comparisons give.
  Outcome outcome_on(const Cell& cell) {
    Outcome worst;
    try {
      Branches branches;
      do {
        forget_enclosures();
        const Tensor x = number_tensor(0);
        write_enclosure(reinterpret_cast<char*>(x.mutable_data_ptr<double>()), identity_on(cell));
        const std::vector<Tensor> results = derivatives_of(one_, x, orders_);
        const Outcome here = compare(cell, results, branches.chose());
        worst.within = std::max(worst.within, here.within);
        if (!here.doubt.why.empty()) {
          worst.doubt = here.doubt;
          worst.is_refuted = here.is_refuted;
          return worst;
        }
      } while (branches.next());
    } catch (const math::Undecided& undecided) {
      worst.doubt = {{cell.low, cell.high}, 0, undecided.what()};
    }
    return worst;
  }

  /// That what was recorded is what the operator computes.
  std::string difference_from_numbers(const Cell& cell) {
    if (chosen_) return "";  // a branch that the middle is not on
    const double x = cell.middle();
    const std::vector<Tensor> numbers = derivatives_of(one_, number_tensor(x), orders_);
    WideTensor argument({1});
    argument.values[0] = x;
    const double exact = static_cast<double>(one_.reference(WideList{argument}).values[0]);
    for (std::size_t k = 0; k < middles_.size(); ++k) {
      const double number = number_in(numbers[k]), enclosed = middles_[k];
      const double largest = std::max(std::abs(number), scales_[k]);
      if (std::isfinite(number) && std::isfinite(enclosed) &&
          std::abs(number - enclosed) > 1e-6 * largest + 1e-9)
        return fmt::format("what was recorded is {} at {}, the operator gives {} (order {})",
                           enclosed, x, number, k);
    }
    if (std::isfinite(exact) && std::abs(exact - middles_[0]) > 1e-13 * scales_[0] + 1e-290)
      return fmt::format("the operator's formula is {} at {}, the row's reference {}", middles_[0],
                         x, exact);
    return "";
  }

 private:
  Outcome compare(const Cell& cell, const std::vector<Tensor>& results, bool chosen) {
    Outcome outcome;
    const Enclosure value = enclosure_in(results[0]);
    std::array<Poly, 2> exact;
    for (int s = 0; s < 2; ++s)
      arb_poly_set(exact[static_cast<std::size_t>(s)].value, value.series().of[s]);
    chosen_ = chosen;
    middles_.clear();
    scales_.clear();
    for (int order = 0; order <= orders_; ++order) {
      const Enclosure rule = enclosure_in(results[static_cast<std::size_t>(order)]);
      std::array<Poly, 2> difference;
      for (std::size_t s = 0; s < 2; ++s) {
        if (order > 0) arb_poly_derivative(exact[s].value, exact[s].value, kBits[s]);
        arb_poly_sub(difference[s].value, rule.series().of[s], exact[s].value, kBits[s]);
      }
      const double scale = bound(exact[0].value, exact[1].value, cell.radius());
      middles_.push_back(double_of(coefficient(rule.series().of[0], 0)));
      scales_.push_back(scale);
      if (order == 0) continue;
      const double off = bound(difference[0].value, difference[1].value, cell.radius());
      const double within = off == 0 ? 0 : off / scale;
      if (!(within <= kWithin)) {
        const Ball wrong = coefficient(difference[0].value, 0);
        outcome.doubt = {{cell.low, cell.high}, order, "the enclosures are too wide"};
        outcome.is_refuted = !chosen && size_below(wrong) > kWithin * scale;
        if (outcome.is_refuted)
          outcome.doubt = {{cell.middle(), cell.middle()},
                           order,
                           fmt::format("the rule gives {}, the derivative is {}", middles_.back(),
                                       double_of(coefficient(exact[0].value, 0)))};
        return outcome;
      }
      outcome.within = std::max(outcome.within, within);
    }
    return outcome;
  }

  const OpCase& one_;
  const int orders_;
  bool chosen_ = false;
  std::vector<double> middles_, scales_;  ///< by order, of the last comparison
};

double middle_of(const Cell& cell) {
  if (cell.low < 0 && cell.high > 0 &&
      std::max(-cell.low, cell.high) > 64 * std::min(-cell.low, cell.high))
    return 0;
  if (cell.low > 0 && cell.high > 4 * cell.low) return std::sqrt(cell.low) * std::sqrt(cell.high);
  if (cell.high < 0 && cell.low < 4 * cell.high)
    return -std::sqrt(-cell.low) * std::sqrt(-cell.high);
  return cell.middle();
}

double size_of(const Cell& cell) { return std::max(std::abs(cell.low), std::abs(cell.high)); }

void join(std::vector<Left>& all, const Left& next) {
  if (!all.empty() && all.back().where.high >= next.where.low && all.back().order == next.order)
    all.back().where.high = next.where.high;
  else
    all.push_back(next);
}

}  // namespace

extern "C" void notape_prove(const OpCase& one, const Request& asked, Proof& proof) {
  install_proving_loops();
  proof.domain = asked.domain;
  proof.orders = std::min(kOrders, asked.orders);
  Prover prover(one, proof.orders);
  const double width = asked.domain.high - asked.domain.low;
  std::vector<Cell> cells = {{asked.domain.low, asked.domain.high}};
  const std::clock_t start = std::clock();
  Left last;
  while (!cells.empty() && proof.reason.empty() && proof.refuted.empty()) {
    const Cell cell = cells.back();
    cells.pop_back();
    if (static_cast<double>(std::clock() - start) > kMostSeconds * CLOCKS_PER_SEC) {
      proof.reason = fmt::format("not done in {} s of a processor; last on [{}, {}]: {}",
                                 kMostSeconds, last.where.low, last.where.high, last.why);
      break;
    }
    const bool is_short = cell.radius() <= std::max(0.6, std::abs(cell.middle()) / 2);
    Outcome outcome;
    if (is_short)
      outcome = prover.outcome_on(cell);
    else
      outcome.doubt.why = "the cell is long";
    if (outcome.is_refuted) {
      proof.reason = prover.difference_from_numbers(cell);
      if (proof.reason.empty()) proof.refuted.push_back(outcome.doubt);
    } else if (outcome.doubt.why.empty()) {
      if (proof.cells++ % 8 == 0) proof.reason = prover.difference_from_numbers(cell);
      proof.within = std::max(proof.within, outcome.within);
    } else if (cell.high - cell.low <= asked.finest * (size_of(cell) + width * 0x1p-36)) {
      join(proof.left, outcome.doubt);
    } else {
      if (is_short) last = outcome.doubt;
      const double middle = middle_of(cell);
      cells.push_back({middle, cell.high});
      cells.push_back({cell.low, middle});
    }
  }
}

}  // namespace notape::prove
