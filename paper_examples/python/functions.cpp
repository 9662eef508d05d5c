// autograd.Function: a pair of static methods of Python as a node of the graph.
#include <nanobind/stl/vector.h>

#include "autograd/function.h"
#include "paper_examples/python/binding.h"

namespace notape::python {
namespace {

using autograd::AutogradContext;

/// What forward and backward call ctx, a base of a class in Python. The graph owns the context:
/// once that is gone, its methods say so.
struct Context {
  AutogradContext* context = nullptr;
  std::vector<int> tensor_number;  // of each argument of apply(), -1: no tensor

  AutogradContext& get() const {
    if (!context) throw GraphFreed("ctx outlives the graph it belongs to");
    return *context;
  }
};

/// The user's class and the object ctx, from the context in which they are kept.
struct Owner {
  Kept type, object;
  Owner(nb::handle of, nb::handle ctx) : type(of.ptr()), object(ctx.ptr()) {}
  ~Owner() {
    if (!Py_IsInitialized()) return;
    const nb::gil_scoped_acquire lock;
    nb::inst_ptr<Context>(nb::handle(object.get()))->context = nullptr;
  }
};
constexpr const char* kOwner = "python";

TensorList list_of_results(const nb::object& results) {
  TensorList list;
  if (!nb::isinstance<nb::tuple>(results) && !nb::isinstance<nb::list>(results))
    return {nb::cast<Tensor>(results)};
  for (nb::handle one : results) list.push_back(nb::cast<Tensor>(one));
  return list;
}

/// `name` of the user's class, with ctx and these tensors.
TensorList call_user(AutogradContext* context, const char* name, const TensorList& tensors) {
  const nb::gil_scoped_acquire lock;
  const auto owner = std::any_cast<std::shared_ptr<Owner>>(context->saved_data[kOwner]);
  nb::list arguments;
  arguments.append(nb::handle(owner->object.get()));
  for (const Tensor& one : tensors) arguments.append(nb::steal(wrap(one)));
  return list_of_results(nb::handle(owner->type.get()).attr(name)(*nb::tuple(arguments)));
}
TensorList user_backward(AutogradContext* context, TensorList gradients) {
  return call_user(context, "backward", gradients);
}
TensorList user_jvp(AutogradContext* context, TensorList tangents) {
  return call_user(context, "jvp", tangents);
}

/// For good, one for each class: nodes point to it.
const autograd::FunctionVTable& vtable_of(nb::handle type) {
  if (nb::hasattr(type, "_notape_vtable") &&
      nb::cast<bool>(type.attr("__dict__").attr("__contains__")("_notape_vtable")))
    return *static_cast<autograd::FunctionVTable*>(nb::capsule(type.attr("_notape_vtable")).data());
  const auto* name =
      new std::string(nb::cast<const char*>(type.attr("__name__")) + std::string("Backward"));
  auto* table = new autograd::FunctionVTable{name->c_str(), user_backward,
                                             nb::hasattr(type, "jvp") ? user_jvp : nullptr};
  nb::setattr(type, "_notape_vtable", nb::capsule(table));
  return *table;
}

/// `forward` is called with the arguments after ctx; what it returns is a tensor or a tuple.
nb::object apply(nb::handle type, nb::handle ctx, nb::callable forward, const nb::tuple& arguments,
                 bool once) {
  autograd::FunctionCall call(vtable_of(type), caller());
  Context& held = *nb::inst_ptr<Context>(ctx);
  int tensors = 0;
  for (nb::handle one : arguments) {
    const Tensor* tensor = tensor_of(one.ptr());
    held.tensor_number.push_back(tensor ? tensors++ : -1);
    if (tensor)
      call.add_argument(*tensor);
    else
      call.add_argument(0);
  }
  AutogradContext* context = call.begin();
  context->saved_data[kOwner] = std::make_shared<Owner>(type, ctx);
  held.context = context;
  if (once) context->mark_once_differentiable();
  nb::object result;
  {
    const autograd::CustomForward scope(call.number());
    result = forward(*arguments);
  }
  const bool is_one = tensor_of(result.ptr()) != nullptr;
  TensorList outputs = call.finish(list_of_results(result));
  nb::list made;
  for (Tensor& output : outputs) {
    nb::object same;
    for (nb::handle one : arguments)  // written in place: the same object
      if (const Tensor* tensor = tensor_of(one.ptr()); tensor && tensor->is_same(output))
        same = nb::borrow(one);
    made.append(same.is_valid() ? same : nb::steal(wrap(std::move(output))));
  }
  return is_one ? nb::object(made[0]) : nb::object(nb::tuple(made));
}

}  // namespace

void add_functions(nb::module_& m) {
  nb::class_<Context>(m, "FunctionCtx", nb::dynamic_attr())
      .def(nb::init<>())
      .def("save_for_backward",
           [](const Context& self, const nb::args& values) {
             TensorList list;
             for (nb::handle one : values) list.push_back(nb::cast<Tensor>(one));
             self.get().save_for_backward(list);
           })
      .def_prop_ro(
          "saved_tensors",
          [](const Context& self) { return nb::tuple(nb::cast(self.get().get_saved_variables())); })
      .def("mark_dirty",
           [](const Context& self, const nb::args& values) {
             self.get().mark_dirty(nb::cast<TensorList>(values));
           })
      .def("mark_non_differentiable",
           [](const Context& self, const nb::args& values) {
             self.get().mark_non_differentiable(nb::cast<TensorList>(values));
           })
      .def("set_materialize_grads",
           [](const Context& self, bool wanted) { self.get().set_materialize_grads(wanted); })
      .def_prop_ro("needs_input_grad", [](const Context& self) {
        nb::list all;
        for (int number : self.tensor_number)
          all.append(number >= 0 && self.get().needs_input_grad(static_cast<std::size_t>(number)));
        return nb::tuple(all);
      });
  m.def("apply_function", apply);
}

}  // namespace notape::python
