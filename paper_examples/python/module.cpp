// notape._tensors, of which the package notape shows the names.
#include "paper_examples/python/binding.h"

#include <nanobind/stl/string.h>

#include "autograd/tensor/device_interface.h"
#include "paper_examples/python/exchange.h"

namespace notape::python {
namespace {

struct Dtype {
  ScalarType type;
};
PyObject* dtypes[kScalarTypes];
PyTypeObject* size_type = nullptr;

void add_dtypes(nb::module_& m) {
  nb::class_<Dtype>(m, "dtype")
      .def("__repr__",
           [](const Dtype& self) { return "notape." + std::string(name_of(self.type)); })
      .def("__reduce__", [](const Dtype& self) { return std::string(name_of(self.type)); })
      .def_prop_ro("is_floating_point",
                   [](const Dtype& self) { return is_floating_point(self.type); })
      .def_prop_ro("is_complex", [](const Dtype&) { return false; })
      .def_prop_ro("itemsize", [](const Dtype& self) { return element_size(self.type); });
  for (int i = 0; i < kScalarTypes; ++i) {
    const auto type = static_cast<ScalarType>(i);
    const nb::object made = nb::cast(Dtype{type});
    dtypes[i] = made.inc_ref().ptr();
    m.attr(std::string(name_of(type)).c_str()) = made;
  }
}

void add_devices(nb::module_& m) {
  nb::class_<Device>(m, "device")
      .def("__init__", [](Device* made, nb::object name) { new (made) Device(device_of(name)); })
      .def("__init__", [](Device* made, const std::string& type,
                          int index) { new (made) Device(Device(type).type, index); })
      .def("__repr__",
           [](const Device& self) {
             const std::string type = self.is_cpu() ? "cpu" : self.is_cuda() ? "cuda" : "sim";
             return "device(type='" + type + "'" +
                    (self.is_cpu() ? "" : ", index=" + std::to_string(self.index)) + ")";
           })
      .def("__str__", [](const Device& self) { return to_string(self); })
      .def("__eq__", [](const Device& self, const Device& other) { return self == other; })
      .def(
          "__eq__", [](const Device&, nb::handle) { return false; }, nb::arg().none())
      .def("__hash__",
           [](const Device& self) { return int{self.index} * 8 + static_cast<int>(self.type); })
      .def("__reduce__",
           [](nb::handle self) {
             return nb::make_tuple(self.type(), nb::make_tuple(nb::str(self)));
           })
      .def_prop_ro("type",
                   [](const Device& self) {
                     return self.is_cpu() ? "cpu" : self.is_cuda() ? "cuda" : "sim";
                   })
      .def_prop_ro("index", [](const Device& self) {
        return self.is_cpu() ? nb::none() : nb::object(nb::int_(int{self.index}));
      });
}

}  // namespace

const ScalarType* dtype_of(PyObject* object) {
  return nb::isinstance<Dtype>(object) ? &nb::inst_ptr<Dtype>(object)->type : nullptr;
}
PyObject* dtype_object(ScalarType type) { return dtypes[static_cast<int>(type)]; }

PyObject* shape_object(IntArrayRef sizes) {
  PyObject* made = size_type->tp_alloc(size_type, static_cast<Py_ssize_t>(sizes.size()));
  for (std::size_t i = 0; made && i < sizes.size(); ++i)
    PyTuple_SET_ITEM(made, static_cast<Py_ssize_t>(i), PyLong_FromLongLong(sizes[i]));
  return made;
}

NB_MODULE(_tensors, m) {
  nb::set_leak_warnings(false);  // tensors in modules outlive the interpreter
  add_errors(m);
  add_tensor_type(m);
  add_dtypes(m);
  add_devices(m);
  m.def("set_size_type",
        [](nb::handle type) { size_type = reinterpret_cast<PyTypeObject*>(type.inc_ref().ptr()); });
  m.def("cuda_device_count", [] { return device_count(kCUDA); });
  add_operators(m);
  add_factories(m);
  add_members(m);
  add_exchange(m);
  add_autograd(m);
  add_functions(m);
}

}  // namespace notape::python
