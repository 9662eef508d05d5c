// StringTable: every name once, as a number. Kernel names take kilobytes and repeat.
#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace notape::trace {

/// Numbers go by first appearance: compare names, not numbers, where the order of events must not
/// show.
using StringId = uint32_t;

class StringTable {
 public:
  StringTable() { intern(""); }

  StringId intern(std::string_view text) {
    const auto found = ids_.find(text);
    if (found != ids_.end()) return found->second;
    const auto id = static_cast<StringId>(texts_.size());
    ids_.emplace(texts_.emplace_back(text), id);
    return id;
  }
  /// Good as long as the table.
  std::string_view operator[](StringId id) const { return texts_[id]; }
  std::size_t size() const { return texts_.size(); }

 private:
  std::deque<std::string> texts_;  // texts stay where they are
  std::unordered_map<std::string_view, StringId> ids_;
};

}  // namespace notape::trace
