// Selection and masks, guarded quotients, reductions of constant, masked and empty samples.
#include "autograd/autograd.h"
#include "ops/arithmetic.h"
#include "ops/comparison.h"
#include "ops/linalg.h"
#include "ops/loss.h"
#include "ops/reduce.h"
#include "ops/selection.h"
#include "verify/atlas/atlas.h"

namespace notape::verify::atlas {
namespace {

using T = const Tensor&;

/// 0, ..., 0, 1: only the last entry is selected.
Tensor last_only(T x) { return arange(0, x.numel(), kInt64).eq(x.numel() - 1); }

Row empty_sample(const char* function, double value, std::vector<Spelling> spellings) {
  return of_vector("empty", function, Rule::R1, {}, {value}, {{}, {}}, std::move(spellings), "E13");
}

}  // namespace

std::vector<Row> selections() {
  return {
      of_vector("selection, masks", "the last of non-finite entries", Rule::R2,
                {kInfinity, kNaN, 2}, {0, 0, 2}, {{0, 0, 1}, {0, 0, 0}},
                {{"where(mask, x, 0)", "where", [](T x) { return where(last_only(x), x, 0); }},
                 {"where(mask, x, tensor 0)", "where",
                  [](T x) { return where(last_only(x), x, zeros_like(x)); }},
                 {"masked_fill(x, !mask, 0)", "masked_fill",
                  [](T x) { return masked_fill(x, logical_not(last_only(x)), 0); }},
                 {"masked_fill_", "masked_fill",
                  [](T x) { return x.clone().masked_fill_(logical_not(last_only(x)), 0); }}},
                "C1"),
      of_vector("selection, masks", "log of summed exponentials, one masked", Rule::R6,
                {0, -kInfinity}, {0}, {{1, 0}, {0, 0}},
                {{"logsumexp", "logsumexp", [](T x) { return logsumexp(x, 0); }},
                 {"x[0] - log_softmax(x)[0]", "log_softmax",
                  [](T x) { return x[0] - log_softmax(x, 0)[0]; }}},
                "C11"),
      of_vector("selection, masks", "softmax, one masked", Rule::R6, {0, 0, -kInfinity},
                {0.5, 0.5, 0}, {{0, 0, 0}, {0, 0, 0}},
                {{"softmax", "softmax", [](T x) { return softmax(x, 0); }}}, "C11"),
      of_vector("guarded quotients", "x / max(|x|, 1e-12)", Rule::R7, {0}, {0}, {{1e12}},
                {{"x / clamp_min(abs(x), 1e-12)", "clamp_min",
                  [](T x) { return x / clamp_min(abs(x), 1e-12); }},
                 {"x / maximum(abs(x), constant)", "maximum",
                  [](T x) { return x / maximum(abs(x), full_like(x, 1e-12)); }}},
                "C17"),
      of_vector(
          "norms and distances", "variance of a constant sample", Rule::R1, {1, 1, 1, 1}, {0},
          {{0, 0, 0, 0}, {0, 0, 0, 0}},
          {{"var(x)", "var", [](T x) { return var(x); }},
           {"var(x, dim)", "var", [](T x) { return var(x, 0); }},
           {"sum((x - mean(x))^2) / 3", "mean", [](T x) { return square(x - mean(x)).sum() / 3; }}},
          "C5"),
      of_vector(
          "norms and distances", "squared distance of equal points", Rule::R1, {2, 3}, {0},
          {{0, 0}, {1, 1}},
          {{"mse_loss(x, constant x)", "mse_loss", [](T x) { return mse_loss(x, x.detach()); }},
           {"mean((x - constant x)^2)", "square",
            [](T x) { return square(x - x.detach()).mean(); }}}),
      empty_sample("sum of nothing", 0,
                   {{"sum(x)", "sum", [](T x) { return sum(x); }},
                    {"sum(x, dim)", "sum", [](T x) { return sum(x, 0); }}}),
      empty_sample("product of nothing", 1,
                   {{"prod(x)", "prod", [](T x) { return prod(x); }},
                    {"prod(x, dim)", "prod", [](T x) { return prod(x, 0); }}}),
      empty_sample("mean of nothing", kNaN,
                   {{"mean(x)", "mean", [](T x) { return mean(x); }},
                    {"mean(x, dim)", "mean", [](T x) { return mean(x, 0); }}}),
      empty_sample("last of running sums of nothing", 0,
                   {{"sum(cumsum(x))", "cumsum", [](T x) { return cumsum(x, 0).sum(); }},
                    {"dot(x, x)", "dot", [](T x) { return dot(x, x); }}}),
  };
}

}  // namespace notape::verify::atlas
