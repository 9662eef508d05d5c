// Python's buffers (NumPy's arrays) and DLPack: the same memory on both sides.
#include "paper_examples/python/exchange.h"

#include <nanobind/stl/string.h>

#include <cstring>
#include <memory>

#include "autograd/interchange/dlpack.h"
#include "autograd/interchange/dlpack_abi.h"
#include "autograd/modes/grad_mode.h"
#include "autograd/tensor/factories.h"

namespace notape::python {
namespace {

/// The letters of Python's module struct; null: there is none.
const char* format_of(ScalarType type) {
  constexpr const char* kFormats[kScalarTypes] = {"?", "B", "b",     "h", "i",
                                                  "q", "e", nullptr, "f", "d"};
  return kFormats[static_cast<int>(type)];
}

ScalarType type_of(const Py_buffer& buffer) {
  std::string_view format = buffer.format ? buffer.format : "B";
  if (!format.empty() && (format[0] == '@' || format[0] == '=' || format[0] == '<'))
    format.remove_prefix(1);
  if (format == "l") format = buffer.itemsize == 8 ? "q" : "i";  // by platform
  for (int i = 0; i < kScalarTypes; ++i) {
    const auto type = static_cast<ScalarType>(i);
    if (format_of(type) && format == format_of(type)) return type;
  }
  throw DtypeError("from a buffer: no dtype has elements of format '{}'", format);
}

/// What a view of a tensor keeps.
struct Exported {
  Tensor tensor;
  std::vector<Py_ssize_t> sizes, strides;
};

/// A capsule whose structure is deleted unless somebody has taken it over and renamed it.
template <typename Managed>
PyObject* capsule_of(Managed* managed, const char* name) {
  return PyCapsule_New(managed, name, [](PyObject* capsule) {
    const char* held = PyCapsule_GetName(capsule);
    if (!held || std::strncmp(held, "used", 4) == 0) return;
    auto* one = static_cast<Managed*>(PyCapsule_GetPointer(capsule, held));
    if (one && one->deleter) one->deleter(one);
  });
}

Tensor from_capsule(nb::handle capsule) {
  for (const bool versioned : {true, false}) {
    const char* name = versioned ? "dltensor_versioned" : "dltensor";
    if (!PyCapsule_IsValid(capsule.ptr(), name)) continue;
    void* managed = PyCapsule_GetPointer(capsule.ptr(), name);
    PyCapsule_SetName(capsule.ptr(), versioned ? "used_dltensor_versioned" : "used_dltensor");
    return versioned ? from_dlpack(static_cast<DLManagedTensorVersioned*>(managed))
                     : from_dlpack(static_cast<DLManagedTensor*>(managed));
  }
  throw nb::type_error("from_dlpack: a capsule that nobody has used yet was expected");
}

}  // namespace

Tensor from_buffer(PyObject* exporter) {
  struct Release {
    void operator()(Py_buffer* one) const {
      if (!Py_IsInitialized()) return;
      const nb::gil_scoped_acquire lock;
      PyBuffer_Release(one);  // nothing where it could not be had
      delete one;
    }
  };
  const std::shared_ptr<Py_buffer> kept(new Py_buffer{}, Release());
  if (PyObject_GetBuffer(exporter, kept.get(), PyBUF_RECORDS) != 0) {
    PyErr_Clear();  // read-only memory, of which a copy can be written
    if (PyObject_GetBuffer(exporter, kept.get(), PyBUF_RECORDS_RO) != 0) nb::raise_python_error();
  }
  const ScalarType type = type_of(*kept);
  std::vector<int64_t> sizes(kept->shape, kept->shape + kept->ndim), strides;
  for (int i = 0; i < kept->ndim; ++i) {
    if (kept->strides[i] < 0 || kept->strides[i] % kept->itemsize != 0)
      throw ShapeError("from a buffer: strides are whole elements and not negative; copy it first");
    strides.push_back(kept->strides[i] / kept->itemsize);
  }
  const Tensor shared = from_blob(
      kept->buf, sizes, strides, [kept](void*) {}, dtype(type));
  return kept->readonly ? shared.clone() : shared;
}

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  view->obj = nullptr;
  try {
    const Tensor& tensor = *tensor_of(self);
    if (tensor.requires_grad() && GradMode::is_enabled())  // a forward may
      throw RequiresGradError(
          "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.");
    if (!tensor.is_cpu())
      throw DeviceError("a buffer of a tensor on {}: copy it with cpu() first",
                        to_string(tensor.device()));
    const char* format = format_of(tensor.dtype());
    if (!format) throw DtypeError("a buffer has no format for {}", name_of(tensor.dtype()));
    if (!(flags & PyBUF_STRIDES) && !tensor.is_contiguous())
      throw ShapeError("a buffer without strides of a tensor that is not contiguous");
    auto exported = std::make_unique<Exported>(Exported{tensor, {}, {}});
    const auto width = static_cast<Py_ssize_t>(tensor.element_size());
    for (int64_t size : tensor.sizes()) exported->sizes.push_back(size);
    for (int64_t stride : tensor.strides()) exported->strides.push_back(stride * width);
    view->buf = tensor.data_ptr();
    view->len = static_cast<Py_ssize_t>(tensor.nbytes());
    view->itemsize = width;
    view->readonly = 0;
    view->ndim = static_cast<int>(tensor.dim());
    view->format = flags & PyBUF_FORMAT ? const_cast<char*>(format) : nullptr;
    view->shape = flags & PyBUF_ND ? exported->sizes.data() : nullptr;
    view->strides = flags & PyBUF_STRIDES ? exported->strides.data() : nullptr;
    view->suboffsets = nullptr;
    view->internal = exported.release();
    view->obj = Py_NewRef(self);
    return 0;
  } catch (...) {
    raise();
    return -1;
  }
}

void release_buffer(PyObject*, Py_buffer* view) { delete static_cast<Exported*>(view->internal); }

void add_exchange(nb::module_& m) {
  m.def("from_numpy", [](nb::object array) { return from_buffer(array.ptr()); });
  m.def("from_dlpack", [](nb::object source) {
    if (PyCapsule_CheckExact(source.ptr())) return from_capsule(source);
    return from_capsule(source.attr("__dlpack__")());
  });
  method("__dlpack__", [](const Tensor& self, const nb::kwargs& wanted) {
    // A consumer that can read version 1 says so.
    bool versioned = false, copy = false;
    for (const auto [key, value] : wanted) {
      const auto name = nb::cast<std::string>(key);
      if (name == "max_version" && !value.is_none())
        versioned = nb::cast<int>(nb::object(nb::borrow(value)[0])) >= 1;
      if (name == "copy") copy = value.ptr() == Py_True;
    }
    const Tensor source = copy ? self.clone() : self;
    return nb::steal(versioned ? capsule_of(to_dlpack_versioned(source), "dltensor_versioned")
                               : capsule_of(to_dlpack(source), "dltensor"));
  });
  method("__dlpack_device__", [](const Tensor& self) {
    return nb::make_tuple(self.is_cuda() ? int{kDLCUDA} : int{kDLCPU}, int{self.device().index});
  });
}

}  // namespace notape::python
