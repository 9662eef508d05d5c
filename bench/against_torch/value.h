// Values as they travel between compare.py and this program: words on a line, numbers as C's %a.
//   T DTYPE GRADIENT RANK SIZE... ENTRY...   a tensor, whose gradient is wanted or not (0, 1)
//   i 3   f 0x1.8p+0   b 1   sTEXT   d DTYPE   N         numbers, a flag, a text, a dtype, nothing
//   I COUNT 3...   L COUNT VALUE...                      whole numbers, any values
//   slice VALUE VALUE VALUE   ...                        what only indexing takes
#pragma once
#include <iosfwd>
#include <string>
#include <variant>
#include <vector>

#include "autograd/tensor/factories.h"
#include "ops/ops.h"

namespace notape::against_torch {

struct Value {
  using Integers = std::vector<int64_t>;
  using List = std::vector<Value>;
  std::variant<std::monostate, Tensor, int64_t, double, bool, std::string, ScalarType, Integers,
               List, indexing::Slice, indexing::EllipsisIndexType>
      held;

  template <typename T>
  const T* as() const {
    return std::get_if<T>(&held);
  }
  bool is_none() const { return as<std::monostate>() != nullptr; }
};

/// The next value of a line. Throws std::runtime_error for what is none.
Value read_value(std::istream& words);

/// "DTYPE SHARED RANK SIZE... ENTRY..."; SHARED says whether `tensor` shows memory of `of`. "N" if
/// it is undefined.
void write_tensor(std::ostream& out, const Tensor& tensor, const Tensor& of = {});

}  // namespace notape::against_torch
