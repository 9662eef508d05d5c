// notape's errors as exceptions of Python: notape.Error, a RuntimeError, and a class for each kind,
// which is also what Python calls such an error.
#include <map>

#include "autograd/error.h"
#include "paper_examples/python/binding.h"

namespace notape::python {
namespace {

const char* const kKinds[] = {
#include "errors.inc"
};

std::map<std::string, PyObject*>& classes() {
  static std::map<std::string, PyObject*> all;
  return all;
}

/// What Python itself raises for the like.
PyObject* natural_base(std::string_view kind) {
  if (kind == "IndexError") return PyExc_IndexError;
  if (kind == "ValueError") return PyExc_ValueError;
  if (kind == "DtypeError") return PyExc_TypeError;
  if (kind == "FileError") return PyExc_OSError;
  if (kind == "OutOfMemory") return PyExc_MemoryError;
  if (kind.ends_with("NotImplemented") || kind == "NoKernel") return PyExc_NotImplementedError;
  return nullptr;
}

PyObject* class_of(const std::string& kind) {
  PyObject*& made = classes()[kind];
  if (!made) {
    PyObject* error = classes()["Error"];
    PyObject* natural = natural_base(kind);
    // NotImplementedError is a RuntimeError already.
    const nb::object bases =
        nb::steal(natural ? PyTuple_Pack(2, error, natural) : Py_NewRef(error));
    made = PyErr_NewException(("notape." + kind).c_str(), bases.ptr(), nullptr);
    if (!made) nb::raise_python_error();
  }
  return made;
}

thread_local std::exception_ptr unwinding;

/// Not an Exception: `except Exception` of the user's does not catch it.
PyObject* unwinding_class() {
  static PyObject* made =
      PyErr_NewException("notape.CheckpointUnwinding", PyExc_BaseException, nullptr);
  return made;
}

}  // namespace

PyObject* raise() noexcept {
  try {
    throw;
  } catch (nb::python_error& error) {
    error.restore();
  } catch (const nb::builtin_exception& error) {
    PyErr_SetString(PyExc_TypeError, error.what());
  } catch (const Error& error) {
    const auto known = classes().find(error.kind());
    PyErr_SetString(known == classes().end() ? classes()["Error"] : known->second, error.what());
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  } catch (...) {  // no error: a checkpointed function has computed enough
    unwinding = std::current_exception();
    PyErr_SetString(unwinding_class(), "the function has computed what backward needs");
  }
  return nullptr;
}

void rethrow_unwinding(const nb::python_error& error) {
  if (unwinding && error.matches(unwinding_class()))
    std::rethrow_exception(std::exchange(unwinding, nullptr));
}

void add_errors(nb::module_& module) {
  classes()["Error"] = PyErr_NewException("notape.Error", PyExc_RuntimeError, nullptr);
  module.attr("Error") = nb::handle(classes()["Error"]);
  for (const char* kind : kKinds) module.attr(kind) = nb::handle(class_of(kind));
  nb::register_exception_translator(
      [](const std::exception_ptr& error, void*) {
        try {
          std::rethrow_exception(error);
        } catch (const Error&) {
          raise();
        } catch (const std::exception&) {
          throw;
        } catch (...) {
          raise();
        }
      },
      nullptr);
}

}  // namespace notape::python
