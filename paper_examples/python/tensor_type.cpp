// The Python type of tensors: a Tensor and Python's header, so that an operator costs little more
// than in C++. nanobind's own instances are looked up in a table by address, which costs as much as
// a small operation; the rest of the binding is nanobind's.
#include "autograd/tensor/factories.h"
#include "ops/arithmetic.h"
#include "ops/comparison.h"
#include "ops/linalg.h"
#include "ops/shape.h"
#include "paper_examples/python/binding.h"

#include <structmember.h>

namespace notape::python {

PyTypeObject* tensor_type = nullptr;

PyObject* wrap(Tensor tensor) {
  if (!tensor.defined()) Py_RETURN_NONE;
  TensorObject* made = PyObject_New(TensorObject, tensor_type);
  if (!made) return nullptr;
  made->weak_references = nullptr;
  new (&made->tensor) Tensor(std::move(tensor));
  return reinterpret_cast<PyObject*>(made);
}

bool is_number(PyObject* object) {
  if (PyFloat_Check(object) || PyLong_Check(object)) return true;
  // NumPy's numbers: they are converted, and have no length.
  const PyNumberMethods* number = Py_TYPE(object)->tp_as_number;
  if (!number || !(number->nb_float || number->nb_index) || tensor_of(object)) return false;
  if (Py_TYPE(object)->tp_as_sequence && Py_TYPE(object)->tp_as_sequence->sq_length) return false;
  return !Py_TYPE(object)->tp_as_mapping || !Py_TYPE(object)->tp_as_mapping->mp_length;
}

Scalar number_of(PyObject* object) {
  if (PyFloat_Check(object)) return PyFloat_AS_DOUBLE(object);
  if (PyBool_Check(object)) return object == Py_True;
  if (PyIndex_Check(object)) {
    const nb::object whole = nb::steal(PyNumber_Index(object));
    const long long value = whole.is_valid() ? PyLong_AsLongLong(whole.ptr()) : -1;
    if (value == -1 && PyErr_Occurred()) nb::raise_python_error();
    return static_cast<int64_t>(value);
  }
  const double value = PyFloat_AsDouble(object);
  if (value == -1 && PyErr_Occurred()) nb::raise_python_error();
  return value;
}

namespace {

/// One of two arithmetic operands is a tensor, the other one, too, or a number.
/// `first` is called if the number comes first.
template <typename F, typename OfFirst>
PyObject* arithmetic(PyObject* a, PyObject* b, F function, OfFirst first) {
  const Tensor* left = tensor_of(a);
  const Tensor* right = tensor_of(b);
  if (!(left && right) && !is_number(left ? b : a)) Py_RETURN_NOTIMPLEMENTED;
  return guarded([&]() -> PyObject* {
    const SourceLocation at = caller();
    if (left && right) {
      if (left->numel() + right->numel() < kLong) [[likely]]
        return wrap(function(*left, *right, at));
      Tensor result;
      {
        const Released released;
        result = function(*left, *right, at);
      }
      return wrap(std::move(result));
    }
    return wrap(left ? function(*left, number_of(b), at) : first(number_of(a), *right, at));
  });
}

using X = const Tensor&;
using At = SourceLocation;

/// One function has all three forms.
template <typename F>
PyObject* arithmetic(PyObject* a, PyObject* b, F f) {
  return arithmetic(a, b, f, f);
}

PyObject* add_slot(PyObject* a, PyObject* b) {
  return arithmetic(
      a, b, [](X x, const auto& y, At at) { return add(x, y, 1, at); },
      [](Scalar x, X y, At at) { return add(y, x, 1, at); });
}
PyObject* subtract_slot(PyObject* a, PyObject* b) {
  return arithmetic(
      a, b, [](X x, const auto& y, At at) { return sub(x, y, 1, at); },
      [](Scalar x, X y, At at) { return rsub(y, x, at); });
}
PyObject* multiply_slot(PyObject* a, PyObject* b) {
  return arithmetic(
      a, b, [](X x, const auto& y, At at) { return mul(x, y, at); },
      [](Scalar x, X y, At at) { return mul(y, x, at); });
}
PyObject* divide_slot(PyObject* a, PyObject* b) {
  return arithmetic(
      a, b, [](X x, const auto& y, At at) { return div(x, y, at); },
      [](Scalar x, X y, At at) { return x / Operand(y, at); });
}
PyObject* floor_divide_slot(PyObject* a, PyObject* b) {
  return arithmetic(
      a, b, [](X x, const auto& y, At at) { return floor_divide(x, y, at); },
      [](Scalar x, X y, At at) { return floor_divide(full_like(y, x), y, at); });
}
PyObject* remainder_slot(PyObject* a, PyObject* b) {
  return arithmetic(a, b, [](const auto& x, const auto& y, At at) { return remainder(x, y, at); });
}
PyObject* power_slot(PyObject* a, PyObject* b, PyObject*) {
  return arithmetic(a, b, [](const auto& x, const auto& y, At at) { return pow(x, y, at); });
}
PyObject* and_slot(PyObject* a, PyObject* b) {
  return arithmetic(a, b,
                    [](const auto& x, const auto& y, At at) { return bitwise_and(x, y, at); });
}
PyObject* or_slot(PyObject* a, PyObject* b) {
  return arithmetic(a, b, [](const auto& x, const auto& y, At at) { return bitwise_or(x, y, at); });
}
PyObject* xor_slot(PyObject* a, PyObject* b) {
  return arithmetic(a, b,
                    [](const auto& x, const auto& y, At at) { return bitwise_xor(x, y, at); });
}

PyObject* matmul_slot(PyObject* a, PyObject* b) {
  const Tensor* left = tensor_of(a);
  const Tensor* right = tensor_of(b);
  if (!left || !right) Py_RETURN_NOTIMPLEMENTED;
  return guarded([&] {
    const SourceLocation at = caller();
    Tensor result;
    {
      const Released released(left->numel() + right->numel() >= kLong);
      result = matmul(*left, *right, at);
    }
    return wrap(std::move(result));
  });
}

PyObject* negative_slot(PyObject* self) {
  return guarded([&] { return wrap(neg(*tensor_of(self), caller())); });
}
PyObject* absolute_slot(PyObject* self) {
  return guarded([&] { return wrap(abs(*tensor_of(self), caller())); });
}
PyObject* invert_slot(PyObject* self) {
  return guarded([&] { return wrap(bitwise_not(*tensor_of(self), caller())); });
}
PyObject* positive_slot(PyObject* self) { return Py_NewRef(self); }

/// x += y: what a binary function writes into x.
template <typename F>
PyObject* in_place(PyObject* self, PyObject* other, F write) {
  const Tensor* right = tensor_of(other);
  if (!right && !is_number(other)) Py_RETURN_NOTIMPLEMENTED;
  return guarded([&] {
    Tensor& left = *tensor_of(self);
    const SourceLocation at = caller();
    if (right)
      write(left, *right, at);
    else
      write(left, number_of(other), at);
    return Py_NewRef(self);
  });
}
PyObject* add_in_place(PyObject* a, PyObject* b) {
  return in_place(a, b, [](Tensor& x, const auto& y, At at) { add_(x, y, 1, at); });
}
PyObject* subtract_in_place(PyObject* a, PyObject* b) {
  return in_place(a, b, [](Tensor& x, const auto& y, At at) { sub_(x, y, 1, at); });
}
PyObject* multiply_in_place(PyObject* a, PyObject* b) {
  return in_place(a, b, [](Tensor& x, const auto& y, At at) { mul_(x, y, at); });
}
PyObject* divide_in_place(PyObject* a, PyObject* b) {
  return in_place(a, b, [](Tensor& x, const auto& y, At at) { div_(x, y, at); });
}

/// `name` of x and y for tensors and numbers.
template <typename F>
PyObject* comparison(PyObject* a, PyObject* b, F function) {
  return arithmetic(a, b, function, [](Scalar, X y, At) { return y; } /* Python exchanges them */);
}
PyObject* compare_slot(PyObject* a, PyObject* b, int operation) {
  switch (operation) {
    case Py_EQ:
      return comparison(a, b, [](X x, auto&& y, At at) { return eq(x, y, at); });
    case Py_NE:
      return comparison(a, b, [](X x, auto&& y, At at) { return ne(x, y, at); });
    case Py_LT:
      return comparison(a, b, [](X x, auto&& y, At at) { return lt(x, y, at); });
    case Py_LE:
      return comparison(a, b, [](X x, auto&& y, At at) { return le(x, y, at); });
    case Py_GT:
      return comparison(a, b, [](X x, auto&& y, At at) { return gt(x, y, at); });
    default:
      return comparison(a, b, [](X x, auto&& y, At at) { return ge(x, y, at); });
  }
}

/// The one element.
Scalar only_element(PyObject* self) { return tensor_of(self)->item_scalar(); }

int bool_slot(PyObject* self) {
  try {
    const Tensor& tensor = *tensor_of(self);
    if (tensor.numel() != 1)
      throw ShapeError("Boolean value of Tensor with {} is ambiguous",
                       tensor.numel() ? "more than one value" : "no values");
    return only_element(self).to_double() != 0;
  } catch (...) {
    raise();
    return -1;
  }
}
PyObject* float_slot(PyObject* self) {
  return guarded([&] { return PyFloat_FromDouble(only_element(self).to_double()); });
}
PyObject* int_slot(PyObject* self) {
  return guarded([&] {
    const Scalar value = only_element(self);
    return value.is_floating_point() ? PyLong_FromDouble(value.to_double())
                                     : PyLong_FromLongLong(value.to_int());
  });
}
PyObject* index_slot(PyObject* self) {
  return guarded([&]() -> PyObject* {
    const Tensor& tensor = *tensor_of(self);
    if (tensor.numel() != 1 || !is_integral(tensor.dtype())) {
      PyErr_SetString(PyExc_TypeError,
                      "only integer tensors of a single element can be converted to an index");
      return nullptr;
    }
    return PyLong_FromLongLong(tensor.item_scalar().to_int());
  });
}

Py_ssize_t length_slot(PyObject* self) {
  try {
    const Tensor& tensor = *tensor_of(self);
    if (tensor.dim() == 0) {
      PyErr_SetString(PyExc_TypeError, "len() of a 0-d tensor");
      return -1;
    }
    return static_cast<Py_ssize_t>(std::as_const(tensor).size(0));
  } catch (...) {
    raise();
    return -1;
  }
}

/// The object of C++, of which Python may have several.
Py_hash_t hash_slot(PyObject* self) {
  const Tensor& tensor = *tensor_of(self);
  return tensor.defined() ? reinterpret_cast<Py_hash_t>(&tensor.impl()) >> 4 : 1;
}

void deallocate(PyObject* self) {
  auto* object = reinterpret_cast<TensorObject*>(self);
  PyTypeObject* type = Py_TYPE(self);
  if (object->weak_references) PyObject_ClearWeakRefs(self);
  object->tensor.~Tensor();
  type->tp_free(self);
  Py_DECREF(type);
}

/// Tensor(2, 3), Tensor([1, 2]), Tensor(tensor): the last is the same tensor as another object,
/// which is how subclasses are made.
PyObject* new_tensor(PyTypeObject* type, PyObject* arguments, PyObject*) {
  return guarded([&]() -> PyObject* {
    Tensor value;
    const Py_ssize_t count = PyTuple_GET_SIZE(arguments);
    PyObject* first = count ? PyTuple_GET_ITEM(arguments, 0) : nullptr;
    if (first && tensor_of(first)) {
      value = *tensor_of(first);
    } else if (first && !PyLong_Check(first)) {
      value = tensor_from(first, dtype(kFloat32));
    } else {
      std::vector<int64_t> sizes;
      for (Py_ssize_t i = 0; i < count; ++i)
        sizes.push_back(number_of(PyTuple_GET_ITEM(arguments, i)).to_int());
      value = notape::empty(count ? sizes : std::vector<int64_t>{0});  // not std::empty
    }
    PyObject* made = type->tp_alloc(type, 0);
    if (!made) return nullptr;
    new (&reinterpret_cast<TensorObject*>(made)->tensor) Tensor(std::move(value));
    return made;
  });
}

PyObject* iterate(PyObject* self) {
  return guarded([&]() -> PyObject* {
    const Tensor& tensor = *tensor_of(self);
    if (tensor.dim() == 0) {
      PyErr_SetString(PyExc_TypeError, "iteration over a 0-d tensor");
      return nullptr;
    }
    nb::list rows;
    for (const Tensor& row : unbind(tensor, 0, caller())) rows.append(nb::steal(wrap(row)));
    return PyObject_GetIter(rows.ptr());
  });
}

template <typename Function>
PyType_Slot slot(int number, Function* function) {
  return {number, reinterpret_cast<void*>(function)};
}

}  // namespace

void add_tensor_type(nb::module_& module) {
  static PyMemberDef members[] = {{"__weaklistoffset__", T_PYSSIZET,
                                   offsetof(TensorObject, weak_references), READONLY, nullptr},
                                  {nullptr, 0, 0, 0, nullptr}};
  PyType_Slot slots[] = {slot(Py_tp_new, new_tensor),
                         slot(Py_tp_dealloc, deallocate),
                         slot(Py_tp_hash, hash_slot),
                         slot(Py_tp_iter, iterate),
                         slot(Py_tp_richcompare, compare_slot),
                         {Py_tp_members, members},
                         slot(Py_nb_add, add_slot),
                         slot(Py_nb_subtract, subtract_slot),
                         slot(Py_nb_multiply, multiply_slot),
                         slot(Py_nb_true_divide, divide_slot),
                         slot(Py_nb_floor_divide, floor_divide_slot),
                         slot(Py_nb_remainder, remainder_slot),
                         slot(Py_nb_power, power_slot),
                         slot(Py_nb_matrix_multiply, matmul_slot),
                         slot(Py_nb_and, and_slot),
                         slot(Py_nb_or, or_slot),
                         slot(Py_nb_xor, xor_slot),
                         slot(Py_nb_negative, negative_slot),
                         slot(Py_nb_positive, positive_slot),
                         slot(Py_nb_absolute, absolute_slot),
                         slot(Py_nb_invert, invert_slot),
                         slot(Py_nb_bool, bool_slot),
                         slot(Py_nb_float, float_slot),
                         slot(Py_nb_int, int_slot),
                         slot(Py_nb_index, index_slot),
                         slot(Py_nb_inplace_add, add_in_place),
                         slot(Py_nb_inplace_subtract, subtract_in_place),
                         slot(Py_nb_inplace_multiply, multiply_in_place),
                         slot(Py_nb_inplace_true_divide, divide_in_place),
                         slot(Py_mp_length, length_slot),
                         slot(Py_mp_subscript, get_item),
                         slot(Py_mp_ass_subscript, set_item),
                         slot(Py_bf_getbuffer, get_buffer),
                         slot(Py_bf_releasebuffer, release_buffer),
                         {0, nullptr}};
  PyType_Spec spec = {"notape.Tensor", sizeof(TensorObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  tensor_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (!tensor_type) nb::raise_python_error();
  module.attr("Tensor") = nb::handle(reinterpret_cast<PyObject*>(tensor_type));
}

}  // namespace notape::python
