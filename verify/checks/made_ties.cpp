#include "verify/checks/made_ties.h"

#include <algorithm>
#include <cmath>

namespace notape::verify {
namespace {

/// The positions of a slice along a dimension.
std::vector<std::vector<std::size_t>> slices_along(const std::vector<int64_t>& sizes,
                                                   std::size_t dim) {
  std::size_t inner = 1, outer = 1;
  const auto length = static_cast<std::size_t>(sizes[dim]);
  for (std::size_t d = 0; d < sizes.size(); ++d)
    if (d != dim) (d < dim ? outer : inner) *= static_cast<std::size_t>(sizes[d]);
  std::vector<std::vector<std::size_t>> slices;
  for (std::size_t o = 0; o < outer; ++o)
    for (std::size_t i = 0; i < inner; ++i) {
      std::vector<std::size_t>& slice = slices.emplace_back();
      for (std::size_t k = 0; k < length; ++k) slice.push_back((o * length + k) * inner + i);
    }
  return slices;
}

/// Moves the outermost entry of every slice to the next one, all the way or three quarters of it.
std::optional<MadeTie> tied(const DrawnCase& drawn, std::size_t argument, std::size_t dim,
                            bool largest) {
  MadeTie made{.drawn = drawn, .tie = {argument, {}}, .beside = drawn, .how = {}};
  const Numbers& values = drawn.arguments[argument].values;
  for (std::vector<std::size_t>& slice :
       slices_along(drawn.arguments[argument].argument.sizes, dim)) {
    std::partial_sort(slice.begin(), slice.begin() + 2, slice.end(),
                      [&](std::size_t one, std::size_t other) {
                        return largest ? values[one] > values[other] : values[one] < values[other];
                      });
    const double outer = values[slice[0]], next = values[slice[1]];
    if (!std::isfinite(outer) || !std::isfinite(next)) continue;
    made.drawn.arguments[argument].values[slice[0]] = next;
    made.beside.arguments[argument].values[slice[0]] = next + (outer - next) / 4;
    made.tie.entries.insert(made.tie.entries.end(), {slice[0], slice[1]});
  }
  if (made.tie.entries.empty()) return {};
  made.how =
      format_message("the two {} entries of argument {}{}",
                     {largest ? "largest" : "smallest", argument,
                      drawn.arguments[argument].argument.sizes.size() > 1
                          ? format_message(" along dimension {}", {static_cast<int64_t>(dim)})
                          : std::string()});
  return made;
}

}  // namespace

std::vector<MadeTie> made_ties(const DrawnCase& drawn, std::size_t argument) {
  const DrawnArgument& one = drawn.arguments[argument];
  std::vector<MadeTie> all;
  const bool no_number = std::any_of(one.values.begin(), one.values.end(),
                                     [](double value) { return std::isnan(value); });
  if (!one.is_real() || one.argument.distinct || no_number || one.values.empty()) return all;
  for (std::size_t d = 0; d < one.argument.sizes.size(); ++d) {
    if (one.argument.sizes[d] < 2) continue;
    for (bool largest : {true, false})
      if (largest || one.argument.sizes[d] > 2)
        if (auto made = tied(drawn, argument, d, largest)) all.push_back(std::move(*made));
  }
  return all;
}

}  // namespace notape::verify
