// The determinant by expansion by minors. Rows of the first r rows share minors: there is one for
// each set of r columns, and all of one size are computed at a time.
#include <bit>

#include "gradbench.h"

using namespace gradbench;

Tensor determinant(const Tensor& a, int64_t n) {
  const auto sets = uint32_t{1} << n;
  std::vector<int64_t> place(sets);  // of a set among those of its size
  Tensor minors = ones({1}, dtype(kFloat64));
  for (int64_t row = 0; row < n; ++row) {
    std::vector<int64_t> entries, smaller;
    std::vector<double> signs;
    int64_t count = 0;
    for (uint32_t set = 1; set < sets; ++set) {
      if (std::popcount(set) != row + 1) continue;
      double sign = row % 2 == 0 ? 1 : -1;
      for (int64_t column = 0; column < n; ++column) {
        const uint32_t bit = uint32_t{1} << column;
        if ((set & bit) == 0) continue;
        entries.push_back(row * n + column);
        smaller.push_back(place[set & ~bit]);
        signs.push_back(sign);
        sign = -sign;
      }
      place[set] = count++;
    }
    const Tensor products = a.index_select(0, tensor(entries)) *
                            minors.index_select(0, tensor(smaller)) *
                            tensor(signs, dtype(kFloat64));
    minors = products.view({count, row + 1}).sum(1);
  }
  return minors.squeeze(0);
}

int main(int count, char** arguments) {
  return run(
      count, arguments,
      {{"primal",
        [](const Json& input) {
          const Tensor a = to_tensor(input["A"]);
          return to_json(timed(input, [&] { return determinant(a, input["ell"]); }));
        }},
       {"gradient", [](const Json& input) {
          const Tensor a = leaf(to_tensor(input["A"]));
          return to_json(timed(input, [&] { return gradient(determinant(a, input["ell"]), a); }));
        }}});
}
