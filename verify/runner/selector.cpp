#include "verify/runner/selector.h"

#include <fnmatch.h>

#include <algorithm>
#include <numeric>

#include "verify/runner/changed_files.h"

namespace notape::verify {
namespace {

/// Insertions, deletions, replacements, and swaps of neighbours ("optimal string alignment").
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, above(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    before = std::exchange(above, row);
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      row[j + 1] = std::min({above[j] + (a[i] != b[j]), row[j] + 1, above[j + 1] + 1});
      if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j])
        row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
    }
  }
  return row.back();
}

constexpr std::string_view kChanged = "changed:";

/// A selector, with what it takes to apply it to many operators.
class Selector {
 public:
  /// Throws UnknownCommit.
  explicit Selector(const std::string& text) : text_(text) {
    if (!text.starts_with(kChanged)) return;
    const std::string commit = text.substr(kChanged.size());
    if (commit.empty())
      throw UnknownCommit("'{}' names no commit; 'changed:HEAD' is what is not committed yet",
                          text);
    if (!is_in_repository()) throw UnknownCommit("{}: this is not a git repository", text);
    files_ = changed_files(commit);
    if (!files_) throw UnknownCommit("{}: git knows no commit '{}' here", text, commit);
  }
  bool matches(const OpSpec& spec) const {
    if (files_) return is_changed(spec, *files_);
    return text_ == "all" || fnmatch(text_.c_str(), spec.name, 0) == 0;
  }
  /// No operator may have changed, or there may be none at all.
  bool may_be_empty(const SpecList& from) const {
    return files_.has_value() || (text_ == "all" && from.empty());
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::optional<std::vector<std::string>> files_ = {};
};

}  // namespace

std::string nearest_name(const std::vector<std::string>& names, std::string_view name) {
  // A word of which more than a third is wrong is another word.
  constexpr std::size_t kLongest = 100;
  if (name.size() > kLongest) return "";
  std::string nearest;
  std::size_t least = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::string& one : names) {
    const std::size_t far = distance(name, one);
    if (far >= least || far >= name.size()) continue;
    least = far;
    nearest = one;
  }
  return nearest;
}

std::string nearest_name(const SpecList& from, std::string_view name) {
  std::vector<std::string> names;
  for (const OpSpec* spec : from) names.emplace_back(spec->name);
  return nearest_name(names, name);
}

SpecList select(const SpecList& from, const std::vector<std::string>& words,
                const std::string& where_listed) {
  const std::vector<Selector> selectors(words.begin(), words.end());
  for (const Selector& selector : selectors) {
    const bool known = std::any_of(from.begin(), from.end(),
                                   [&](const OpSpec* spec) { return selector.matches(*spec); });
    if (known || selector.may_be_empty(from)) continue;
    const std::string near = nearest_name(from, selector.text());
    throw UnknownOperator("no operator is called '{}';{} {}", selector.text(),
                          near.empty() ? "" : " did you mean '" + near + "'?",
                          where_listed.empty()
                              ? format_message("`notape verify list` shows all {}", {from.size()})
                              : where_listed);
  }
  SpecList chosen;
  for (const OpSpec* spec : from)
    if (selectors.empty() ||
        std::any_of(selectors.begin(), selectors.end(),
                    [&](const Selector& selector) { return selector.matches(*spec); }))
      chosen.push_back(spec);
  return chosen;
}

}  // namespace notape::verify
