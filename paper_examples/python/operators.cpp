// Every function of ops/functions/ as an object of Python that is both notape.f and Tensor.f: its
// overloads come from the lists, names and defaults of parameters from the headers
// (signatures.py). A function with more forms than one is chosen by the types of its arguments.
#include "paper_examples/python/arguments.h"

#include <algorithm>
#include <map>
#include <memory>

#include <nanobind/stl/string.h>
#include <structmember.h>

namespace notape::python {
namespace {

using functions::Kind;
using functions::Values;

struct Operator {
  std::string name;
  std::vector<Named> forms, out_forms;
  PyObject* result_type = nullptr;  // a named tuple, for several results
};

struct OperatorObject {
  PyObject_HEAD vectorcallfunc call;
  Operator* op;
};

struct Row {
  const char *name, *parameters;
};
const Row kRows[] = {
#include "signatures.inc"
};

/// Arguments as Python hands them over.
struct Call {
  PyObject* const* arguments;
  Py_ssize_t count;
  std::vector<std::pair<std::string_view, PyObject*>> keywords;
};

/// A parameter's other names, those of PyTorch's Python functions.
bool is_name(const std::string& name, std::string_view keyword, bool first) {
  return name == keyword || (first && keyword == "input" && name == "self") ||
         (keyword == "axis" && name == "dim") || (keyword == "keepdims" && name == "keepdim");
}

/// Whether whole numbers from `place` on are one list: x.view(2, 3).
bool is_spread(const Named& form, const Call& call, std::size_t place) {
  const auto& parameters = form.parameters;
  return parameters[place].kind.kind == Kind::Integers &&
         static_cast<std::size_t>(call.count) > place + 1 &&
         std::all_of(parameters.begin() + static_cast<std::ptrdiff_t>(place) + 1, parameters.end(),
                     [](const auto& later) { return later.kind.kind == Kind::Flag; }) &&
         std::all_of(call.arguments + place, call.arguments + call.count, [](PyObject* one) {
           return PyIndex_Check(one) && !PyBool_Check(one) && !tensor_of(one);
         });
}

/// The arguments for one form, null where its default stands; false if they are not for it.
bool bind_to_form(const Named& form, const Call& call, std::vector<PyObject*>& bound,
                  nb::object& gathered) {
  const auto& parameters = form.parameters;
  bound.assign(parameters.size(), nullptr);
  for (std::size_t i = 0; i < static_cast<std::size_t>(call.count); ++i) {
    if (i == parameters.size()) return false;
    if (is_spread(form, call, i)) {
      const Py_ssize_t count = call.count - static_cast<Py_ssize_t>(i);
      gathered = nb::steal(PyTuple_New(count));
      for (Py_ssize_t j = 0; j < count; ++j)
        PyTuple_SET_ITEM(gathered.ptr(), j,
                         Py_NewRef(call.arguments[static_cast<Py_ssize_t>(i) + j]));
      bound[i] = gathered.ptr();
      break;
    }
    bound[i] = call.arguments[i];
  }
  for (const auto& [keyword, object] : call.keywords) {
    std::size_t i = 0;
    while (i < parameters.size() && !is_name(parameters[i].name, keyword, i == 0)) ++i;
    if (i == parameters.size() || bound[i]) return false;
    bound[i] = object;
  }
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (bound[i] ? !takes(parameters[i], bound[i]) : !parameters[i].preset) return false;
  return true;
}

PyObject* answer(const Operator& op, const functions::Overload& overload, TensorList results,
                 const std::vector<PyObject*>& bound) {
  using functions::Gives;
  if (overload.gives == Gives::Answer) return PyBool_FromLong(results[0].item<bool>());
  const auto object = [&](Tensor& one) -> PyObject* {
    for (PyObject* argument : bound)  // what is written, or given back as it is
      if (const Tensor* same = argument ? tensor_of(argument) : nullptr; same && same->is_same(one))
        return Py_NewRef(argument);
    return wrap(std::move(one));
  };
  if (overload.gives == Gives::Tensor) return object(results[0]);
  nb::object tuple = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(results.size())));
  for (std::size_t i = 0; i < results.size(); ++i)
    PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i), object(results[i]));
  if (op.result_type) return PyObject_CallObject(op.result_type, tuple.ptr());
  return tuple.release().ptr();
}

PyObject* run(const Operator& op, const Named& form, const std::vector<PyObject*>& bound) {
  Values values(bound.size());
  int64_t elements = 0;
  for (std::size_t i = 0; i < bound.size(); ++i) {
    values[i] = bound[i] ? value_of(form.parameters[i], bound[i]) : *form.parameters[i].preset;
    if (const Tensor* tensor = values[i].as<Tensor>())
      if (tensor->defined()) elements += tensor->numel();
  }
  for (const Tensor& tensor :
       functions::tensors_in(form.parameters[0].kind.kind == Kind::Tensors ? values : Values()))
    elements += tensor.numel();
  const SourceLocation at = caller();
  TensorList results;
  {
    const Released released(elements >= kLong);
    results = (*form.overload)(values, at);
  }
  return answer(op, *form.overload, std::move(results), bound);
}

void refuse(const Operator& op, const Call& call) {
  std::string given, forms;
  for (Py_ssize_t i = 0; i < call.count; ++i)
    given += (i ? ", " : "") + std::string(Py_TYPE(call.arguments[i])->tp_name);
  for (const auto& [keyword, object] : call.keywords)
    given += (given.empty() ? "" : ", ") + std::string(keyword) + "=" + Py_TYPE(object)->tp_name;
  for (const Named& form : op.forms) forms += "\n  " + signature(op.name, form);
  PyErr_SetString(PyExc_TypeError,
                  format_message("{}() got ({}), it takes:{}", {op.name, given, forms}).c_str());
}

PyObject* call_operator(PyObject* self, PyObject* const* arguments, size_t flags, PyObject* names) {
  const Operator& op = *reinterpret_cast<OperatorObject*>(self)->op;
  return guarded([&]() -> PyObject* {
    Call call{arguments, PyVectorcall_NARGS(flags), {}};
    PyObject* out = nullptr;
    for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names); ++i) {
      const std::string_view name = PyUnicode_AsUTF8(PyTuple_GET_ITEM(names, i));
      PyObject* object = arguments[call.count + i];
      if (name == "out")
        out = object == Py_None ? nullptr : object;
      else if (object != Py_None || (name != "dtype" && name != "generator"))
        call.keywords.emplace_back(name, object);
    }
    std::vector<PyObject*> bound;
    nb::object gathered;
    if (!out) {
      for (const Named& form : op.forms)
        if (bind_to_form(form, call, bound, gathered)) return run(op, form, bound);
    } else {
      std::vector<PyObject*> all;  // a tuple: several results
      if (PyTuple_Check(out))
        all.assign(PySequence_Fast_ITEMS(out), PySequence_Fast_ITEMS(out) + PyTuple_GET_SIZE(out));
      else
        all.push_back(out);
      all.insert(all.end(), call.arguments, call.arguments + call.count);
      call.arguments = all.data();
      call.count = static_cast<Py_ssize_t>(all.size());
      for (const Named& form : op.out_forms)
        if (bind_to_form(form, call, bound, gathered)) return run(op, form, bound);
    }
    refuse(op, call);
    return nullptr;
  });
}

/// x.f is f with x for its first argument; Python's own call of methods makes no such object.
PyObject* bind_to(PyObject* self, PyObject* object, PyObject*) {
  return object ? PyMethod_New(self, object) : Py_NewRef(self);
}
PyObject* show(PyObject* self) {
  return PyUnicode_FromFormat("<function %s>",
                              reinterpret_cast<OperatorObject*>(self)->op->name.c_str());
}
PyObject* get_name(PyObject* self, void*) {
  return PyUnicode_FromString(reinterpret_cast<OperatorObject*>(self)->op->name.c_str());
}
PyObject* get_doc(PyObject* self, void*) {
  const Operator& op = *reinterpret_cast<OperatorObject*>(self)->op;
  std::string text;
  for (const Named& form : op.forms) text += (text.empty() ? "" : "\n") + signature(op.name, form);
  return PyUnicode_FromString(text.c_str());
}
int set_result_type(PyObject* self, PyObject* value, void*) {
  reinterpret_cast<OperatorObject*>(self)->op->result_type = Py_XNewRef(value);
  return 0;
}

PyTypeObject* operator_type() {
  static PyMemberDef members[] = {
      {"__vectorcalloffset__", T_PYSSIZET, offsetof(OperatorObject, call), READONLY, nullptr},
      {nullptr, 0, 0, 0, nullptr}};
  static PyGetSetDef properties[] = {{"__name__", get_name, nullptr, nullptr, nullptr},
                                     {"__doc__", get_doc, nullptr, nullptr, nullptr},
                                     {"result_type", nullptr, set_result_type, nullptr, nullptr},
                                     {nullptr, nullptr, nullptr, nullptr, nullptr}};
  static PyType_Slot slots[] = {{Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                                {Py_tp_descr_get, reinterpret_cast<void*>(bind_to)},
                                {Py_tp_repr, reinterpret_cast<void*>(show)},
                                {Py_tp_members, members},
                                {Py_tp_getset, properties},
                                {0, nullptr}};
  static PyType_Spec spec = {
      "notape.Operator", sizeof(OperatorObject), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR, slots};
  static auto* type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return type;
}

/// The forms of `name` with the rows of the headers; without a row, as of in-place forms that are
/// members only, with those of the function beside it.
std::vector<Named> forms_of(const std::string& name) {
  static const auto rows = [] {
    std::multimap<std::string, const char*> all;
    for (const Row& row : kRows) all.emplace(row.name, row.parameters);
    return all;
  }();
  std::vector<Named> forms;
  const auto found = functions::functions().all().find(name);
  if (found == functions::functions().all().end()) return forms;
  for (const functions::Overload& overload : found->second) {
    std::optional<Named> made;
    const auto [first, last] = rows.equal_range(name);
    for (auto row = first; row != last && !made; ++row) made = named(overload, row->second);
    for (std::size_t i = 0; !made && i < std::size(kRows); ++i)  // self and other, of eq_
      if (std::string(kRows[i].name) + "_" == name) {
        std::string row = kRows[i].parameters;
        if (row.starts_with("self:T")) row[5] = 'W';
        made = named(overload, row);
      }
    if (!made) {
      made = Named{&overload, {}};
      for (const functions::Parameter& kind : overload.parameters)
        made->parameters.push_back({made->parameters.empty() ? "self" : "other", kind, {}, ""});
    }
    forms.push_back(std::move(*made));
  }
  // In C++ overloads must differ without their defaults; by name they do: conv2d(x, w,
  // padding="same").
  for (Named& form : forms)
    for (Named::Parameter& one : form.parameters)
      for (const Named& other : forms)
        for (const Named::Parameter& same : other.parameters)
          if (!one.preset && same.preset && same.name == one.name &&
              same.kind.kind == one.kind.kind) {
            one.preset = same.preset;
            one.preset_text = same.preset_text;
          }
  return forms;
}

/// x.f(y) is f(x, y) where the first parameter is what the function is of: not of where(condition,
/// x, y).
bool is_method(const std::vector<Named>& forms) {
  if (forms[0].parameters.empty()) return false;
  const Named::Parameter& first = forms[0].parameters[0];
  return (first.kind.kind == Kind::Tensor || first.kind.kind == Kind::Written) &&
         (first.name == "self" || first.name == "input" || first.name == "start");
}

}  // namespace

void add_operators(nb::module_& module) {
  const nb::handle tensor(reinterpret_cast<PyObject*>(tensor_type));
  nb::list names;
  for (const auto& [name, overloads] : functions::functions().all()) {
    if (name.ends_with("_out") || name.ends_with("_backward")) continue;
    auto op = std::make_unique<Operator>(Operator{name, forms_of(name), forms_of(name + "_out")});
    if (name == "split")
      for (Named& form : forms_of("split_with_sizes")) op->forms.push_back(std::move(form));
    auto* object = PyObject_New(OperatorObject, operator_type());
    object->call = call_operator;
    const std::vector<Named>& made_forms = op->forms;
    object->op = op.release();  // for good
    const nb::object made = nb::steal(reinterpret_cast<PyObject*>(object));
    if (is_method(made_forms)) tensor.attr(name.c_str()) = made;
    module.attr(name.c_str()) = made;
    names.append(name);
  }
  module.attr("operators") = names;
}

}  // namespace notape::python
