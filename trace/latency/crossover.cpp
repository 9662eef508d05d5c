#include "trace/latency/crossover.h"

#include <fmt/format.h>

#include <cmath>

namespace notape::trace {

Crossover crossover(const std::vector<CurvePoint>& points) {
  Crossover result;
  const CurvePoint& first = points.front();
  const CurvePoint& last = points.back();
  result.dispatch_ns = first.ns;
  if (last.size > first.size)
    result.ns_per_1000 = 1000 * (last.ns - first.ns) / static_cast<double>(last.size - first.size);
  const double twice = 2 * first.ns;
  std::size_t below = points.size();  // the last one that takes less
  while (below > 0 && points[below - 1].ns >= twice) --below;
  const std::string dispatch = fmt::format("dispatch takes {:.1f} ns ({} float{})", first.ns,
                                           first.size, first.size == 1 ? "" : "s");
  if (below == points.size() || below == 0) {
    result.words = fmt::format(
        "{}; work does not outweigh it up to {} floats, which take {:.1f} "
        "times as long",
        dispatch, last.size, last.ns / first.ns);
    return result;
  }
  const CurvePoint& before = points[below - 1];
  const CurvePoint& behind = points[below];
  const double share = std::log(twice / before.ns) / std::log(behind.ns / before.ns);
  result.size =
      static_cast<double>(before.size) *
      std::pow(static_cast<double>(behind.size) / static_cast<double>(before.size), share);
  result.words = fmt::format(
      "{}; work outweighs it from about {:.0f} floats on ({} take {:.1f} times as long, {} take "
      "{:.1f} times)",
      dispatch, *result.size, before.size, before.ns / first.ns, behind.size, behind.ns / first.ns);
  return result;
}

}  // namespace notape::trace
