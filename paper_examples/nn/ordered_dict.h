// OrderedDict: values by name, in the order in which they were put in (LibTorch's).
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "autograd/error.h"

namespace notape::nn {

template <typename Value>
class OrderedDict {
 public:
  /// A name and what is called so; also `auto& [name, value]`.
  struct Item : std::pair<std::string, Value> {
    using std::pair<std::string, Value>::pair;
    const std::string& key() const { return this->first; }
    const Value& value() const { return this->second; }
    Value& value() { return this->second; }
  };

  /// Throws ValueError if there is one of that name.
  Value& insert(std::string key, Value value) {
    if (contains(key)) throw ValueError("there is already a '{}'", key);
    return items_.emplace_back(std::move(key), std::move(value)).second;
  }

  /// Null if there is none.
  const Value* find(const std::string& key) const {
    for (const Item& item : items_)
      if (item.first == key) return &item.second;
    return nullptr;
  }
  Value* find(const std::string& key) { return const_cast<Value*>(std::as_const(*this).find(key)); }
  bool contains(const std::string& key) const { return find(key) != nullptr; }
  /// Throws ValueError if there is none.
  const Value& operator[](const std::string& key) const {
    if (const Value* value = find(key)) return *value;
    throw ValueError("nothing is called '{}'", key);
  }

  const std::vector<Item>& items() const { return items_; }
  std::vector<std::string> keys() const {
    std::vector<std::string> result;
    for (const Item& item : items_) result.push_back(item.first);
    return result;
  }
  std::vector<Value> values() const {
    std::vector<Value> result;
    for (const Item& item : items_) result.push_back(item.second);
    return result;
  }
  std::size_t size() const { return items_.size(); }
  bool is_empty() const { return items_.empty(); }
  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }

 private:
  std::vector<Item> items_;
};

}  // namespace notape::nn
