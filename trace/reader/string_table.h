// StringTable: every name once, as a number. Kernel names take kilobytes and repeat.
#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

namespace notape::trace {

/// Numbers go by first appearance: compare names, not numbers, where the order of events must not
/// show.
using StringId = uint32_t;

/// A copy is the same table.
class StringTable {
 public:
  StringTable() { intern(""); }

  StringId intern(std::string_view text) {
    const auto found = names_->ids.find(text);
    if (found != names_->ids.end()) return found->second;
    const auto id = static_cast<StringId>(names_->texts.size());
    names_->ids.emplace(names_->texts.emplace_back(text), id);
    return id;
  }
  /// Good as long as the table.
  std::string_view operator[](StringId id) const { return names_->texts[id]; }
  std::size_t size() const { return names_->texts.size(); }

 private:
  struct Names {
    std::deque<std::string> texts;  // texts stay where they are
    std::unordered_map<std::string_view, StringId> ids;
  };
  std::shared_ptr<Names> names_ = std::make_shared<Names>();
};

}  // namespace notape::trace
