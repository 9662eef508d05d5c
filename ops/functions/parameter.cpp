#include "ops/functions/parameter.h"

#include <algorithm>

namespace notape::functions {
namespace {

bool is_real(const Value& value) { return value.as<double>() || value.as<int64_t>(); }

/// One for all `count`, in a list or not, or as many.
bool are_numbers(const Value& value, std::size_t count) {
  const auto* list = value.as<Value::Integers>();
  return value.as<int64_t>() || (list && (list->size() == count || list->size() == 1));
}

int64_t number_at(const Value& value, std::size_t place) {
  if (const int64_t* all = value.as<int64_t>()) return *all;
  const auto& list = *value.as<Value::Integers>();
  return list.size() == 1 ? list[0] : list[place];
}

/// Lists of whole numbers are held as such, an empty list of anything, too.
Values items_of(const Value& value) {
  if (const auto* list = value.as<Value::List>()) return *list;
  Values items;
  for (int64_t number : *value.as<Value::Integers>()) items.push_back({number});
  return items;
}

bool is_list_of(Kind kind, const Value& value) {
  if (!value.as<Value::List>() && !value.as<Value::Integers>()) return false;
  const Values items = items_of(value);
  return std::all_of(items.begin(), items.end(),
                     [&](const Value& one) { return Parameter{kind}.takes(one); });
}

indexing::TensorIndex index_of(const Value& value) {
  if (const auto* tensor = value.as<Tensor>()) return *tensor;
  if (const auto* place = value.as<int64_t>()) return *place;
  if (const auto* flag = value.as<bool>()) return *flag;
  if (const auto* slice = value.as<indexing::Slice>()) return *slice;
  if (value.as<indexing::EllipsisIndexType>()) return indexing::Ellipsis;
  return std::nullopt;
}

}  // namespace

variable_list tensors_in(const Values& values) {
  variable_list found;
  for (const Value& value : values) {
    if (const Tensor* tensor = value.as<Tensor>()) found.push_back(*tensor);
    if (const auto* list = value.as<Value::List>())
      for (const Tensor& one : tensors_in(*list)) found.push_back(one);
  }
  return found;
}

bool Parameter::takes(const Value& value) const {
  if (is_optional && value.is_none()) return true;
  switch (kind) {
    case Kind::Tensor:
      return value.as<Tensor>() || value.is_none();
    case Kind::Written:
      return value.as<Tensor>();
    case Kind::Integer:
    case Kind::Reduction:
      return value.as<int64_t>();
    case Kind::Flag:
      return value.as<bool>();
    case Kind::Type:
      return value.as<ScalarType>();
    case Kind::Text:
      return value.as<std::string>();
    case Kind::Real:
      return is_real(value);
    case Kind::Number:
      return is_real(value) || value.as<bool>();
    case Kind::Integers:
      return value.as<Value::Integers>() || value.as<int64_t>();
    case Kind::Pair:
      return are_numbers(value, 2);
    case Kind::Triple:
      return are_numbers(value, 3);
    case Kind::Tensors:
      return is_list_of(Kind::Tensor, value);
    case Kind::Reals:
      return is_list_of(Kind::Real, value);
    case Kind::Index:
      return !value.as<std::string>() && !value.as<double>() && !value.as<Value::List>();
    case Kind::Indices:
      return is_list_of(Kind::Index, value);
  }
  return false;
}

double Passed<double>::get(Value& value) {
  const double* number = value.as<double>();
  return number ? *number : static_cast<double>(std::get<int64_t>(value.held));
}

Scalar Passed<Scalar>::get(Value& value) {
  if (const bool* flag = value.as<bool>()) return *flag;
  if (const int64_t* number = value.as<int64_t>()) return *number;
  return std::get<double>(value.held);
}

std::vector<int64_t> Passed<std::vector<int64_t>>::get(Value& value) {
  const int64_t* one = value.as<int64_t>();
  return one ? Value::Integers{*one} : std::get<Value::Integers>(value.held);
}

Pair Passed<Pair>::get(Value& value) { return Pair(number_at(value, 0), number_at(value, 1)); }

Triple Passed<Triple>::get(Value& value) {
  return Triple(number_at(value, 0), number_at(value, 1), number_at(value, 2));
}

TensorList Passed<const TensorList&>::get(Value& value) {
  TensorList made;
  for (Value& one : items_of(value)) made.push_back(Passed<const Tensor&>::get(one));
  return made;
}

std::vector<double> Passed<std::vector<double>>::get(Value& value) {
  std::vector<double> made;
  for (Value& one : items_of(value)) made.push_back(Passed<double>::get(one));
  return made;
}

std::vector<indexing::TensorIndex> Passed<const std::vector<indexing::TensorIndex>&>::get(
    Value& value) {
  std::vector<indexing::TensorIndex> made;
  for (const Value& one : items_of(value)) made.push_back(index_of(one));
  return made;
}

}  // namespace notape::functions
