#include "verify/numeric/wide_case.h"

#include <algorithm>
#include <cmath>

namespace notape::verify {

WideList wide_values(const DrawnCase& drawn) {
  WideList result;
  for (const DrawnArgument& drawn_argument : drawn.arguments) {
    WideTensor& tensor = result.emplace_back();
    tensor.sizes = drawn_argument.argument.sizes;
    tensor.values.assign(drawn_argument.values.begin(), drawn_argument.values.end());
  }
  return result;
}

WideList jittered(const DrawnCase& drawn, double epsilon, int round) {
  constexpr uint32_t kStream = 1 << 21;
  WideList x = wide_values(drawn);
  for (std::size_t a = 0; a < x.size(); ++a) {
    if (!drawn.arguments[a].is_real()) continue;
    const Domain& domain = drawn.arguments[a].argument.domain;
    for (std::size_t i = 0; i < x[a].values.size(); ++i) {
      const uint32_t stream =
          kStream + static_cast<uint32_t>(round) * 64 + static_cast<uint32_t>(a);
      const double xi = keyed_bits(drawn.key, stream, i) * 0x1p-31 - 1;
      Wide& value = x[a].values[i];
      if (!is_finite(value)) continue;
      value += value * Wide(xi * epsilon);
      value = std::clamp(value, Wide(domain.low), Wide(domain.high));
    }
  }
  return x;
}

void move(WideList& x, const Direction& u, Wide t) {
  for (std::size_t a = 0; a < u.parts.size(); ++a)
    for (std::size_t i = 0; i < u.parts[a].size(); ++i)
      if (u.parts[a][i] != 0) x[a].values[i] += t * Wide(u.parts[a][i]);
}

Sample weighted_sum(const Numbers& v, const std::vector<Wide>& y) {
  if (v.size() != y.size())
    throw ShapeError("the result has {} entries, its reference {}", v.size(), y.size());
  Sample sum;
  for (std::size_t i = 0; i < v.size(); ++i) {
    const Wide term = Wide(v[i]) * y[i];
    sum.value += term;
    sum.magnitude += magnitude(term);
  }
  return sum;
}

Sample weighted_result(const Numbers& v, const WideTensor& y, const WideList& x) {
  Sample sum = weighted_sum(v, y.values);
  Wide largest = 1;
  for (const WideTensor& tensor : x)
    for (const Wide& value : tensor.values) largest = std::max(largest, magnitude(value));
  for (double weight : v) sum.magnitude += largest * Wide(std::abs(weight));
  return sum;
}

Sample weighted_sum(const Direction& u, const std::vector<Numbers>& g) {
  Sample sum;
  for (std::size_t a = 0; a < u.parts.size(); ++a) {
    for (std::size_t i = 0; i < std::min(u.parts[a].size(), g[a].size()); ++i) {
      if (u.parts[a][i] == 0) continue;
      const Wide term = Wide(u.parts[a][i]) * Wide(g[a][i]);
      sum.value += term;
      sum.magnitude += magnitude(term);
    }
  }
  return sum;
}

bool is_finite(Wide x) { return x - x == 0; }

}  // namespace notape::verify
