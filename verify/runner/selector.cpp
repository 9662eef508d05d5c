#include "verify/runner/selector.h"

#include <fnmatch.h>

#include <algorithm>
#include <numeric>

namespace notape::verify {
namespace {

/// Levenshtein's distance: insertions, deletions and replacements.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] != b[j]);
      diagonal = std::exchange(row[j + 1], std::min({replaced, row[j] + 1, row[j + 1] + 1}));
    }
  }
  return row.back();
}

bool matches(const std::string& selector, const char* name) {
  return selector == "all" || fnmatch(selector.c_str(), name, 0) == 0;
}

}  // namespace

std::string nearest_name(const SpecList& from, std::string_view name) {
  std::string nearest;
  std::size_t least = std::max<std::size_t>(2, name.size() / 2);
  for (const OpSpec* spec : from) {
    const std::size_t far = distance(name, spec->name);
    if (far >= least && !(far == least && nearest.empty())) continue;
    least = far;
    nearest = spec->name;
  }
  return nearest;
}

SpecList select(const SpecList& from, const std::vector<std::string>& selectors) {
  for (const std::string& selector : selectors) {
    const bool known = std::any_of(from.begin(), from.end(), [&](const OpSpec* spec) {
      return matches(selector, spec->name);
    });
    if (known || (selector == "all" && from.empty())) continue;
    const std::string near = nearest_name(from, selector);
    throw UnknownOperator("no operator is called '{}'{}; `notape verify list` shows all {}",
                          selector, near.empty() ? "" : "; did you mean '" + near + "'?",
                          from.size());
  }
  SpecList chosen;
  for (const OpSpec* spec : from)
    if (selectors.empty() ||
        std::any_of(selectors.begin(), selectors.end(),
                    [&](const std::string& selector) { return matches(selector, spec->name); }))
      chosen.push_back(spec);
  return chosen;
}

}  // namespace notape::verify
