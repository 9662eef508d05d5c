#include "bench/against_torch/words.h"

#include <cstdio>
#include <cstdlib>
#include <istream>
#include <limits>
#include <ostream>
#include <stdexcept>

#include "autograd/tensor/factories.h"
#include "ops/shape.h"

namespace notape::against_torch {

namespace {

std::string word(std::istream& words) {
  std::string text;
  if (!(words >> text)) throw std::runtime_error("a line that ends too early");
  return text;
}

int64_t whole(std::istream& words) { return std::stoll(word(words)); }

/// strtod and not >>, which reads neither %a nor nan.
double real(std::istream& words) { return std::strtod(word(words).c_str(), nullptr); }

ScalarType dtype_named(const std::string& name) {
  for (int type = 0; type < kScalarTypes; ++type)
    if (kElementTypes[type].name == name) return static_cast<ScalarType>(type);
  throw std::runtime_error("no dtype: " + name);
}

std::vector<int64_t> integers(std::istream& words) {
  std::vector<int64_t> list(static_cast<std::size_t>(whole(words)));
  for (int64_t& one : list) one = whole(words);
  return list;
}

Tensor read_tensor(std::istream& words) {
  const ScalarType type = dtype_named(word(words));
  const bool wants_gradient = whole(words) != 0;
  const Tensor made = empty(integers(words), dtype(type));
  visit_type(type, [&]<typename T>() {
    T* entries = made.impl().data_as<T>();
    for (int64_t i = 0; i < made.numel(); ++i)
      if constexpr (std::numeric_limits<T>::is_integer)
        entries[i] = static_cast<T>(whole(words));
      else
        entries[i] = static_cast<T>(real(words));
  });
  return made.requires_grad_(wants_gradient);
}

indexing::Slice read_slice(std::istream& words) {
  std::optional<int64_t> ends[3];
  for (auto& end : ends) {
    const Value value = read_value(words);
    if (const int64_t* place = value.as<int64_t>()) end = *place;
  }
  return {ends[0], ends[1], ends[2]};
}

}  // namespace

Value read_value(std::istream& words) {
  const std::string kind = word(words);
  if (kind[0] == 's' && kind != "slice") return {kind.substr(1)};
  if (kind == "T") return {read_tensor(words)};
  if (kind == "N") return {};
  if (kind == "i") return {whole(words)};
  if (kind == "f") return {real(words)};
  if (kind == "b") return {whole(words) != 0};
  if (kind == "d") return {dtype_named(word(words))};
  if (kind == "I") return {integers(words)};
  if (kind == "slice") return {read_slice(words)};
  if (kind == "...") return {indexing::Ellipsis};
  if (kind != "L") throw std::runtime_error("no value: " + kind);
  Value::List list(static_cast<std::size_t>(whole(words)));
  for (Value& one : list) one = read_value(words);
  return {std::move(list)};
}

void write_tensor(std::ostream& out, const Tensor& tensor, const Tensor& of) {
  if (!tensor.defined()) {
    out << " N";
    return;
  }
  out << ' ' << name_of(tensor.dtype()) << ' ' << (of.defined() && tensor.is_alias_of(of)) << ' '
      << tensor.dim();
  for (int64_t size : tensor.sizes()) out << ' ' << size;
  const Tensor row_major = tensor.detach().contiguous();
  visit_type(row_major.dtype(), [&]<typename T>() {
    const T* entries = row_major.impl().data_as<T>();
    for (int64_t i = 0; i < row_major.numel(); ++i) {
      char text[40];
      if constexpr (std::numeric_limits<T>::is_integer)
        std::snprintf(text, sizeof text, " %lld", static_cast<long long>(entries[i]));
      else
        std::snprintf(text, sizeof text, " %a", static_cast<double>(entries[i]));
      out << text;
    }
  });
}

}  // namespace notape::against_torch
