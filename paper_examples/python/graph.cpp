#include "paper_examples/python/graph.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "autograd/functional/backward.h"
#include "autograd/graph/accumulate_grad.h"
#include "autograd/interchange/exported_graph.h"
#include "autograd/interchange/graph_export.h"
#include "autograd/modes/anomaly_mode.h"
#include "autograd/modes/grad_mode.h"

namespace notape::python {
namespace {

struct GraphFunction {
  NodeRef node;
};

}  // namespace

nb::object graph_function(const NodeRef& node) {
  return node ? nb::cast(GraphFunction{node}) : nb::none();
}

void add_autograd(nb::module_& m) {
  nb::class_<GraphFunction>(m, "Node")
      .def("name", [](const GraphFunction& self) { return self.node->name(); })
      .def("__repr__", [](const GraphFunction& self) { return "<" + self.node->name() + ">"; })
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
  m.def("is_grad_enabled", &GradMode::is_enabled);
  m.def("_set_grad_enabled", &GradMode::set_enabled);
  m.def("to_svg", [](const TensorList& roots) { return autograd::to_svg(roots); });
  m.def("to_dot", [](const TensorList& roots) { return autograd::to_dot(roots); });
  m.def("to_json", [](const TensorList& roots) { return autograd::to_json(roots); });
}

}  // namespace notape::python
