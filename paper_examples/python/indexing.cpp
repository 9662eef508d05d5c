// x[key] and x[key] = value.
#include "ops/index.h"

#include "ops/shape.h"
#include "paper_examples/python/arguments.h"

namespace notape::python {
namespace {

using indexing::TensorIndex;

std::optional<Integer> bound_of(PyObject* object) {
  if (object == Py_None) return {};
  return Integer(number_of(object).to_int());
}

TensorIndex slice_index(PyObject* object) {
  auto* slice = reinterpret_cast<PySliceObject*>(object);
  return indexing::Slice(bound_of(slice->start), bound_of(slice->stop), bound_of(slice->step));
}

std::vector<TensorIndex> indices_of(PyObject* key) {
  std::vector<TensorIndex> indices;
  if (!PyTuple_Check(key)) return {index_of(key)};
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(key); ++i)
    indices.push_back(index_of(PyTuple_GET_ITEM(key, i)));
  return indices;
}

}  // namespace

TensorIndex index_of(PyObject* object) {
  if (object == Py_None) return std::nullopt;
  if (object == Py_Ellipsis) return indexing::Ellipsis;
  if (PyBool_Check(object)) return object == Py_True;
  if (PySlice_Check(object)) return slice_index(object);
  if (const Tensor* tensor = tensor_of(object)) return *tensor;
  if (PyIndex_Check(object) && !PyObject_CheckBuffer(object)) return number_of(object).to_int();
  if (PySequence_Check(object) && !PyUnicode_Check(object)) {  // a list, a range, NumPy's array
    const Tensor made = tensor_from(object, {});
    return made.numel() == 0 && made.dtype() == kFloat32 ? made.to(kInt64) : made;
  }
  throw nb::type_error("indices are integers, slices, None, ..., bools, lists and tensors");
}

PyObject* get_item(PyObject* self, PyObject* key) {
  return guarded([&] {
    const Tensor& tensor = *tensor_of(self);
    const SourceLocation at = caller();
    if (PyLong_CheckExact(key)) return wrap(tensor[IndexAt(number_of(key).to_int(), at)]);
    return wrap(index(tensor, indices_of(key), at));
  });
}

int set_item(PyObject* self, PyObject* key, PyObject* value) {
  try {
    if (!value) throw nb::type_error("elements of tensors cannot be deleted");
    Tensor& tensor = *tensor_of(self);
    const SourceLocation at = caller();
    if (const Tensor* values = tensor_of(value))
      index_put_(tensor, indices_of(key), *values, at);
    else if (is_number(value))
      index_put_(tensor, indices_of(key), number_of(value), at);
    else
      index_put_(tensor, indices_of(key), tensor_from(value, tensor.dtype()), at);
    return 0;
  } catch (...) {
    raise();
    return -1;
  }
}

}  // namespace notape::python
