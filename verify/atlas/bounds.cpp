// One-sided bounds, the absolute value, and steps.
#include "autograd/autograd.h"
#include "ops/activation.h"
#include "ops/arithmetic.h"
#include "ops/loss.h"
#include "ops/reduce.h"
#include "ops/rounding.h"
#include "ops/selection.h"
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
       {"fmax(x, constant 0)", "fmax", [](T x) { return fmax(x, zeros_like(x)); }},
       {"where(x > 0, x, 0)", "where", [](T x) { return where(x > 0, x, 0); }},
       {"where(x <= 0, 0, x)", "where", [](T x) { return where(x <= 0, 0, x); }},
       {"masked_fill(x, x <= 0, 0)", "masked_fill", [](T x) { return masked_fill(x, x <= 0, 0); }},
       {"hinge_embedding_loss(-x, -1, 0)", "hinge_embedding_loss",
        [](T x) { return hinge_embedding_loss(-x, -ones_like(x), 0, Reduction::None); }},
       {"margin_ranking_loss(-x, 0, 1, 0)", "margin_ranking_loss",
        [](T x) {
          return margin_ranking_loss(-x, zeros_like(x), ones_like(x), 0, Reduction::None);
        }}},
      "C16", "clamp: 1, maximum: 1/2");
}

Row below_one() {
  return pointwise(
      "one-sided bounds", "min(x, 1)", Rule::R3, {1, 0, 2}, {1, 0, 1}, {{0, 1, 0}, {0, 0, 0}},
      {{"clamp_max(x, 1)", "clamp_max", [](T x) { return clamp_max(x, 1); }},
       {"clamp(x, none, 1)", "clamp", [](T x) { return clamp(x, {}, 1); }},
       {"minimum(x, constant 1)", "minimum", [](T x) { return minimum(x, ones_like(x)); }},
       {"fmin(x, constant 1)", "fmin", [](T x) { return fmin(x, ones_like(x)); }},
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

Row huber_bounds() {
  return pointwise("one-sided bounds", "Huber's curve", Rule::R3, {1, -1, 0, 3}, {0.5, 0.5, 0, 2.5},
                   {{1, -1, 0, 1}, {0, 0, 1, 0}},
                   {{"huber_loss(x, 0)", "huber_loss",
                     [](T x) { return huber_loss(x, zeros_like(x), Reduction::None); }},
                    {"smooth_l1_loss(x, 0)", "smooth_l1_loss",
                     [](T x) { return smooth_l1_loss(x, zeros_like(x), Reduction::None); }}});
}

Row stirling_from_one_on() {
  return pointwise("steps", "Stirling's term above 1", Rule::R5, {1}, {1}, {{0}},
                   {{"poisson_nll_loss(0, x)", "poisson_nll_loss", [](T x) {
                       return poisson_nll_loss(zeros_like(x), x, true, true, 1e-8, Reduction::None);
                     }}});
}

}  // namespace

std::vector<Row> bounds() {
  return {
      above_zero(),
      below_one(),
      between(),
      to_a_point(),
      pointwise("absolute value", "|x|", Rule::R3, {0, -0.0, 2, -2}, {0, 0, 2, 2},
                {{0, 0, 1, -1}, {0, 0, 0, 0}, {0, 0, 0, 0}},
                {{"abs", "abs", [](T x) { return abs(x); }},
                 {"norm of one", "linalg_vector_norm",
                  [](T x) { return linalg_vector_norm(x.unsqueeze(1), 3, 1); }},
                 {"abs_", "abs", [](T x) { return x.clone().abs_(); }},
                 {"l1_loss(x, 0)", "l1_loss",
                  [](T x) { return l1_loss(x, zeros_like(x), Reduction::None); }},
                 {"maximum(x, -x)", "maximum", [](T x) { return maximum(x, -x); }},
                 {"-minimum(x, -x)", "minimum", [](T x) { return -minimum(x, -x); }}}),
      pointwise("steps", "sign x", Rule::R5, {0, -0.0, 1, -1}, {0, 0, 1, -1},
                {{0, 0, 0, 0}, {0, 0, 0, 0}}, {{"sign", "sign", [](T x) { return sign(x); }}}),
      pointwise("steps", "whole numbers", Rule::R5, {0, 1, -2}, {0, 1, -2}, {{0, 0, 0}},
                {{"floor", "floor", [](T x) { return floor(x); }},
                 {"ceil", "ceil", [](T x) { return ceil(x); }},
                 {"round", "round", [](T x) { return round(x); }},
                 {"trunc", "trunc", [](T x) { return trunc(x); }},
                 {"x - frac", "frac", [](T x) { return x - frac(x); }},
                 {"floor_divide(x, 1)", "floor_divide", [](T x) { return floor_divide(x, 1); }}}),
      pointwise("steps", "what is left of whole numbers", Rule::R5, {0, 1, -2}, {0, 0, 0},
                {{1, 1, 1}, {0, 0, 0}},
                {{"remainder(x, 1)", "remainder", [](T x) { return remainder(x, 1); }},
                 {"fmod(x, 1)", "fmod", [](T x) { return fmod(x, 1); }},
                 {"frac", "frac", [](T x) { return frac(x); }}}),
      pointwise("absolute value", "sqrt(x^2 + 0)", Rule::R3, {0, 3, -4}, {0, 3, 4}, {{0, 1, -1}},
                {{"hypot(x, 0)", "hypot", [](T x) { return hypot(x, zeros_like(x)); }},
                 {"copysign(x, 1)", "copysign", [](T x) { return copysign(x, 1); }}},
                "", "NaN at 0 (hypot)"),
      softplus_threshold(),
      huber_bounds(),
      stirling_from_one_on()};
}

}  // namespace notape::verify::atlas
