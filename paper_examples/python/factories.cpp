// Tensors from nothing, from numbers and from nested lists.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "autograd/batching/random_factories.h"
#include "autograd/tensor/factories.h"
#include "ops/shape.h"
#include "paper_examples/python/binding.h"
#include "paper_examples/python/exchange.h"

namespace notape::python {

Device device_of(nb::handle object) {
  if (nb::isinstance<nb::str>(object)) return Device(nb::cast<std::string>(object));
  if (nb::isinstance<nb::int_>(object)) return Device(kCUDA, nb::cast<int>(object));
  return nb::cast<Device>(object);
}

namespace {

/// dtype, device, requires_grad, pin_memory; PyTorch's others say nothing here.
TensorOptions options_of(const nb::kwargs& given) {
  TensorOptions options;
  for (const auto [key, value] : given) {
    const auto name = nb::cast<std::string>(key);
    if (name == "requires_grad" || name == "pin_memory") {
      const bool wanted = nb::cast<bool>(value);
      options =
          name == "pin_memory" ? options.pinned_memory(wanted) : options.requires_grad(wanted);
    } else if (name == "dtype" && !value.is_none()) {
      const ScalarType* type = dtype_of(value.ptr());
      if (!type) throw nb::type_error("dtype is one of notape.float32, notape.int64, ...");
      options = options.dtype(*type);
    } else if (name == "device" && !value.is_none()) {
      options = options.device(device_of(value));
    } else if (name == "generator" || name == "layout" || name == "memory_format" ||
               value.is_none()) {
      continue;
    } else if (name != "size" && name != "fill_value") {
      throw nb::type_error(("unexpected keyword argument '" + name + "'").c_str());
    }
  }
  return options;
}

std::optional<Generator> generator_of(const nb::kwargs& given) {
  if (!given.contains("generator") || given["generator"].is_none()) return {};
  return nb::cast<Generator>(given["generator"]);
}

/// f(2, 3), f((2, 3)), f(size=(2, 3))
std::vector<int64_t> sizes_of(const nb::args& given, const nb::kwargs& named) {
  if (named.contains("size")) return nb::cast<std::vector<int64_t>>(named["size"]);
  if (given.size() == 1 && !PyIndex_Check(nb::handle(given[0]).ptr()))
    return nb::cast<std::vector<int64_t>>(given[0]);
  return nb::cast<std::vector<int64_t>>(given);
}

Scalar scalar_at(const nb::args& given, std::size_t i) {
  const nb::object one = given[i];
  if (!is_number(one.ptr())) {
    if (const Tensor* tensor = tensor_of(one.ptr())) return tensor->item_scalar();
    throw nb::type_error("a number was expected");
  }
  return number_of(one.ptr());
}

/// Rows of nested lists: sizes, what holds all numbers, and then the numbers in order.
struct NestedList {
  std::vector<int64_t> sizes;
  ScalarType type = kBool;
  bool is_empty = true;

  explicit NestedList(nb::handle data) {
    for (nb::object row = nb::borrow(data); is_row(row); row = row[0]) {
      const std::size_t count = nb::len(row);
      sizes.push_back(static_cast<int64_t>(count));
      if (count == 0) break;
    }
    look(data, 0);
  }
  static bool is_row(nb::handle object) {
    return !is_number(object.ptr()) && !nb::isinstance<nb::str>(object) &&
           !(tensor_of(object.ptr()) && tensor_of(object.ptr())->dim() == 0) &&
           PySequence_Check(object.ptr());
  }
  static Scalar element(nb::handle object) {
    if (const Tensor* tensor = tensor_of(object.ptr())) return tensor->item_scalar();
    if (!is_number(object.ptr()))
      throw nb::type_error(
          (std::string("not a number: ") + Py_TYPE(object.ptr())->tp_name).c_str());
    return number_of(object.ptr());
  }
  void look(nb::handle data, std::size_t depth) {
    if (!is_row(data)) {
      if (depth != sizes.size()) throw ShapeError("tensor: rows of unequal length");
      const Scalar number = element(data);
      const ScalarType one = number.type() == kDouble ? kFloat32 : number.type();
      type = promote_types(type, one);
      is_empty = false;
      return;
    }
    if (depth == sizes.size() || nb::len(data) != static_cast<std::size_t>(sizes[depth]))
      throw ShapeError("tensor: rows of unequal length");
    for (nb::handle row : nb::iter(data)) look(row, depth + 1);
  }
  template <typename Write>
  static void write(nb::handle data, const Write& element_of) {
    if (!is_row(data)) return element_of(element(data));
    for (nb::handle row : nb::iter(data)) write(row, element_of);
  }
};

}  // namespace

Tensor tensor_from(PyObject* data, const TensorOptions& options) {
  if (const Tensor* tensor = tensor_of(data)) {
    const Tensor copy = tensor->detach().to(options.dtype_opt().value_or(tensor->dtype())).clone();
    return finish_tensor(copy.to(kCPU),
                         options.device(options.device_opt().value_or(tensor->device())));
  }
  if (PyObject_CheckBuffer(data) && !PyBytes_Check(data)) {
    const Tensor shared = from_buffer(data);
    return finish_tensor(shared.to(options.dtype_opt().value_or(shared.dtype())).clone(), options);
  }
  const NestedList list{nb::handle(data)};
  const ScalarType type = options.dtype_opt().value_or(list.is_empty ? kFloat32 : list.type);
  Tensor made = empty(list.sizes, TensorOptions(type));
  visit_type(type, [&]<typename T>() {
    T* next = made.impl().data_as<T>();
    NestedList::write(data, [&](const Scalar& number) { *next++ = number.to<T>("tensor"); });
  });
  return finish_tensor(std::move(made), options);
}

void add_factories(nb::module_& m) {
  const auto sized = [&m](const char* name, Tensor (*make)(IntArrayRef, TensorOptions)) {
    m.def(name, [make](const nb::args& sizes, const nb::kwargs& options) {
      return make(sizes_of(sizes, options), options_of(options));
    });
  };
  sized("empty", empty);
  sized("zeros", zeros);
  sized("ones", ones);
  m.def("rand", [](const nb::args& sizes, const nb::kwargs& options) {
    return rand(sizes_of(sizes, options), generator_of(options), options_of(options));
  });
  m.def("randn", [](const nb::args& sizes, const nb::kwargs& options) {
    return randn(sizes_of(sizes, options), generator_of(options), options_of(options));
  });
  const auto alike = [&m](const char* name, Tensor (*make)(const Tensor&, TensorOptions)) {
    m.def(name, [make](const Tensor& like, const nb::kwargs& options) {
      return make(like, options_of(options).or_those_of(like.options()));
    });
  };
  alike("empty_like", empty_like);
  alike("zeros_like", zeros_like);
  alike("ones_like", ones_like);
  alike("rand_like", rand_like);
  alike("randn_like", randn_like);
  m.def("full_like", [](const Tensor& like, nb::object value, const nb::kwargs& options) {
    return full_like(like, number_of(value.ptr()), options_of(options).or_those_of(like.options()));
  });
  m.def(
      "full",
      [](nb::object size, nb::object value, const nb::kwargs& options) {
        return full(PyIndex_Check(size.ptr()) ? std::vector<int64_t>{nb::cast<int64_t>(size)}
                                              : nb::cast<std::vector<int64_t>>(size),
                    number_of(value.ptr()), options_of(options));
      },
      nb::arg("size"), nb::arg("fill_value"), nb::arg("options"));
  m.def("arange", [](const nb::args& ends, const nb::kwargs& options) {
    const TensorOptions wanted = options_of(options);
    if (ends.size() == 1) return arange(scalar_at(ends, 0), wanted);
    if (ends.size() == 2) return arange(scalar_at(ends, 0), scalar_at(ends, 1), wanted);
    if (ends.size() != 3) throw nb::type_error("arange takes one to three numbers");
    return arange(scalar_at(ends, 0), scalar_at(ends, 1), scalar_at(ends, 2), wanted);
  });
  m.def(
      "linspace",
      [](nb::object start, nb::object end, int64_t steps, const nb::kwargs& options) {
        return linspace(number_of(start.ptr()), number_of(end.ptr()), steps, options_of(options));
      },
      nb::arg("start"), nb::arg("end"), nb::arg("steps"), nb::arg("options"));
  m.def("eye", [](const nb::args& sizes, const nb::kwargs& options) {
    const auto count = nb::cast<std::vector<int64_t>>(sizes);
    return eye(count.at(0), count.at(count.size() == 1 ? 0 : 1), options_of(options));
  });
  m.def("randint", [](const nb::args& given, const nb::kwargs& options) {
    const bool has_size = options.contains("size");
    const std::size_t numbers = given.size() - (has_size ? 0 : 1);
    const auto size = nb::cast<std::vector<int64_t>>(has_size ? nb::object(options["size"])
                                                              : nb::object(given[numbers]));
    const int64_t low = numbers == 2 ? scalar_at(given, 0).to_int() : 0;
    return randint(low, scalar_at(given, numbers - 1).to_int(), size, generator_of(options),
                   options_of(options));
  });
  m.def("randperm", [](int64_t n, const nb::kwargs& options) {
    return randperm(n, generator_of(options), options_of(options));
  });
  m.def("tensor", [](nb::object data, const nb::kwargs& options) {
    return tensor_from(data.ptr(), options_of(options));
  });
  nb::class_<Generator>(m, "Generator")
      .def("__init__", [](Generator* made, nb::args) { new (made) Generator(uint64_t{0}); })
      .def(
          "manual_seed",
          [](Generator& self, uint64_t seed) -> Generator& {
            self.set_current_seed(seed);
            return self;
          },
          nb::rv_policy::reference)
      .def("initial_seed", &Generator::current_seed)
      .def("get_state", &Generator::get_state)
      .def("set_state", &Generator::set_state);
  m.def("manual_seed", [](uint64_t seed) {
    manual_seed(seed);
    return default_generator();
  });
  m.def("get_rng_state", [] { return default_generator().get_state(); });
  m.def("set_rng_state", [](const Tensor& state) { default_generator().set_state(state); });
}

}  // namespace notape::python
