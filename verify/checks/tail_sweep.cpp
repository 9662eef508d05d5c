#include "verify/checks/tail_sweep.h"

#include <algorithm>
#include <cmath>

#include "autograd/autograd.h"
#include "autograd/tensor/factories.h"
#include "ops/spec/known_by_result.h"
#include "verify/numeric/last_place.h"
#include "verify/numeric/tail_points.h"

namespace notape::verify {
namespace {

namespace forward_ad = autograd::forward_ad;

/// The operator at all points.
class Native {
 public:
  Native(const Subject& subject, const std::vector<Numbers>& columns)
      : subject_(subject), columns_(columns) {}

  void run_reverse(Numbers& values, std::vector<Numbers>& gradients) const {
    const EnableGradGuard recording;
    const variable_list x = inputs(true);
    const Tensor y = subject_.drawn.op.call(x);
    values = numbers_of(y);
    gradients.resize(columns_.size());
    if (!y.requires_grad()) return;
    const auto found =
        autograd::grad({y}, subject_.active_of(x), {ones_like(y)}, false, false, true);
    for (std::size_t i = 0; i < found.size(); ++i)
      gradients[subject_.real_arguments()[i]] =
          found[i].defined() ? numbers_of(found[i]) : Numbers(values.size(), 0);
  }

  /// The derivative by one argument in forward mode.
  Numbers run_forward(std::size_t argument) const {
    const NoGradGuard no_grad;
    const forward_ad::DualLevelGuard level;
    variable_list x = inputs(false);
    x[argument] = forward_ad::make_dual(x[argument], ones_like(x[argument]));
    const auto [primal, tangent] = forward_ad::unpack_dual(subject_.drawn.op.call(x));
    return tangent.defined() ? numbers_of(tangent)
                             : Numbers(static_cast<std::size_t>(primal.numel()), 0);
  }

 private:
  variable_list inputs(bool active) const {
    variable_list result;
    for (std::size_t a = 0; a < columns_.size(); ++a) {
      const DrawnArgument& one = subject_.drawn.arguments[a];
      result.push_back(make_tensor(columns_[a], {static_cast<int64_t>(columns_[a].size())},
                                   one.dtype(subject_.dtype), subject_.device));
      if (active && one.is_real()) result.back().requires_grad_(true);
    }
    return result;
  }

  const Subject& subject_;
  const std::vector<Numbers>& columns_;
};

/// The reference at one point: its value and its slope along one argument.
struct Exact {
  WideDual result;
  bool is_tie;  ///< branches meet here, and the slope is that of one of them
};
Exact exact_at(const Subject& subject, const Numbers& point, std::size_t moving) {
  DualList x;
  for (std::size_t a = 0; a < point.size(); ++a) {
    DualTensor& one = x.emplace_back(std::vector<int64_t>{});
    one.values[0] = a == moving ? WideDual(Wide(point[a]), Wide(1)) : WideDual(Wide(point[a]));
  }
  const math::BranchTrace trace;
  const DualTensor y = subject.drawn.op.reference(x);
  return {y.values[0], trace.distance() == 0};
}

/// How much of the slope a last place of the result is worth, in last places of the slope.
double excused_places(const KnownByResult* known, const WideDual& exact, ScalarType dtype) {
  if (!known) return 0;
  const Wide lost = loss_of(*known, 1, exact.value, last_place(exact.value, dtype));
  return static_cast<double>(lost / last_place(exact.slope, dtype));
}

class Sweep {
 public:
  Sweep(const Subject& subject, const std::vector<Numbers>& columns)
      : subject_(subject), columns_(columns), known_(known_by_result(subject.spec.name)) {}

  std::vector<TailEntry> run() {
    const Native native(subject_, columns_);
    Numbers values;
    std::vector<Numbers> gradients;
    native.run_reverse(values, gradients);
    for (std::size_t a : subject_.real_arguments()) {
      const Numbers tangents = subject_.spec.forward_mode ? native.run_forward(a) : Numbers();
      for (std::size_t i = 0; i < values.size(); ++i)
        judge(a, i, values[i], gradients[a].empty() ? 0 : gradients[a][i],
              tangents.empty() ? nullptr : &tangents[i]);
    }
    return std::move(entries_);
  }

 private:
  void judge(std::size_t argument, std::size_t i, double value, double gradient,
             const double* tangent) {
    Numbers point;
    for (const Numbers& column : columns_) point.push_back(column[i]);
    const Exact exact = exact_at(subject_, point, argument);
    const WideDual& y = exact.result;
    // The domain ends where the value does, or is no number that the type has.
    if (!is_finite(y.value) || magnitude(y.value) > Wide(largest_of(subject_.dtype))) return;
    if (argument == subject_.real_arguments().front())
      add(TailEntry::Kind::Value, argument, point, y.value, value, 0);
    if (exact.is_tie || y.slope != y.slope) return;
    const double excused = excused_places(known_, y, subject_.dtype);
    add(TailEntry::Kind::Reverse, argument, point, y.slope, gradient, excused);
    if (tangent) add(TailEntry::Kind::Forward, argument, point, y.slope, *tangent, excused);
  }

  void add(TailEntry::Kind kind, std::size_t argument, const Numbers& point, Wide exact, double got,
           double excused) {
    entries_.push_back({kind, argument, point, static_cast<double>(exact), got,
                        last_places_between(exact, got, subject_.dtype), excused});
  }

  const Subject& subject_;
  const std::vector<Numbers>& columns_;
  const KnownByResult* known_;
  std::vector<TailEntry> entries_;
};

/// A column for every argument: `real(a)`, and bits for conditions.
template <typename Real>
std::vector<Numbers> columns_of(const Subject& subject, const Real& real) {
  constexpr uint32_t kStream = 1 << 29;
  std::vector<Numbers> result;
  for (std::size_t a = 0; a < subject.drawn.arguments.size(); ++a) result.push_back(real(a));
  for (std::size_t a = 0; a < result.size(); ++a)
    if (!subject.drawn.arguments[a].is_real())
      for (std::size_t i = 0; i < result[a].size(); ++i)
        result[a][i] =
            keyed_bits(subject.drawn.key, kStream + static_cast<uint32_t>(a), i) & 1 ? 1 : 0;
  return result;
}

}  // namespace

std::string TailEntry::text(ScalarType dtype) const {
  std::string at;
  for (const double x : point) at += (at.empty() ? "" : ", ") + number_text(x, dtype);
  switch (kind) {
    case Kind::Value:
      return "the value at " + at;
    case Kind::Reverse:
      return format_message("the gradient of argument {} at ", {argument}) + at;
    case Kind::Forward:
      break;
  }
  return format_message("the tangent by argument {} at ", {argument}) + at;
}

bool has_tails(const OpCase& one) {
  return one.reference.is_elementwise && one.reference.has_dual();
}

std::vector<TailEntry> sweep(const Subject& subject, const std::vector<Numbers>& columns) {
  return Sweep(subject, columns).run();
}

std::vector<Numbers> some_columns(const Subject& subject, std::size_t count) {
  return columns_of(subject, [&](std::size_t a) {
    return some_tail_points(subject.dtype, subject.drawn.key, static_cast<uint32_t>(a), count);
  });
}

std::vector<Numbers> all_columns(const Subject& subject, int rounds) {
  const Numbers all = all_tail_points(subject.dtype);
  const bool alone = subject.drawn.arguments.size() == 1;
  return columns_of(subject, [&](std::size_t a) {
    if (alone) return all;
    Numbers column;
    for (int round = 0; round < rounds; ++round) {
      const auto stream = static_cast<uint32_t>(16 * round) + static_cast<uint32_t>(a);
      const Numbers some = some_tail_points(subject.dtype, 1, stream, all.size());
      column.insert(column.end(), some.begin(), some.end());
    }
    return column;
  });
}

}  // namespace notape::verify
