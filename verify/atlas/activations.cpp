// Activations where their pieces meet.
#include "autograd/autograd.h"
#include "ops/activation.h"
#include "ops/arithmetic.h"
#include "ops/selection.h"
#include "verify/atlas/atlas.h"

namespace notape::verify::atlas {
namespace {

using T = const Tensor&;

Row meeting(const char* function, Numbers x, Numbers value, std::vector<Numbers> derivatives,
            std::vector<Spelling> spellings, const char* libtorch = "") {
  return pointwise("activations", function, Rule::R3, std::move(x), std::move(value),
                   std::move(derivatives), std::move(spellings), "", libtorch);
}

Row leaking(const char* function, double at_zero, Numbers derivative, Numbers value,
            std::vector<Spelling> spellings, const char* libtorch) {
  derivative[0] = at_zero;
  return meeting(function, {0, 2, -2}, std::move(value), {std::move(derivative), {0, 0, 0}},
                 std::move(spellings), libtorch);
}

}  // namespace

std::vector<Row> activations() {
  return {
      leaking(
          "x, or x / 4 below 0", 0.25, {0, 1, 0.25}, {0, 2, -0.5},
          {{"leaky_relu(x, 1/4)", "leaky_relu", [](T x) { return leaky_relu(x, 0.25); }},
           {"leaky_relu_(x, 1/4)", "leaky_relu",
            [](T x) {
              Tensor y = x.clone();
              return leaky_relu_(y, 0.25);
            }},
           {"prelu(x, 1/4)", "prelu", [](T x) { return prelu(x, full({1}, 0.25, x.options())); }},
           {"rrelu(x, 1/4, 1/4)", "rrelu", [](T x) { return rrelu(x, 0.25, 0.25, true); }},
           {"rrelu(x, 0, 1/2)", "rrelu", [](T x) { return rrelu(x, 0, 0.5); }}},
          ""),
      leaking("x, or 2 x below 0", 1, {0, 1, 2}, {0, 2, -4},
              {{"leaky_relu(x, 2)", "leaky_relu", [](T x) { return leaky_relu(x, 2); }},
               {"prelu(x, 2)", "prelu", [](T x) { return prelu(x, full({1}, 2, x.options())); }},
               {"rrelu(x, 2, 2)", "rrelu", [](T x) { return rrelu(x, 2, 2, true); }}},
              "2"),
      leaking("x, or -x below 0", 0, {0, 1, -1}, {0, 2, 2},
              {{"leaky_relu(x, -1)", "leaky_relu", [](T x) { return leaky_relu(x, -1); }},
               {"prelu(x, -1)", "prelu", [](T x) { return prelu(x, full({1}, -1, x.options())); }}},
              "-1"),
      meeting("elu", {0, 1}, {0, 1}, {{1, 1}, {0, 0}},
              {{"elu(x)", "elu", [](T x) { return elu(x); }},
               {"celu(x)", "celu", [](T x) { return celu(x); }}}),
      meeting("elu, steeper below", {0, 1}, {0, 1}, {{1, 1}, {0, 0}},
              {{"elu(x, 2)", "elu", [](T x) { return elu(x, 2); }}}, "2"),
      meeting("selu", {0}, {0}, {{1.0507009873554804934193349852946}},
              {{"selu(x)", "selu", [](T x) { return selu(x); }}}, "1.758 at 0"),
      meeting("min(max(x, -1), 1)", {-1, 1, 0, 3}, {-1, 1, 0, 1}, {{0, 0, 1, 0}, {0, 0, 0, 0}},
              {{"hardtanh(x)", "hardtanh", [](T x) { return hardtanh(x); }},
               {"clamp(x, -1, 1)", "clamp", [](T x) { return clamp(x, -1, 1); }}}),
      meeting("min(max(x, 0), 6)", {0, 6, 3, 7}, {0, 6, 3, 6}, {{0, 0, 1, 0}, {0, 0, 0, 0}},
              {{"relu6(x)", "relu6", [](T x) { return relu6(x); }},
               {"hardtanh(x, 0, 6)", "hardtanh", [](T x) { return hardtanh(x, 0, 6); }}}),
      meeting("hardsigmoid", {-3, 3, 4}, {0, 1, 1}, {{0, 0, 0}, {0, 0, 0}},
              {{"hardsigmoid(x)", "hardsigmoid", [](T x) { return hardsigmoid(x); }}}),
      meeting("hardswish", {-3, 3, 4, -4}, {0, 3, 4, 0}, {{0, 1, 1, 0}, {0, 0, 0, 0}},
              {{"hardswish(x)", "hardswish", [](T x) { return hardswish(x); }}}),
      meeting("softshrink", {0.5, -0.5, 0, 2}, {0, 0, 0, 1.5}, {{0, 0, 0, 1}, {0, 0, 0, 0}},
              {{"softshrink(x)", "softshrink", [](T x) { return softshrink(x); }}}),
      pointwise(
          "activations", "jumps to x", Rule::R5, {0.5, -0.5, 0, 2}, {0, 0, 0, 2},
          {{0, 0, 0, 1}, {0, 0, 0, 0}},
          {{"hardshrink(x)", "hardshrink", [](T x) { return hardshrink(x); }},
           {"where(|x| > 1/2, x, 0)", "where", [](T x) { return where(abs(x) > 0.5, x, 0); }}}),
      pointwise("activations", "threshold", Rule::R5, {1, 0, 2}, {-3, -3, 2},
                {{0, 0, 1}, {0, 0, 0}},
                {{"threshold(x, 1, -3)", "threshold", [](T x) { return threshold(x, 1, -3); }},
                 {"where(x > 1, x, -3)", "where", [](T x) { return where(x > 1, x, -3); }}}),
  };
}

}  // namespace notape::verify::atlas
