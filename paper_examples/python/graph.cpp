#include "paper_examples/python/graph.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "autograd/functional/backward.h"
#include "autograd/functional/checkpoint.h"
#include "autograd/graph/accumulate_grad.h"
#include "autograd/interchange/exported_graph.h"
#include "autograd/interchange/graph_export.h"
#include "autograd/modes/anomaly_mode.h"
#include "autograd/modes/grad_mode.h"
#include "autograd/tensor/autocast_mode.h"

namespace notape::python {
namespace {

struct GraphFunction {
  NodeRef node;
};

/// As PyTorch shows it in Python, whose x * 2 is a product of two tensors.
std::string name_of(const GraphFunction& function) {
  std::string name = function.node->name();
  for (const char* one : {"AddBackward1", "SubBackward1", "MulBackward1", "DivBackward1"})
    if (name == one) name.back() = '0';
  return name;
}

/// `function` of a list of tensors gives one tensor or several.
nb::object checkpointed(nb::callable function, const TensorList& inputs, bool preserve_rng_state,
                        bool determinism_check, bool early_stop) {
  auto kept = std::make_shared<Kept>(function.ptr());
  auto is_one = std::make_shared<bool>(false);
  const TensorList results = autograd::checkpoint(
      [kept, is_one](const TensorList& x) -> TensorList {
        const nb::gil_scoped_acquire lock;
        nb::object made;
        try {
          made = nb::handle(kept->get())(*nb::tuple(nb::cast(x)));
        } catch (const nb::python_error& error) {
          rethrow_unwinding(error);
          throw;
        }
        *is_one = tensor_of(made.ptr()) != nullptr;
        return *is_one ? TensorList{nb::cast<Tensor>(made)} : nb::cast<TensorList>(made);
      },
      inputs,
      {.preserve_rng_state = preserve_rng_state,
       .determinism_check = determinism_check,
       .early_stop = early_stop});
  return *is_one ? nb::cast(results[0]) : nb::object(nb::tuple(nb::cast(results)));
}

/// The functions of which autocast of Python is made (notape/amp.py).
void add_autocast(nb::module_& m) {
  const auto type = [](const std::string& name) { return Device(name).type; };
  m.def("is_autocast_enabled",
        [type](const std::string& name) { return autocast::is_autocast_enabled(type(name)); });
  m.def("set_autocast_enabled", [type](const std::string& name, bool on) {
    autocast::set_autocast_enabled(type(name), on);
  });
  m.def("get_autocast_dtype", [type](const std::string& name) {
    return nb::borrow(dtype_object(autocast::get_autocast_dtype(type(name))));
  });
  m.def("set_autocast_dtype", [type](const std::string& name, nb::handle dtype) {
    const ScalarType* wanted = dtype_of(dtype.ptr());
    if (!wanted) throw nb::type_error("autocast: dtype is notape.float16 or notape.bfloat16");
    autocast::set_autocast_dtype(type(name), *wanted);
  });
  m.def("is_autocast_cache_enabled", &autocast::is_autocast_cache_enabled);
  m.def("set_autocast_cache_enabled", &autocast::set_autocast_cache_enabled);
  m.def("autocast_increment_nesting", &autocast::increment_nesting);
  m.def("autocast_decrement_nesting", &autocast::decrement_nesting);
}

}  // namespace

nb::object graph_function(const NodeRef& node) {
  return node ? nb::cast(GraphFunction{node}) : nb::none();
}

void add_autograd(nb::module_& m) {
  nb::class_<GraphFunction>(m, "Node")
      .def("name", name_of)
      .def("__repr__", [](const GraphFunction& self) { return "<" + name_of(self) + ">"; })
      .def("__eq__", [](const GraphFunction& self,
                        const GraphFunction& other) { return self.node == other.node; })
      .def("__hash__",
           [](const GraphFunction& self) {
             return reinterpret_cast<std::intptr_t>(&*self.node) >> 4;
           })
      .def_prop_ro("variable",
                   [](const GraphFunction& self) {
                     AccumulateGrad* leaf = autograd::leaf_of(self.node);
                     return leaf ? leaf->leaf() : Tensor();
                   })
      .def_prop_ro("next_functions", [](const GraphFunction& self) {
        nb::list all;
        for (const Edge& edge : self.node->next_edges())
          all.append(nb::make_tuple(graph_function(edge.function), edge.input_nr));
        return nb::tuple(all);
      });
  m.def("backward",
        [](const TensorList& tensors, const TensorList& gradients, std::optional<bool> retain_graph,
           bool create_graph, const TensorList& inputs) {
          const SourceLocation at = caller();
          const Released released;
          autograd::backward(tensors, gradients, retain_graph, create_graph, inputs, at);
        });
  m.def(
      "grad",
      [](const TensorList& outputs, const TensorList& inputs, const TensorList& gradients,
         std::optional<bool> retain_graph, bool create_graph, bool allow_unused) {
        const SourceLocation at = caller();
        TensorList results;
        {
          const Released released;
          results = autograd::grad(outputs, inputs, gradients, retain_graph, create_graph,
                                   allow_unused, at);
        }
        return nb::tuple(nb::cast(results));
      },
      nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg());
  m.def("_checkpoint", checkpointed);
  add_autocast(m);
  m.def("is_grad_enabled", &GradMode::is_enabled);
  m.def("_set_grad_enabled", &GradMode::set_enabled);
  m.def("to_svg", [](const TensorList& roots) { return autograd::to_svg(roots); });
  m.def("to_dot", [](const TensorList& roots) { return autograd::to_dot(roots); });
  m.def("to_json", [](const TensorList& roots) { return autograd::to_json(roots); });
}

}  // namespace notape::python
