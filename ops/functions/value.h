// Values: arguments of any kind in one type, as programs hold them that call functions by name.
#pragma once
#include <string>
#include <variant>
#include <vector>

#include "ops/index.h"

namespace notape::functions {

struct Value {
  using Integers = std::vector<int64_t>;
  using List = std::vector<Value>;
  std::variant<std::monostate, Tensor, int64_t, double, bool, std::string, ScalarType, Integers,
               List, indexing::Slice, indexing::EllipsisIndexType>
      held;

  Value() = default;
  template <typename T>
  Value(T one) : held(std::move(one)) {}

  template <typename T>
  const T* as() const {
    return std::get_if<T>(&held);
  }
  bool is_none() const { return as<std::monostate>() != nullptr; }
};
using Values = std::vector<Value>;

/// Every tensor among the values and in their lists.
variable_list tensors_in(const Values& values);

}  // namespace notape::functions
