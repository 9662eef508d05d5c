// One-sided bounds, the absolute value, and steps.
#include "autograd/autograd.h"
#include "ops/ops.h"
#include "verify/atlas/atlas.h"

namespace notape::verify::atlas {
namespace {

using T = const Tensor&;

Row above_zero() {
  return pointwise(
      "one-sided bounds", "max(x, 0)", Rule::R3, {0, -0.0, 1, -1}, {0, 0, 1, 0},
      {{0, 0, 1, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}},
      {{"relu", "relu", [](T x) { return relu(x); }},
       {"relu_", "relu", [](T x) { return x.clone().relu_(); }},
       {"clamp_min(x, 0)", "clamp_min", [](T x) { return clamp_min(x, 0); }},
       {"clamp(x, 0, none)", "clamp", [](T x) { return clamp(x, 0); }},
       {"clamp_(x, 0, none)", "clamp", [](T x) { return x.clone().clamp_(0); }},
       {"maximum(x, constant 0)", "maximum", [](T x) { return maximum(x, zeros_like(x)); }},
       {"maximum(x, view of constant 0)", "maximum",
        [](T x) { return maximum(x, zeros({1}, x.options()).expand(x.sizes())); }},
       {"maximum(constant 0, x)", "maximum", [](T x) { return maximum(zeros_like(x), x); }},
       {"where(x > 0, x, 0)", "where", [](T x) { return where(x > 0, x, 0); }},
       {"where(x <= 0, 0, x)", "where", [](T x) { return where(x <= 0, 0, x); }},
       {"masked_fill(x, x <= 0, 0)", "masked_fill", [](T x) { return masked_fill(x, x <= 0, 0); }}},
      "C16", "clamp: 1, maximum: 1/2");
}

Row below_one() {
  return pointwise(
      "one-sided bounds", "min(x, 1)", Rule::R3, {1, 0, 2}, {1, 0, 1}, {{0, 1, 0}, {0, 0, 0}},
      {{"clamp_max(x, 1)", "clamp_max", [](T x) { return clamp_max(x, 1); }},
       {"clamp(x, none, 1)", "clamp", [](T x) { return clamp(x, {}, 1); }},
       {"minimum(x, constant 1)", "minimum", [](T x) { return minimum(x, ones_like(x)); }},
       {"where(x < 1, x, 1)", "where", [](T x) { return where(x < 1, x, 1); }}},
      "C16", "clamp: 1, minimum: 1/2");
}

Row between() {
  return pointwise(
      "one-sided bounds", "min(max(x, 0), 6)", Rule::R3, {0, 6, 3, -1, 7}, {0, 6, 3, 0, 6},
      {{0, 0, 1, 0, 0}, {0, 0, 0, 0, 0}},
      {{"clamp(x, 0, 6)", "clamp", [](T x) { return clamp(x, 0, 6); }},
       {"clamp_(x, 0, 6)", "clamp", [](T x) { return x.clone().clamp_(0, 6); }},
       {"clamp_max(relu(x), 6)", "clamp_max", [](T x) { return clamp_max(relu(x), 6); }},
       {"clamp_min(clamp_max(x, 6), 0)", "clamp_min",
        [](T x) { return clamp_min(clamp_max(x, 6), 0); }}},
      "C16", "clamp: 1");
}

Row to_a_point() {
  return pointwise("one-sided bounds", "clamp to a point", Rule::R3, {2, 1, 3}, {2, 2, 2},
                   {{0, 0, 0}, {0, 0, 0}},
                   {{"clamp(x, 2, 2)", "clamp", [](T x) { return clamp(x, 2, 2); }},
                    {"clamp_(x, 2, 2)", "clamp", [](T x) { return x.clone().clamp_(2, 2); }}},
                   "", "1");
}

Row softplus_threshold() {
  return pointwise("steps", "softplus at its threshold", Rule::R5, {20}, {20.000000002061153618},
                   {{0.99999999793884638}},
                   {{"softplus(x)", "softplus", [](T x) { return softplus(x); }},
                    {"softplus(x, 1, 20)", "softplus", [](T x) { return softplus(x, 1, 20); }}});
}

}  // namespace

std::vector<Row> bounds() {
  return {above_zero(),
          below_one(),
          between(),
          to_a_point(),
          pointwise("absolute value", "|x|", Rule::R3, {0, -0.0, 2, -2}, {0, 0, 2, 2},
                    {{0, 0, 1, -1}, {0, 0, 0, 0}, {0, 0, 0, 0}},
                    {{"abs", "abs", [](T x) { return abs(x); }},
                     {"abs_", "abs", [](T x) { return x.clone().abs_(); }},
                     {"maximum(x, -x)", "maximum", [](T x) { return maximum(x, -x); }},
                     {"-minimum(x, -x)", "minimum", [](T x) { return -minimum(x, -x); }}}),
          pointwise("steps", "sign x", Rule::R5, {0, -0.0, 1, -1}, {0, 0, 1, -1},
                    {{0, 0, 0, 0}, {0, 0, 0, 0}}, {{"sign", "sign", [](T x) { return sign(x); }}}),
          softplus_threshold()};
}

}  // namespace notape::verify::atlas
