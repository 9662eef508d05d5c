#include "verify/numeric/least_norm.h"

#include <algorithm>
#include <optional>

namespace notape::verify {
namespace {

using Vector = std::vector<Wide>;

Wide dot(const Vector& a, const Vector& b) {
  Wide sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// The point of least norm on the plane through `corners`: weights that sum to 1, by Gaussian
/// elimination. Empty if the corners do not span a plane or a weight is negative.
std::optional<Vector> least_norm_on_plane(const std::vector<Vector>& corners) {
  const std::size_t n = corners.size() + 1;
  std::vector<Vector> rows(n, Vector(n + 1, 0));
  for (std::size_t i = 0; i + 1 < n; ++i) {
    for (std::size_t j = 0; j + 1 < n; ++j) rows[i][j] = dot(corners[i], corners[j]);
    rows[i][n - 1] = rows[n - 1][i] = 1;
  }
  rows[n - 1][n] = 1;
  for (std::size_t column = 0; column < n; ++column) {
    const auto pivot = std::max_element(rows.begin() + static_cast<std::ptrdiff_t>(column),
                                        rows.end(), [&](const Vector& a, const Vector& b) {
                                          return magnitude(a[column]) < magnitude(b[column]);
                                        });
    if (magnitude((*pivot)[column]) < Wide(1e-20)) return {};
    std::swap(*pivot, rows[column]);
    for (std::size_t i = 0; i < n; ++i) {
      if (i == column) continue;
      const Wide factor = rows[i][column] / rows[column][column];
      for (std::size_t j = column; j <= n; ++j) rows[i][j] -= factor * rows[column][j];
    }
  }
  Vector point(corners[0].size(), 0);
  for (std::size_t i = 0; i + 1 < n; ++i) {
    const Wide weight = rows[i][n] / rows[i][i];
    if (weight < Wide(-1e-20)) return {};
    for (std::size_t d = 0; d < point.size(); ++d) point[d] += weight * corners[i][d];
  }
  return point;
}

}  // namespace

std::vector<Wide> least_norm(const std::vector<Vector>& gradients) {
  std::vector<Vector> corners;
  for (const Vector& gradient : gradients)
    if (std::none_of(corners.begin(), corners.end(), [&](const Vector& known) {
          Wide distance = 0;
          for (std::size_t d = 0; d < known.size(); ++d)
            distance = std::max(distance, magnitude(known[d] - gradient[d]));
          return distance < Wide(1e-9);
        }))
      corners.push_back(gradient);
  // The nearest point lies on some face: try all of them.
  Vector best = corners[0];
  for (uint32_t face = 1; face < 1u << corners.size(); ++face) {
    std::vector<Vector> chosen;
    for (std::size_t i = 0; i < corners.size(); ++i)
      if (face >> i & 1) chosen.push_back(corners[i]);
    const auto point = least_norm_on_plane(chosen);
    if (point && dot(*point, *point) < dot(best, best)) best = *point;
  }
  return best;
}

}  // namespace notape::verify
