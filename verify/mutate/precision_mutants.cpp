// Arithmetic with fewer bits than the dtype has.
#include "autograd/autograd.h"
#include "ops/arithmetic.h"
#include "verify/mutate/edits.h"

namespace notape::verify::mutate {
namespace {

constexpr int kBfloat16Bits = 7, kHalfBits = 10, kQuickRootBits = 12;

variable_list as_float32(const variable_list& x) {
  variable_list result;
  for (const Tensor& one : x) result.push_back(one.dtype() == kFloat64 ? one.to(kFloat32) : one);
  return result;
}

Rules in_float32(const Target&) {
  return {[](const Site& s, const Tensor& v) {
            const Tensor g = s.right.gradient(s.argument, as_float32(s.x), v.to(kFloat32));
            return g.defined() ? g.to(v.dtype()) : g;
          },
          [](const Site& s, const Tensor& t) {
            return s.right.tangent(s.argument, as_float32(s.x), t.to(kFloat32)).to(t.dtype());
          }};
}

Rules rounded_to(int bits) {
  return {edited_gradient([=](const Tensor& g) { return rounded(g, bits); }),
          [=](const Site& s, const Tensor& t) { return rounded(right_tangent(s, t), bits); }};
}

Rules quick_root(const Target& t) {
  return Rules::both([power = t.name == "sqrt" ? 1 : 3](const Site& s, const Tensor& v) {
    const Tensor root = rounded(rsqrt(s.x[0]), kQuickRootBits);
    return power == 1 ? v * root * 0.5 : v * root * root * root * -0.5;
  });
}

}  // namespace

void add_precision_mutants(std::vector<Mutant>& all) {
  all.push_back({.id = "M44",
                 .what = "float32 inside a float64 rule",
                 .plant = in_float32,
                 .baseline = true,
                 .float64_only = true});
  all.push_back({.id = "M45",
                 .what = "bfloat16 inside a rule",
                 .plant = anywhere(rounded_to(kBfloat16Bits)),
                 .baseline = true});
  all.push_back({.id = "M46",
                 .what = "accumulation in half precision",
                 .needs = "to accumulate",
                 .at = kAddsUp,
                 .plant = anywhere(rounded_to(kHalfBits))});
  all.push_back({.id = "M47",
                 .what = "12-bit reciprocal square root",
                 .needs = "a root",
                 .of = {"sqrt", "rsqrt"},
                 .plant = quick_root});
}

}  // namespace notape::verify::mutate
