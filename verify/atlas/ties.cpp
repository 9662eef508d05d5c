// Ties: shared evenly by operators that return a value, given to one by those that return an index.
#include "autograd/autograd.h"
#include "ops/ops.h"
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
                 {"max of maximum of halves", "maximum",
                  [](T x) { return max(maximum(first_half(x), second_half(x))); }}},
                "C16"),
      of_vector(kShared, "the smallest of three tied", Rule::R3, {3, 3, 3}, {3},
                {{third, third, third}, {0, 0, 0}},
                {{"min(x)", "min", [](T x) { return min(x); }},
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
      of_vector(kIndexed, "the first largest", Rule::R8, {2, 5, 5, 1}, {5},
                {{0, 1, 0, 0}, {0, 0, 0, 0}},
                {{"max(x, dim)", "max_dim", [](T x) { return std::get<0>(max(x, 0)); }},
                 {"-min(-x, dim)", "min_dim", [](T x) { return -std::get<0>(min(-x, 0)); }},
                 {"gather(x, argmax(x))", "gather",
                  [](T x) { return gather(x, 0, argmax(x, 0, true)).squeeze(); }},
                 {"max_pool2d", "max_pool2d",
                  [](T x) {
                    return max_pool2d(x.view({1, 1, 4}), {1, 4}).squeeze();
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
