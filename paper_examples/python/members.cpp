// What Tensor has beside the functions: properties, conversions, backward, hooks.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "autograd/functional/backward.h"
#include "autograd/graph/node.h"
#include "autograd/interchange/graph_export.h"
#include "ops/shape.h"
#include "paper_examples/python/binding.h"
#include "paper_examples/python/exchange.h"
#include "paper_examples/python/graph.h"

namespace notape::python {
namespace {

nb::object number_object(const Scalar& value) {
  if (value.is_floating_point()) return nb::float_(value.to_double());
  if (value.type() == kBool) return nb::bool_(value.to<bool>());
  return nb::int_(value.to_int());
}

nb::object list_of(const Tensor& tensor) {
  if (tensor.dim() == 0) return number_object(tensor.item_scalar());
  nb::list rows;
  if (tensor.dim() == 1 && tensor.is_cpu()) {
    visit_type(tensor.dtype(), [&]<typename T>() {
      const T* data = tensor.const_data_ptr<T>();
      for (int64_t i = 0; i < tensor.size(0); ++i)
        rows.append(number_object(Scalar(data[i * tensor.stride(0)])));
    });
  } else {
    for (const Tensor& row : tensor.unbind(0)) rows.append(list_of(row));
  }
  return rows;
}

/// x.to(dtype), x.to(device), x.to(device, dtype), x.to(other), with either by name.
Tensor converted(const Tensor& self, const nb::args& given, const nb::kwargs& named) {
  ScalarType type = self.dtype();
  Device device = self.device();
  bool copy = false;
  const auto take = [&](nb::handle one) {
    if (one.is_none() || nb::isinstance<nb::bool_>(one)) return;  // non_blocking
    if (const ScalarType* wanted = dtype_of(one.ptr())) {
      type = *wanted;
    } else if (const Tensor* other = tensor_of(one.ptr())) {
      type = other->dtype(), device = other->device();
    } else {
      device = device_of(one);
    }
  };
  for (nb::handle one : given) take(one);
  for (const auto [key, value] : named) {
    const auto name = nb::cast<std::string>(key);
    if (name == "copy")
      copy = nb::cast<bool>(value);
    else if (name != "non_blocking" && name != "memory_format")
      take(value);
  }
  const SourceLocation at = caller();
  Tensor result = self;
  if (device != self.device()) result = to(result, device, at);
  if (type != self.dtype()) result = to(result, type, at);
  return copy && result.is_same(self) ? clone(result, at) : result;
}

void add_properties() {
  property("shape", [](const Tensor& self) { return nb::steal(shape_object(self.sizes())); });
  property("dtype", [](const Tensor& self) { return nb::borrow(dtype_object(self.dtype())); });
  property("device", [](const Tensor& self) { return self.device(); });
  property("ndim", [](const Tensor& self) { return self.dim(); });
  property("is_leaf", [](const Tensor& self) { return self.is_leaf(); });
  property("is_cuda", [](const Tensor& self) { return self.is_cuda(); });
  property("itemsize", [](const Tensor& self) { return self.itemsize(); });
  property("nbytes", [](const Tensor& self) { return self.nbytes(); });
  property("output_nr", [](const Tensor& self) { return self.output_nr(); });
  property("_version", [](const Tensor& self) { return self._version(); });
  property("_base", [](const Tensor& self) { return self._base(); });
  property("retains_grad", [](const Tensor& self) { return self.retains_grad(); });
  property("grad_fn", [](const Tensor& self) { return graph_function(self.grad_fn()); });
  property("T", [](const Tensor& self) {
    std::vector<int64_t> order;
    for (int64_t i = self.dim(); i-- > 0;) order.push_back(i);
    return permute(self, order, caller());
  });
  property("mT", [](const Tensor& self) { return transpose(self, -2, -1, caller()); });
  property(
      "requires_grad", [](const Tensor& self) { return self.requires_grad(); },
      [](const Tensor& self, bool wanted) { self.requires_grad_(wanted); });
  property(
      "grad", [](const Tensor& self) { return self.grad(caller()); },
      [](const Tensor& self, const Tensor& gradient) { self.set_grad(gradient); });
  property(
      "data", [](const Tensor& self) { return self.data(); },
      [](const Tensor& self, const Tensor& other) { self.set_data(other); });
}

void add_shapes() {
  method(
      "size",
      [](const Tensor& self, nb::object dim) -> nb::object {
        if (dim.is_none()) return nb::steal(shape_object(self.sizes()));
        return nb::int_(self.size(nb::cast<int64_t>(dim)));
      },
      nb::arg("dim").none() = nb::none());
  method(
      "stride",
      [](const Tensor& self, nb::object dim) -> nb::object {
        if (dim.is_none())
          return nb::tuple(
              nb::cast(std::vector<int64_t>(self.strides().begin(), self.strides().end())));
        return nb::int_(self.stride(nb::cast<int64_t>(dim)));
      },
      nb::arg("dim").none() = nb::none());
  method("dim", [](const Tensor& self) { return self.dim(); });
  method("numel", [](const Tensor& self) { return self.numel(); });
  method("nelement", [](const Tensor& self) { return self.numel(); });
  method("element_size", [](const Tensor& self) { return self.element_size(); });
  method("storage_offset", [](const Tensor& self) { return self.storage_offset(); });
  method("data_ptr",
         [](const Tensor& self) { return reinterpret_cast<std::uintptr_t>(self.data_ptr()); });
  method("is_contiguous", [](const Tensor& self) { return self.is_contiguous(); });
  method("is_floating_point", [](const Tensor& self) { return self.is_floating_point(); });
  method("is_complex", [](const Tensor&) { return false; });
  method("is_pinned", [](const Tensor& self) { return self.is_pinned(); });
  method("is_same", [](const Tensor& self, const Tensor& other) { return self.is_same(other); });
  method("item", [](const Tensor& self) { return number_object(self.item_scalar()); });
  method("tolist", [](const Tensor& self) { return list_of(self.detach()); });
  method("to", converted);
}

Tensor of_type(const Tensor& self, ScalarType type) {
  return type == self.dtype() ? self : to(self, type, caller());
}

void add_conversions() {
  method("float", [](const Tensor& self) { return of_type(self, kFloat32); });
  method("double", [](const Tensor& self) { return of_type(self, kFloat64); });
  method("half", [](const Tensor& self) { return of_type(self, kFloat16); });
  method("bfloat16", [](const Tensor& self) { return of_type(self, kBFloat16); });
  method("long", [](const Tensor& self) { return of_type(self, kInt64); });
  method("int", [](const Tensor& self) { return of_type(self, kInt32); });
  method("bool", [](const Tensor& self) { return of_type(self, kBool); });
  method("cpu", [](const Tensor& self) { return to(self, Device(), caller()); });
  method("cuda", [](const Tensor& self) { return to(self, Device(kCUDA), caller()); });
}

void add_gradients() {
  method(
      "requires_grad_",
      [](nb::object self, bool wanted) {
        tensor_of(self.ptr())->requires_grad_(wanted);
        return self;
      },
      nb::arg("requires_grad") = true);
  method("detach", [](const Tensor& self) { return self.detach(); });
  method("detach_", [](nb::object self) {
    tensor_of(self.ptr())->detach_();
    return self;
  });
  method("retain_grad", [](const Tensor& self) { self.retain_grad(); });
  method(
      "backward",
      [](const Tensor& self, const Tensor& gradient, std::optional<bool> retain_graph,
         bool create_graph, const nb::object& inputs) {
        std::optional<TensorList> wanted;
        if (const Tensor* one = tensor_of(inputs.ptr()))
          wanted = {*one};
        else if (!inputs.is_none())
          wanted = nb::cast<TensorList>(inputs);
        const SourceLocation at = caller();
        const Released released;
        self.backward(gradient, retain_graph, create_graph, wanted, at);
      },
      nb::arg("gradient").none() = nb::none(), nb::arg("retain_graph").none() = nb::none(),
      nb::arg("create_graph") = false, nb::arg("inputs").none() = nb::none());
  method("_register_hook", [](const Tensor& self, nb::callable hook) {
    return self.register_hook([kept = std::make_shared<Kept>(hook.ptr())](const Tensor& gradient) {
      const nb::gil_scoped_acquire lock;
      return nb::cast<Tensor>(nb::handle(kept->get())(gradient));
    });
  });
  method("_remove_hook", [](const Tensor& self, uint32_t index) { self.remove_hook(index); });
  method("_register_post_accumulate_grad_hook", [](const Tensor& self, nb::callable hook) {
    return self.register_post_accumulate_grad_hook(
        [kept = std::make_shared<Kept>(hook.ptr())](const Tensor& leaf) {
          const nb::gil_scoped_acquire lock;
          nb::handle(kept->get())(leaf);
        });
  });
  method("_remove_post_accumulate_grad_hook",
         [](const Tensor& self, uint32_t index) { self.remove_post_accumulate_grad_hook(index); });
  method("_repr_svg_", [](const Tensor& self) -> nb::object {
    if (!self.grad_fn()) return nb::none();  // numbers: notebooks show their text
    return nb::cast(autograd::to_svg({self}));
  });
}

}  // namespace

void add_members(nb::module_&) {
  add_properties();
  add_shapes();
  add_conversions();
  add_gradients();
}

}  // namespace notape::python
