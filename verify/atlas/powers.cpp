// Powers at base 0 and at whole exponents, and products with zeros.
#include "autograd/autograd.h"
#include "ops/arithmetic.h"
#include "ops/reduce.h"
#include "verify/atlas/atlas.h"

namespace notape::verify::atlas {
namespace {

using T = const Tensor&;

Row power(const char* function, Rule rule, Numbers points, Numbers value,
          std::vector<Numbers> derivatives, std::vector<Spelling> spellings,
          const char* cases = "") {
  return pointwise("powers", function, rule, std::move(points), std::move(value),
                   std::move(derivatives), std::move(spellings), cases);
}

template <int Numerator, int Denominator = 1>
Tensor by_number(T x) {
  return pow(x, static_cast<double>(Numerator) / Denominator);
}
template <int Numerator, int Denominator = 1>
Tensor by_tensor(T x) {
  return pow(x, full_like(x, static_cast<double>(Numerator) / Denominator));
}

Row product(Numbers point, Numbers first, Numbers second, Numbers third) {
  return of_vector("products", "the product of three", Rule::R1, std::move(point), {0},
                   {std::move(first), std::move(second), std::move(third)},
                   {{"prod(x)", "prod", [](T x) { return prod(x); }},
                    {"prod(x, dim)", "prod", [](T x) { return prod(x, 0); }},
                    {"x[0] x[1] x[2]", "mul", [](T x) { return x[0] * x[1] * x[2]; }}},
                   "C13");
}

}  // namespace

std::vector<Row> powers() {
  return {
      power("x^0", Rule::R1, {0, 1, kInfinity, kNaN}, {1, 1, 1, 1}, {{0, 0, 0, 0}, {0, 0, 0, 0}},
            {{"pow(x, 0)", "pow", by_number<0>}, {"pow(x, tensor 0)", "pow", by_tensor<0>}}, "C7"),
      power("x^1", Rule::R1, {0, -0.0, 2}, {0, 0, 2}, {{1, 1, 1}, {0, 0, 0}},
            {{"pow(x, 1)", "pow", by_number<1>},
             {"pow(x, tensor 1)", "pow", by_tensor<1>},
             {"x * 1", "mul", [](T x) { return x * 1; }}},
            "C7"),
      power("x^2", Rule::R1, {0, -0.0, 1, -3}, {0, 0, 1, 9},
            {{0, 0, 2, -6}, {2, 2, 2, 2}, {0, 0, 0, 0}},
            {{"pow(x, 2)", "pow", by_number<2>},
             {"pow(x, tensor 2)", "pow", by_tensor<2>},
             {"square", "square", [](T x) { return square(x); }},
             {"x * x", "mul", [](T x) { return x * x; }}},
            "C8"),
      power("x^3", Rule::R1, {0, 1, -2}, {0, 1, -8}, {{0, 3, 12}, {0, 6, -12}, {6, 6, 6}},
            {{"pow(x, 3)", "pow", by_number<3>},
             {"pow(x, tensor 3)", "pow", by_tensor<3>},
             {"x * x * x", "mul", [](T x) { return x * x * x; }}},
            "C8"),
      power("x^3/2", Rule::R4, {0, 4, -1}, {0, 8, kNaN}, {{0, 3, kNaN}, {kInfinity, 0.375, kNaN}},
            {{"pow(x, 3/2)", "pow", by_number<3, 2>},
             {"pow(x, tensor 3/2)", "pow", by_tensor<3, 2>}}),
      power("x^1/2", Rule::R4, {0, 4, -1}, {0, 2, kNaN},
            {{kInfinity, 0.25, kNaN}, {-kInfinity, -1.0 / 32, kNaN}},
            {{"sqrt", "sqrt", [](T x) { return sqrt(x); }},
             {"sqrt_", "sqrt", [](T x) { return x.clone().sqrt_(); }},
             {"pow(x, 1/2)", "pow", by_number<1, 2>},
             {"pow(x, tensor 1/2)", "pow", by_tensor<1, 2>}}),
      power("x^-1/2", Rule::R4, {0, 4, -1}, {kInfinity, 0.5, kNaN}, {{-kInfinity, -1.0 / 16, kNaN}},
            {{"rsqrt", "rsqrt", [](T x) { return rsqrt(x); }},
             {"pow(x, -1/2)", "pow", by_number<-1, 2>},
             {"pow(x, tensor -1/2)", "pow", by_tensor<-1, 2>}}),
      power("x^-1", Rule::R4, {0, -0.0, 2}, {kInfinity, -kInfinity, 0.5},
            {{-kInfinity, -kInfinity, -0.25}, {kInfinity, -kInfinity, 0.25}},
            {{"reciprocal", "reciprocal", [](T x) { return reciprocal(x); }},
             {"pow(x, -1)", "pow", by_number<-1>},
             {"pow(x, tensor -1)", "pow", by_tensor<-1>},
             {"1 / x", "div", [](T x) { return ones_like(x) / x; }}}),
      power("0^b", Rule::R6, {1, 0, -1, 0.5}, {0, 1, kInfinity, 0}, {{0, 0, -kInfinity, 0}},
            {{"pow(0, b)", "pow", [](T b) { return pow(0, b); }},
             {"pow(tensor 0, b)", "pow", [](T b) { return pow(zeros_like(b), b); }}},
            "C6"),
      power("2^b", Rule::R1, {1, 0}, {2, 1},
            {{1.3862943611198906, 0.69314718055994531}, {0.96090602783640285, 0.48045301391820142}},
            {{"pow(2, b)", "pow", [](T b) { return pow(2, b); }},
             {"pow(tensor 2, b)", "pow", [](T b) { return pow(full_like(b, 2), b); }}},
            "C6"),
      product({0, 2, 3}, {6, 0, 0}, {5, 3, 2}, {2, 2, 2}),
      product({0, 0, 3}, {0, 0, 0}, {3, 3, 0}, {2, 2, 2}),
      product({0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {2, 2, 2}),
  };
}

}  // namespace notape::verify::atlas
