// Ties: shared evenly by operators that return a value, given to one by those that return an index.
#include <cmath>

#include "autograd/autograd.h"
#include "autograd/tensor/factories.h"
#include "ops/arithmetic.h"
#include "ops/conv.h"
#include "ops/index.h"
#include "ops/loss.h"
#include "ops/pooling.h"
#include "ops/reduce.h"
#include "ops/selection.h"
#include "verify/atlas/atlas.h"

namespace notape::verify::atlas {
namespace {

using T = const Tensor&;
constexpr const char* kShared = "ties, no index returned";
constexpr const char* kIndexed = "ties, index returned";

Tensor first_half(T x) { return x.narrow(0, 0, 2); }
Tensor second_half(T x) { return x.narrow(0, 2, 2); }

}  // namespace

std::vector<Row> ties() {
  constexpr double third = 1.0 / 3;
  return {
      of_vector(kShared, "the largest of two tied", Rule::R3, {2, 5, 5, 1}, {5},
                {{0, 0.5, 0.5, 0}, {0, 0, 0, 0}},
                {{"max(x)", "max", [](T x) { return max(x); }},
                 {"-min(-x)", "min", [](T x) { return -min(-x); }},
                 {"cdist(x, 0, inf)", "cdist",
                  [](T x) {
                    const Tensor row = x.reshape({1, x.numel()});
                    return cdist(row, zeros_like(row.detach()), HUGE_VAL).reshape({});
                  }},
                 {"max of maximum of halves", "maximum",
                  [](T x) { return max(maximum(first_half(x), second_half(x))); }}},
                "C16"),
      of_vector(kShared, "the smallest of three tied", Rule::R3, {3, 3, 3}, {3},
                {{third, third, third}, {0, 0, 0}},
                {{"min(x)", "min", [](T x) { return min(x); }},
                 {"median(x)", "median", [](T x) { return median(x); }},
                 {"amin(x)", "amin", [](T x) { return amin(x); }},
                 {"scatter_reduce(.., amin)", "scatter_reduce",
                  [](T x) {
                    const Tensor place = zeros({2}, kInt64);
                    return scatter_reduce(x.narrow(0, 0, 1), 0, place, x.narrow(0, 1, 2), "amin")
                        .squeeze();
                  }},
                 {"-amax(-x)", "amax", [](T x) { return -amax(-x, 0); }},
                 {"-max(-x)", "max", [](T x) { return -max(-x); }}},
                "C16"),
      of_vector(
          kShared, "max(a, b), both active", Rule::R3, {1, 2, 1, 3}, {1, 3},
          {{0.5, 0, 0.5, 1}, {0, 0, 0, 0}},
          {{"maximum(a, b)", "maximum", [](T x) { return maximum(first_half(x), second_half(x)); }},
           {"maximum(b, a)", "maximum", [](T x) { return maximum(second_half(x), first_half(x)); }},
           {"-minimum(-a, -b)", "minimum",
            [](T x) { return -minimum(-first_half(x), -second_half(x)); }}},
          "C16"),
      of_vector(kShared, "the extreme of two NaN", Rule::R3, {kNaN, 1, kNaN}, {kNaN},
                {{0.5, 0, 0.5}},
                {{"max(x)", "max", [](T x) { return max(x); }},
                 {"min(x)", "min", [](T x) { return min(x); }}},
                "C16"),
      of_vector(kShared, "the deviation of equal ones", Rule::R3, {1, 1, 1}, {0}, {{0, 0, 0}},
                {{"std(x)", "std", [](T x) { return notape::std(x); }},
                 {"std_mean(x)", "std_mean", [](T x) { return std::get<0>(std_mean(x)); }}}),
      of_vector(kIndexed, "the first largest", Rule::R8, {2, 5, 5, 1}, {5},
                {{0, 1, 0, 0}, {0, 0, 0, 0}},
                {{"max(x, dim)", "max_dim", [](T x) { return std::get<0>(max(x, 0)); }},
                 {"-min(-x, dim)", "min_dim", [](T x) { return -std::get<0>(min(-x, 0)); }},
                 {"topk(x, 1)", "topk", [](T x) { return std::get<0>(topk(x, 1)).squeeze(); }},
                 {"sort(x, descending)[0]", "sort",
                  [](T x) { return std::get<0>(notape::sort(x, 0, true))[0]; }},
                 {"median(x, dim)", "median_dim",
                  [](T x) { return std::get<0>(median(x.narrow(0, 1, 2), 0)); }},
                 {"cummax(x)[-1]", "cummax",
                  [](T x) { return std::get<0>(cummax(x.narrow(0, 0, 2), 0))[1]; }},
                 {"-cummin(-x)[-1]", "cummin",
                  [](T x) { return -std::get<0>(cummin(-x.narrow(0, 0, 2), 0))[1]; }},
                 {"gather(x, argmax(x))", "gather",
                  [](T x) { return gather(x, 0, argmax(x, 0, true)).squeeze(); }},
                 {"max_pool2d", "max_pool2d",
                  [](T x) {
                    return max_pool2d(x.view({1, 1, 4}), {1, 4}).squeeze();
                  }},
                 {"max_pool1d", "max_pool1d",
                  [](T x) {
                    return max_pool1d(x.view({1, 4}), 4).squeeze();
                  }},
                 {"max_pool3d", "max_pool3d",
                  [](T x) {
                    return max_pool3d(x.view({1, 1, 1, 4}), {1, 1, 4}).squeeze();
                  }},
                 {"adaptive_max_pool1d", "adaptive_max_pool1d",
                  [](T x) {
                    return std::get<0>(adaptive_max_pool1d(x.view({1, 4}), 1)).squeeze();
                  }},
                 {"adaptive_max_pool2d", "adaptive_max_pool2d",
                  [](T x) {
                    return std::get<0>(adaptive_max_pool2d(x.view({1, 1, 4}), 1)).squeeze();
                  }},
                 {"embedding_bag, mode 2", "embedding_bag",
                  [](T x) {
                    const Tensor all = arange(4, kInt64), bag = zeros({1}, kInt64);
                    return std::get<0>(embedding_bag(x.view({4, 1}), all, bag, false, 2)).squeeze();
                  }}},
                "C16"),
      of_vector(kIndexed, "the first smallest", Rule::R8, {5, 2, 2, 7}, {2},
                {{0, 1, 0, 0}, {0, 0, 0, 0}},
                {{"min(x, dim)", "min_dim", [](T x) { return std::get<0>(min(x, 0)); }},
                 {"-max(-x, dim)", "max_dim", [](T x) { return -std::get<0>(max(-x, 0)); }},
                 {"gather(x, argmin(x))", "gather",
                  [](T x) { return gather(x, 0, argmin(x, 0, true)).squeeze(); }}},
                "C16"),
  };
}

}  // namespace notape::verify::atlas
