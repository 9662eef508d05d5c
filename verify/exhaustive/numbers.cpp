#include <algorithm>
#include <bit>
#include <set>

#include "autograd/tensor/half.h"
#include "ops/spec/op_spec.h"
#include "verify/exhaustive/walk.h"
#include "verify/generate/choice_draw.h"

namespace notape::verify::exhaustive {

uint64_t patterns_of(ScalarType dtype) { return uint64_t{1} << (8 * element_size(dtype)); }

double number_of_bits(uint64_t bits, ScalarType dtype) {
  if (dtype == kFloat16) return float(Half::from_bits(static_cast<uint16_t>(bits)));
  if (dtype == kBFloat16) return float(BFloat16::from_bits(static_cast<uint16_t>(bits)));
  return std::bit_cast<float>(static_cast<uint32_t>(bits));
}

uint64_t bits_of_number(double x, ScalarType dtype) {
  if (dtype == kFloat16) return Half(x).bits();
  if (dtype == kBFloat16) return BFloat16(x).bits();
  return std::bit_cast<uint32_t>(static_cast<float>(x));
}

std::vector<OpCase> unary_cases(const OpSpec& spec, std::size_t others) {
  std::vector<OpCase> cases;
  std::set<std::string> labels;
  for (uint64_t seed = 0; seed < 64 && cases.size() <= others; ++seed) {
    ChoiceDraw draw = seed == 0 ? ChoiceDraw(Choices()) : ChoiceDraw(rc::Random(seed));
    OpCase one = spec.draw(draw);
    const bool is_unary = one.arguments.size() == 1 &&
                          one.arguments[0].kind == Argument::Kind::Real &&
                          one.reference.is_elementwise && one.reference.has_dual();
    if (seed == 0 && !is_unary) return {};
    if (is_unary && labels.insert(one.label).second) cases.push_back(std::move(one));
  }
  return cases;
}

std::vector<OpCase> binary_cases(const OpSpec& spec) {
  ChoiceDraw draw{Choices()};
  OpCase one = spec.draw(draw);
  const auto is_real = [](const Argument& each) { return each.kind == Argument::Kind::Real; };
  if (one.arguments.size() != 2 || !one.reference.is_elementwise || !one.reference.has_dual() ||
      !std::all_of(one.arguments.begin(), one.arguments.end(), is_real))
    return {};
  return {std::move(one)};
}

}  // namespace notape::verify::exhaustive
