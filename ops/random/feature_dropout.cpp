// feature_dropout(x): one draw for each channel (n, c). alpha_dropout(x) = a (x or, where it is
// dropped, -alpha') + b with alpha' = 1.7580993408473766, a = ((alpha'^2 p + 1) (1 - p))^(-1/2), b
// = a alpha' p; feature_alpha_dropout(x) the same for channels. G. Klambauer et al.,
// "Self-normalizing neural networks", 2017.
#include "ops/arithmetic.h"
#include "ops/core/composite.h"
#include "ops/core/overwrite.h"
#include "ops/core/promotion.h"
#include "ops/random.h"
#include "ops/random/draw_mask.h"
#include "ops/random/overwrite.h"
#include "ops/selection.h"
#include "ops/spec/plain.h"

namespace notape {
namespace {

constexpr double kAlpha = 1.7580993408473766;

struct Affine {
  explicit Affine(double p) : factor(1 / std::sqrt((kAlpha * kAlpha * p + 1) * (1 - p))) {
    kept = kAlpha * factor * p;
    dropped = kAlpha * factor * (p - 1);
  }
  double factor, kept, dropped;
};

Tensor alpha_dropped(const Operation& op, const Tensor& input, double p, bool train,
                     bool features) {
  check_operands(op, {&input});
  check_dropout_probability(op, p);
  if (!train || p == 0 || input.numel() == 0) return input;
  check_dropout_type(op, input);
  const auto sizes = features ? feature_sizes(op, input) : input.sizes().vec();
  const Tensor mask = draw_mask(op, sizes, p, input.device());
  if (p == 1) return keep_scaled(op, input, mask, 0);
  const Composite composite({&input});
  const Affine a(p);
  return where(mask, add(mul(input, a.factor, op.at), a.kept, 1, op.at), a.dropped, op.at);
}

/// What was dropped of self over self: nothing saved of it is written over but masks.
Tensor& dropped_(const Operation& op, Tensor& self, double p, bool train, const auto& dropped) {
  check_operand(op, self);
  if (train && p != 0 && self.numel() != 0) check_to_overwrite(op, self);
  const Tensor result = dropped();
  return result.is_same(self) ? self : overwrite(op, self, result);
}

using Call = Tensor (*)(const Tensor&, double, bool, At);

template <Call call, bool features, bool alpha>
OpCase draw_feature_dropout(Draw& draw) {
  const double p = draw.real(0, 1);
  const auto seed = static_cast<uint64_t>(draw.integer(0, 1 << 20));
  OpCase one;
  one.label = format_message("p={}, seed={}", {p, seed});
  one.arguments = {{.sizes = draw.shape(features ? 2 : 0, 4)}};
  one.call = [=](const variable_list& x) {
    const SeedScope scope(seed);
    return call(x[0], p, true, At::current());
  };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    PlainTensor<T> result(x[0].sizes);
    int64_t group = 1;  // entries that share a draw
    for (std::size_t d = 2; features && d < x[0].sizes.size(); ++d) group *= x[0].sizes[d];
    const auto draws = draws_of_mask(seed, result.values.size());
    for (int64_t i = 0; i < result.numel(); ++i) {
      const bool kept = keeps(draws[static_cast<std::size_t>(i / group)], p);
      const T value = x[0].values[static_cast<std::size_t>(i)];
      T& y = result.values[static_cast<std::size_t>(i)];
      if (p == 0) {
        y = value;
      } else if (!alpha) {
        y = kept ? value / (1 - T(p)) : T(0);
      } else if (p < 1) {
        const T square = T(kAlpha) * T(kAlpha) * T(p) + T(1);
        const T a = T(1) / math::sqrt(square * (T(1) - T(p)));
        y = a * (kept ? value : T(-kAlpha)) + a * T(kAlpha) * T(p);
      }
    }
    return result;
  };
  return one;
}

const RegisterOp feature_row({.name = "feature_dropout",
                              .family = "random",
                              .draw = draw_feature_dropout<feature_dropout, true, false>});
const RegisterOp alpha_row({.name = "alpha_dropout",
                            .family = "random",
                            .draw = draw_feature_dropout<alpha_dropout, false, true>});
const RegisterOp feature_alpha_row(
    {.name = "feature_alpha_dropout",
     .family = "random",
     .draw = draw_feature_dropout<feature_alpha_dropout, true, true>});

}  // namespace

std::vector<int64_t> feature_sizes(const Operation& op, const Tensor& input) {
  if (input.dim() < 2)
    op.fail<ShapeError>("feature dropout requires at least 2 dimensions in the input, got size {}",
                        to_string(input.sizes()));
  std::vector<int64_t> sizes(static_cast<std::size_t>(input.dim()), 1);
  sizes[0] = input.size(0);
  sizes[1] = input.size(1);
  return sizes;
}

Tensor feature_dropout(const Tensor& input, double p, bool train, At at) {
  const Operation op("feature_dropout", at);
  check_operands(op, {&input});
  check_dropout_probability(op, p);
  if (!train || p == 0 || input.numel() == 0) return input;
  check_dropout_type(op, input);
  const Tensor mask = draw_mask(op, feature_sizes(op, input), p, input.device());
  return keep_scaled(op, input, mask, p == 1 ? 0 : 1 / (1 - p));
}

Tensor alpha_dropout(const Tensor& input, double p, bool train, At at) {
  return alpha_dropped({"alpha_dropout", at}, input, p, train, false);
}

Tensor feature_alpha_dropout(const Tensor& input, double p, bool train, At at) {
  return alpha_dropped({"feature_alpha_dropout", at}, input, p, train, true);
}

Tensor& dropout_(Tensor& self, double p, bool train, At at) {
  return dropped_({"dropout_", at}, self, p, train, [&] { return dropout(self, p, train, at); });
}
Tensor& feature_dropout_(Tensor& self, double p, bool train, At at) {
  return dropped_({"feature_dropout_", at}, self, p, train,
                  [&] { return feature_dropout(self, p, train, at); });
}
Tensor& alpha_dropout_(Tensor& self, double p, bool train, At at) {
  return dropped_({"alpha_dropout_", at}, self, p, train,
                  [&] { return alpha_dropout(self, p, train, at); });
}
Tensor& feature_alpha_dropout_(Tensor& self, double p, bool train, At at) {
  return dropped_({"feature_alpha_dropout_", at}, self, p, train,
                  [&] { return feature_alpha_dropout(self, p, train, at); });
}

}  // namespace notape
