// What the files of the Python module share: the Python type of tensors, the caller's line, and
// Python's errors.
#pragma once
#include "autograd/language.h"  // first

#include <nanobind/nanobind.h>

#include "autograd/tensor/tensor.h"

namespace notape::python {

namespace nb = nanobind;

extern PyTypeObject* tensor_type;

/// A new Python object; None for an undefined tensor.
PyObject* wrap(Tensor tensor);
/// The tensor of a Python object, null if it is none.
inline Tensor* tensor_of(PyObject* object);

/// The line of Python that called, outside this package. Costs a look into a table.
SourceLocation caller();

/// Makes the C++ exception under way Python's, and returns null.
PyObject* raise() noexcept;
/// Goes on with a C++ exception that is no error, which raise() has sent through a function of
/// Python.
void rethrow_unwinding(const nb::python_error& error);
/// As a nanobind function or slot: what `call` returns, or an error of Python.
template <typename Call>
PyObject* guarded(const Call& call) noexcept {
  try {
    return call();
  } catch (...) {
    return raise();
  }
}

/// In its scope this thread has let go of the interpreter, if `wanted`.
class Released {
 public:
  explicit Released(bool wanted = true) : state_(wanted ? PyEval_SaveThread() : nullptr) {}
  ~Released() {
    if (state_) PyEval_RestoreThread(state_);
  }
  Released(const Released&) = delete;
  Released& operator=(const Released&) = delete;

 private:
  PyThreadState* state_;
};
/// From this many elements on a function runs without the interpreter's lock.
inline constexpr int64_t kLong = 8192;

/// A Python object that C++ keeps, on whatever thread it lets go of it.
class Kept {
 public:
  explicit Kept(PyObject* object) : object_(Py_NewRef(object)) {}
  ~Kept() {
    if (!Py_IsInitialized()) return;  // the interpreter has ended: its objects are gone
    const nb::gil_scoped_acquire lock;
    Py_DECREF(object_);
  }
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  PyObject* get() const { return object_; }

 private:
  PyObject* object_;
};

struct TensorObject {
  PyObject_HEAD PyObject* weak_references;
  Tensor tensor;
};

inline Tensor* tensor_of(PyObject* object) {
  const bool is_tensor =
      Py_TYPE(object) == tensor_type || PyType_IsSubtype(Py_TYPE(object), tensor_type);
  return is_tensor ? &reinterpret_cast<TensorObject*>(object)->tensor : nullptr;
}

/// A number of Python's or NumPy's as a Scalar; false if it is none.
bool is_number(PyObject* object);
Scalar number_of(PyObject* object);

/// The dtype of an object of type notape.dtype; null if it is none.
const ScalarType* dtype_of(PyObject* object);
/// notape.float32 and so on, borrowed.
PyObject* dtype_object(ScalarType type);
PyObject* shape_object(IntArrayRef sizes);

/// A tensor of nested lists, numbers or whatever has a buffer (NumPy's arrays): a copy.
Tensor tensor_from(PyObject* data, const TensorOptions& options);

/// What x[key] and x[key] = value do.
PyObject* get_item(PyObject* self, PyObject* key);
int set_item(PyObject* self, PyObject* key, PyObject* value);
int get_buffer(PyObject* self, Py_buffer* view, int flags);
void release_buffer(PyObject* self, Py_buffer* view);

// The parts of the module, each a file.
void add_tensor_type(nb::module_& module);
void add_errors(nb::module_& module);
void add_operators(nb::module_& module);
void add_factories(nb::module_& module);
void add_members(nb::module_& module);
void add_exchange(nb::module_& module);
void add_autograd(nb::module_& module);
void add_functions(nb::module_& module);

/// A method or property of Tensor, also in the place of a function of that name: x.to.
template <typename F, typename... Extra>
void method(const char* name, F&& function, const Extra&... extra) {
  const nb::handle type(reinterpret_cast<PyObject*>(tensor_type));
  if (nb::hasattr(type, name)) nb::delattr(type, name);
  nb::setattr(type, name,
              nb::cpp_function(std::forward<F>(function), nb::scope(type), nb::name(name),
                               nb::is_method(), extra...));
}
template <typename Get>
void property(const char* name, Get&& get) {
  const nb::object read = nb::cpp_function(std::forward<Get>(get), nb::is_getter());
  nb::setattr(nb::handle(reinterpret_cast<PyObject*>(tensor_type)), name,
              nb::handle(reinterpret_cast<PyObject*>(&PyProperty_Type))(read));
}
template <typename Get, typename Set>
void property(const char* name, Get&& get, Set&& set) {
  const nb::object read = nb::cpp_function(std::forward<Get>(get), nb::is_getter());
  const nb::object write = nb::cpp_function(std::forward<Set>(set), nb::arg(), nb::arg().none());
  nb::setattr(nb::handle(reinterpret_cast<PyObject*>(tensor_type)), name,
              nb::handle(reinterpret_cast<PyObject*>(&PyProperty_Type))(read, write));
}

}  // namespace notape::python

namespace nanobind::detail {

template <>
struct type_caster<notape::Tensor> {
  NB_TYPE_CASTER(notape::Tensor, const_name("Tensor"))

  bool from_python(handle source, uint32_t, cleanup_list*) noexcept {
    if (source.is_none()) return true;  // undefined
    const notape::Tensor* tensor = notape::python::tensor_of(source.ptr());
    if (tensor) value = *tensor;
    return tensor != nullptr;
  }
  static handle from_cpp(const notape::Tensor& tensor, rv_policy, cleanup_list*) noexcept {
    return notape::python::wrap(tensor);
  }
};

}  // namespace nanobind::detail
