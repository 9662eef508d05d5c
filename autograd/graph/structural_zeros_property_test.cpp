// Random programs of selections, movements and elementwise operations, against an oracle that knows
// for every entry which entries it was computed from and with what derivative. Inputs are such that
// much of what is not selected has infinite derivatives or none.
#include <cmath>
#include <random>

#include "autograd/graph/support.h"
#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

using autograd::grad;
using autograd::forward_ad::DualLevelGuard;
using autograd::forward_ad::make_dual;
using autograd::forward_ad::unpack_dual;

constexpr int64_t kEntries = 4;

/// One entry of one tensor: its value and the entries it was computed from.
struct Entry {
  double value;
  std::vector<std::pair<std::size_t, double>> from;  // entry, derivative
};

/// A tensor and the oracle's entries of it.
struct Value {
  Tensor tensor;
  std::vector<std::size_t> entries;
};

class Program {
 public:
  Program(uint32_t seed, double shift) : random_(seed) {
    const double inputs[] = {0, 1, 2, -1, 0, 0.5};
    Value x;
    std::vector<double> numbers;
    for (int64_t i = 0; i < kEntries; ++i) {
      numbers.push_back(inputs[draw(6)] + shift);
      x.entries.push_back(add({numbers.back(), {}}));
    }
    x_ = tensor(numbers, dtype(kFloat64));
    x.tensor = x_;
    input_ = x;
  }

  /// Runs on `x`; the result is a sum of selected entries, whose numbers `chosen` gets.
  Tensor run(const Tensor& x) {
    values_ = {input_};
    values_[0].tensor = x;
    const int steps = 3 + draw(8);
    for (int i = 0; i < steps; ++i) values_.push_back(step());
    const std::vector<bool> mask = draw_mask();
    const Value last = values_.back();
    for (std::size_t i = 0; i < mask.size(); ++i)
      if (mask[i]) chosen_.push_back(last.entries[i]);
    const Tensor selected = where(as_tensor(mask), last.tensor, 0).sum();
    if (draw(2) == 0) return selected;
    const Value all = any();
    chosen_.insert(chosen_.end(), all.entries.begin(), all.entries.end());
    return selected + all.tensor.sum();
  }

  const Tensor& x() const { return x_; }

  /// The oracle's gradient; empty if a derivative on a selected path is infinite or undefined.
  std::vector<double> expected() const {
    std::vector<bool> reached(all_.size());
    std::vector<double> gradient(all_.size());
    for (std::size_t entry : chosen_) {
      reached[entry] = true;
      gradient[entry] += 1;
    }
    for (std::size_t i = all_.size(); i-- > 0;) {
      if (!reached[i]) continue;
      for (const auto& [from, derivative] : all_[i].from) {
        if (!std::isfinite(derivative)) return {};
        reached[from] = true;
        gradient[from] += gradient[i] * derivative;
      }
    }
    gradient.resize(kEntries);
    return gradient;
  }
  bool meets_infinity() const {
    for (const Entry& entry : all_)
      for (const auto& one : entry.from)
        if (!std::isfinite(one.second)) return true;
    return false;
  }

 private:
  int draw(int below) { return static_cast<int>(random_() % static_cast<uint32_t>(below)); }
  std::vector<bool> draw_mask() {
    std::vector<bool> mask;
    for (int64_t i = 0; i < kEntries; ++i) mask.push_back(draw(2) == 0);
    return mask;
  }
  static Tensor as_tensor(const std::vector<bool>& mask) {
    const Tensor result = zeros({kEntries}, kBool);
    for (std::size_t i = 0; i < mask.size(); ++i) result.data_ptr<bool>()[i] = mask[i];
    return result;
  }
  const Value& any() {
    return values_[static_cast<std::size_t>(draw(static_cast<int>(values_.size())))];
  }
  std::size_t add(Entry entry) {
    all_.push_back(std::move(entry));
    return all_.size() - 1;
  }
  const Entry& at(std::size_t entry) const { return all_[entry]; }

  /// f(a) entry by entry, with its derivative.
  Value map(const Value& a, Tensor tensor, const std::function<double(double)>& f,
            const std::function<double(double)>& slope) {
    Value result{std::move(tensor), {}};
    for (std::size_t entry : a.entries) {
      const double v = at(entry).value;
      result.entries.push_back(add({f(v), {{entry, slope(v)}}}));
    }
    return result;
  }
  /// Constant or passed on, whichever `passes` says.
  Value keep(const Value& a, Tensor tensor, const std::function<bool(double)>& passes,
             const std::function<double(double)>& otherwise) {
    Value result{std::move(tensor), {}};
    for (std::size_t entry : a.entries) {
      const double v = at(entry).value;
      result.entries.push_back(passes(v) ? entry : add({otherwise(v), {}}));
    }
    return result;
  }
  Value picked(const Value& a, Tensor tensor, const std::vector<int64_t>& places) {
    Value result{std::move(tensor), {}};
    for (int64_t place : places)
      result.entries.push_back(a.entries[static_cast<std::size_t>(place)]);
    return result;
  }
  std::vector<int64_t> draw_places() {
    std::vector<int64_t> places;
    for (int64_t i = 0; i < kEntries; ++i) places.push_back(draw(kEntries));
    return places;
  }
  static Tensor as_tensor(const std::vector<int64_t>& places) {
    const Tensor result = zeros({static_cast<int64_t>(places.size())}, kInt64);
    for (std::size_t i = 0; i < places.size(); ++i) result.data_ptr<int64_t>()[i] = places[i];
    return result;
  }

  Value step() {
    const Value a = any(), b = any();
    switch (draw(20)) {
      case 0:
        return map(
            a, log(a.tensor), [](double v) { return std::log(v); },
            [](double v) { return v < 0 ? NAN : 1 / v; });
      case 1:
        return map(
            a, sqrt(a.tensor), [](double v) { return std::sqrt(v); },
            [](double v) { return 0.5 / std::sqrt(v); });
      case 2:
        return map(
            a, reciprocal(a.tensor), [](double v) { return 1 / v; },
            [](double v) { return -1 / (v * v); });
      case 3:
        return map(
            a, a.tensor * 1.5 - 0.25, [](double v) { return v * 1.5 - 0.25; },
            [](double) { return 1.5; });
      case 4: {
        Value result{a.tensor * b.tensor, {}};
        for (std::size_t i = 0; i < kEntries; ++i) {
          const double u = at(a.entries[i]).value, v = at(b.entries[i]).value;
          result.entries.push_back(add({u * v, {{a.entries[i], v}, {b.entries[i], u}}}));
        }
        return result;
      }
      case 5: {
        Value result{a.tensor / b.tensor, {}};
        for (std::size_t i = 0; i < kEntries; ++i) {
          const double u = at(a.entries[i]).value, v = at(b.entries[i]).value;
          result.entries.push_back(
              add({u / v, {{a.entries[i], 1 / v}, {b.entries[i], -u / (v * v)}}}));
        }
        return result;
      }
      case 6: {
        Value result{a.tensor + b.tensor, {}};
        for (std::size_t i = 0; i < kEntries; ++i)
          result.entries.push_back(add({at(a.entries[i]).value + at(b.entries[i]).value,
                                        {{a.entries[i], 1}, {b.entries[i], 1}}}));
        return result;
      }
      case 7:
      case 8:
      case 9: {
        const std::vector<bool> mask = draw_mask();
        Value result{where(as_tensor(mask), a.tensor, b.tensor), {}};
        for (std::size_t i = 0; i < kEntries; ++i)
          result.entries.push_back(mask[i] ? a.entries[i] : b.entries[i]);
        return result;
      }
      case 10: {
        const std::vector<bool> mask = draw_mask();
        Value result{a.tensor.masked_fill(as_tensor(mask), 0.75), {}};
        for (std::size_t i = 0; i < kEntries; ++i)
          result.entries.push_back(mask[i] ? add({0.75, {}}) : a.entries[i]);
        return result;
      }
      case 11:
        return keep(
            a, relu(a.tensor - 0.37) + 0.37, [](double v) { return !(v <= 0.37); },
            [](double) { return 0.37; });
      case 12:
        return keep(
            a, clamp(a.tensor, 0.31, 1.73), [](double v) { return v > 0.31 && v < 1.73; },
            [](double v) { return std::isnan(v) ? v
                                  : v < 1       ? 0.31
                                                : 1.73; });
      case 13: {
        const std::vector<int64_t> places = draw_places();
        return picked(a, a.tensor.index_select(0, as_tensor(places)), places);
      }
      case 14: {
        const std::vector<int64_t> places = draw_places();
        return picked(a, a.tensor.index({as_tensor(places)}), places);
      }
      case 15: {
        const std::vector<int64_t> places = draw_places();
        return picked(a, a.tensor.gather(0, as_tensor(places)), places);
      }
      case 16:
        return picked(a, a.tensor.view({2, 2}).t().contiguous().view({kEntries}), {0, 2, 1, 3});
      case 17: {
        const int64_t cut = draw(kEntries + 1);
        Value result{cat({a.tensor.narrow(0, 0, cut), b.tensor.narrow(0, cut, kEntries - cut)}),
                     {}};
        for (int64_t i = 0; i < kEntries; ++i)
          result.entries.push_back((i < cut ? a : b).entries[static_cast<std::size_t>(i)]);
        return result;
      }
      case 18: {
        Tensor written = a.tensor.clone();
        Value result{written, a.entries};
        for (int i = draw(3); i >= 0; --i) {
          const int64_t to = draw(kEntries), from = draw(kEntries);
          if (draw(2) == 0) {
            written[to].copy_(b.tensor[from]);
            result.entries[static_cast<std::size_t>(to)] =
                b.entries[static_cast<std::size_t>(from)];
          } else {
            written[to].fill_(0.6);
            result.entries[static_cast<std::size_t>(to)] = add({0.6, {}});
          }
        }
        return result;
      }
      default: {
        Value result{a.tensor.view({2, 2}).sum({0}).expand({2, 2}).reshape({kEntries}), {}};
        for (std::size_t i = 0; i < kEntries; ++i) {
          const std::size_t one = a.entries[i % 2], two = a.entries[i % 2 + 2];
          result.entries.push_back(add({at(one).value + at(two).value, {{one, 1}, {two, 1}}}));
        }
        return result;
      }
    }
  }

  std::mt19937 random_;
  Tensor x_;
  Value input_;
  std::vector<Entry> all_;
  std::vector<Value> values_;
  std::vector<std::size_t> chosen_;
};

/// d(program) / dx by the oracle.
std::vector<double> expected_at(uint32_t seed, double shift) {
  Program program(seed, shift);
  program.run(program.x());
  return program.expected();
}

TEST(StructuralZerosProperty, GradientsAreThoseOfTheSelectedPaths) {
  int checked = 0, telling = 0, wrong_without = 0;
  for (uint32_t seed = 1; seed <= 3000; ++seed) {
    SCOPED_TRACE(seed);
    Program program(seed, 0);
    const Tensor x = program.x().clone().requires_grad_();
    const Tensor result = program.run(x);
    const std::vector<double> expected = program.expected();
    if (expected.empty() || !result.requires_grad()) continue;
    ++checked;
    telling += program.meets_infinity();
    const auto check = [&](const Tensor& gradient) {
      const std::vector<double> got =
          gradient.defined() ? values(gradient) : std::vector<double>(kEntries);
      bool same = true;
      for (std::size_t i = 0; i < kEntries; ++i)
        same &= std::abs(got[i] - expected[i]) <= 1e-11 * std::max(1.0, std::abs(expected[i]));
      return same;
    };
    EXPECT_TRUE(check(grad({result}, {x}, {}, true, false, true)[0])) << "reverse";
    EXPECT_TRUE(check(grad({result}, {x}, {}, true, true, true)[0])) << "recorded";
    owe_zeros_everywhere = true;
    EXPECT_TRUE(check(grad({result}, {x}, {}, true, false, true)[0])) << "owed";
    EXPECT_TRUE(check(grad({result}, {x}, {}, true, true, true)[0])) << "owed and recorded";
    owe_zeros_everywhere = false;
    const IeeeGradientGuard ieee;
    wrong_without += !check(grad({result}, {x}, {}, true, false, true)[0]);
  }
  EXPECT_GT(checked, 1500);
  EXPECT_GT(telling, 800);
  EXPECT_GT(wrong_without, 300);
}

TEST(StructuralZerosProperty, TangentsAreThoseOfTheSelectedPaths) {
  for (uint32_t seed = 1; seed <= 1000; ++seed) {
    SCOPED_TRACE(seed);
    const DualLevelGuard level;
    Program program(seed, 0);
    const Tensor direction = constant({1, -2, 0.5, 3});
    const Tensor result = program.run(make_dual(program.x(), direction));
    const std::vector<double> expected = program.expected();
    const Tensor tangent = unpack_dual(result).tangent;
    if (expected.empty()) continue;
    double sum = 0;
    for (std::size_t i = 0; i < kEntries; ++i) sum += expected[i] * values(direction)[i];
    const double got = tangent.defined() ? values(tangent)[0] : 0;
    EXPECT_NEAR(got, sum, 1e-11 * std::max(1.0, std::abs(sum)));
  }
}

TEST(StructuralZerosProperty, SecondDerivativesAreThoseOfTheSelectedPaths) {
  constexpr double kStep = 1e-5;
  int checked = 0;
  for (uint32_t seed = 1; seed <= 1000; ++seed) {
    SCOPED_TRACE(seed);
    Program program(seed, 0);
    const Tensor x = program.x().clone().requires_grad_();
    const Tensor result = program.run(x);
    if (program.expected().empty() || !result.requires_grad()) continue;
    const Tensor first = grad({result}, {x}, {}, {}, true, true)[0];
    const std::vector<double> above = expected_at(seed, kStep), below = expected_at(seed, -kStep);
    if (!first.defined() || above.empty() || below.empty()) continue;
    const Tensor second =
        first.requires_grad() ? grad({first.sum()}, {x}, {}, {}, false, true)[0] : Tensor();
    for (std::size_t i = 0; i < kEntries; ++i) {
      const double numeric = (above[i] - below[i]) / (2 * kStep);
      const double got = second.defined() ? values(second)[i] : 0;
      const double size = std::max({1.0, std::abs(numeric), std::abs(values(first)[i])});
      EXPECT_TRUE(std::isfinite(got));
      if (size < 1e3) {
        EXPECT_NEAR(got, numeric, 1e-4 * size);
      }
    }
    ++checked;
  }
  EXPECT_GT(checked, 400);
}

}  // namespace
}  // namespace notape::testing
