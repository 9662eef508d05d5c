#include "paper_examples/python/arguments.h"

#include <algorithm>
#include <cctype>

namespace notape::python {
namespace {

using functions::Kind;
using functions::Value;

struct KindName {
  char letter;
  Kind kind;
  const char* name;
};
constexpr KindName kKindNames[] = {{'T', Kind::Tensor, "Tensor"},   {'W', Kind::Written, "Tensor"},
                                   {'i', Kind::Integer, "int"},     {'b', Kind::Flag, "bool"},
                                   {'t', Kind::Type, "dtype"},      {'s', Kind::Text, "str"},
                                   {'r', Kind::Real, "float"},      {'n', Kind::Number, "Number"},
                                   {'L', Kind::Integers, "Ints"},   {'2', Kind::Pair, "Ints"},
                                   {'3', Kind::Triple, "Ints"},     {'e', Kind::Reduction, "str"},
                                   {'A', Kind::Tensors, "Tensors"}, {'R', Kind::Reals, "Floats"},
                                   {'X', Kind::Indices, "Indices"}};

/// A whole number, which a bool and a tensor are not here.
bool is_whole(PyObject* object) {
  return PyLong_CheckExact(object) ||
         (PyIndex_Check(object) && !PyBool_Check(object) && !tensor_of(object));
}
bool is_list(PyObject* object) { return PyList_Check(object) || PyTuple_Check(object); }
template <typename Each>
bool all_of(PyObject* list, Each each) {
  PyObject** items = PySequence_Fast_ITEMS(list);
  return std::all_of(items, items + PySequence_Fast_GET_SIZE(list), each);
}
bool are_whole(PyObject* object) { return is_list(object) && all_of(object, is_whole); }
bool are_tensors(PyObject* object) {
  return is_list(object) && all_of(object, [](PyObject* one) { return tensor_of(one) != nullptr; });
}

int64_t whole(PyObject* object) { return number_of(object).to_int(); }
Value::Integers whole_numbers(PyObject* list) {
  Value::Integers made;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(list); ++i)
    made.push_back(whole(PySequence_Fast_GET_ITEM(list, i)));
  return made;
}

int64_t reduction(PyObject* object) {
  if (!PyUnicode_Check(object)) return whole(object);
  const std::string_view name = PyUnicode_AsUTF8(object);
  if (name == "none") return Reduction::None;
  if (name == "mean") return Reduction::Mean;
  if (name == "sum") return Reduction::Sum;
  throw ValueError("{} is not a valid value for reduction", name);
}

Value value_of_index(PyObject* object) {
  const indexing::TensorIndex index = index_of(object);
  return std::visit(
      [](const auto& held) -> Value {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::nullopt_t>)
          return {};
        else
          return held;
      },
      index.value);
}

std::string python_text(Kind kind, std::string text) {
  if (kind == Kind::Reduction || kind == Kind::Text) {
    text[0] = static_cast<char>(std::tolower(text[0]));
    return text == "{}" ? "None" : "'" + text + "'";
  }
  return text == "true" ? "True" : text == "false" ? "False" : text == "{}" ? "None" : text;
}

Value preset_of(Kind kind, const std::string& text) {
  if (text == "true" || text == "false") return text == "true";
  if (text == "{}") return kind == Kind::Integers ? Value(Value::Integers()) : Value();
  if (kind == Kind::Reduction)
    return int64_t{text == "None"  ? Reduction::None
                   : text == "Sum" ? Reduction::Sum
                                   : Reduction::Mean};
  if (kind == Kind::Text) return text;
  if (kind == Kind::Real || text.find_first_of(".e") != std::string::npos) return std::stod(text);
  return int64_t{std::stoll(text)};
}

}  // namespace

bool takes(const Named::Parameter& parameter, PyObject* object) {
  if (object == Py_None)
    return parameter.kind.is_optional || parameter.kind.kind == Kind::Tensor ||
           (parameter.kind.kind == Kind::Integers && parameter.name == "dim");
  switch (parameter.kind.kind) {
    case Kind::Tensor:
    case Kind::Written:
      return tensor_of(object) != nullptr;
    case Kind::Integer:
      return is_whole(object);
    case Kind::Reduction:
      return PyUnicode_Check(object) || is_whole(object);
    case Kind::Flag:
      return PyBool_Check(object);
    case Kind::Type:
      return dtype_of(object) != nullptr;
    case Kind::Text:
      return PyUnicode_Check(object);
    case Kind::Real:
    case Kind::Number:
      return is_number(object);
    case Kind::Integers:
      return are_whole(object) || is_whole(object);
    case Kind::Pair:
    case Kind::Triple: {
      const Py_ssize_t count = parameter.kind.kind == Kind::Pair ? 2 : 3;
      return is_whole(object) || (are_whole(object) && (PySequence_Fast_GET_SIZE(object) == count ||
                                                        PySequence_Fast_GET_SIZE(object) == 1));
    }
    case Kind::Tensors:
      return are_tensors(object);
    case Kind::Reals:
      return is_list(object) && all_of(object, is_number);
    case Kind::Index:
      return true;
    case Kind::Indices:
      return is_list(object);
  }
  return false;
}

Value value_of(const Named::Parameter& parameter, PyObject* object) {
  const Kind kind = parameter.kind.kind;
  if (object == Py_None) return kind == Kind::Integers ? Value(Value::Integers()) : Value();
  switch (kind) {
    case Kind::Tensor:
    case Kind::Written:
      return *tensor_of(object);
    case Kind::Integer:
      return whole(object);
    case Kind::Reduction:
      return reduction(object);
    case Kind::Flag:
      return object == Py_True;
    case Kind::Type:
      return *dtype_of(object);
    case Kind::Text:
      return std::string(PyUnicode_AsUTF8(object));
    case Kind::Real:
    case Kind::Number: {
      const Scalar number = number_of(object);
      if (number.is_floating_point()) return number.to_double();
      if (number.type() == kBool && kind == Kind::Number) return number.to<bool>();
      return number.to_int();
    }
    case Kind::Integers:
    case Kind::Pair:
    case Kind::Triple:
      return is_list(object) ? Value(whole_numbers(object)) : Value(whole(object));
    default:
      break;
  }
  Value::List list;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
    PyObject* one = PySequence_Fast_GET_ITEM(object, i);
    if (kind == Kind::Tensors)
      list.push_back(*tensor_of(one));
    else if (kind == Kind::Reals)
      list.push_back(number_of(one).to_double());
    else
      list.push_back(value_of_index(one));
  }
  return list;
}

std::optional<Named> named(const functions::Overload& overload, std::string_view row) {
  Named result{&overload, {}};
  std::size_t place = 0;
  while (!row.empty()) {
    const std::string_view word = row.substr(0, row.find(' '));
    row.remove_prefix(std::min(row.size(), word.size() + 1));
    const std::size_t colon = word.find(':'), equals = word.find('=');
    if (place == overload.parameters.size()) return {};
    const functions::Parameter kind = overload.parameters[place++];
    const auto* letter =
        std::find_if(std::begin(kKindNames), std::end(kKindNames),
                     [&](const KindName& one) { return one.letter == word[colon + 1]; });
    if (letter == std::end(kKindNames) || letter->kind != kind.kind) return {};
    Named::Parameter parameter{std::string(word.substr(0, colon)), kind, {}, ""};
    if (equals != std::string_view::npos) {
      parameter.preset_text = word.substr(equals + 1);
      parameter.preset = preset_of(kind.kind, parameter.preset_text);
    }
    result.parameters.push_back(std::move(parameter));
  }
  if (place != overload.parameters.size()) return {};
  return result;
}

std::string signature(const std::string& name, const Named& named) {
  std::string text = name + "(";
  for (const Named::Parameter& one : named.parameters) {
    const auto* kind =
        std::find_if(std::begin(kKindNames), std::end(kKindNames),
                     [&](const KindName& each) { return each.kind == one.kind.kind; });
    if (text.back() != '(') text += ", ";
    text += std::string(kind->name) + (one.kind.is_optional ? "? " : " ") + one.name;
    if (one.preset) text += "=" + python_text(one.kind.kind, one.preset_text);
  }
  constexpr const char* kResults[] = {") -> Tensor", ") -> tuple", ") -> bool"};
  return text + kResults[static_cast<int>(named.overload->gives)];
}

}  // namespace notape::python
