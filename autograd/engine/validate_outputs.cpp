#include "autograd/engine/validate_outputs.h"

#include "autograd/engine/graph_task.h"

namespace notape::autograd {

void validate_outputs(const edge_list& edges, variable_list& gradients,
                      const std::function<std::string(const std::string&)>& format_error) {
  if (gradients.size() != edges.size())
    throw InvalidGradient(
        "{}", format_error(format_message("invalid number of gradients - expected {}, but got {}",
                                          {edges.size(), gradients.size()})));
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (!edges[i] || !gradients[i].defined()) continue;
    const OutputMeta& meta = edges[i].function->input_metadata(edges[i].input_nr);
    if (meta.matches(gradients[i].impl())) continue;
    try {
      gradients[i] = fit_gradient(std::move(gradients[i]), meta, "validate_outputs", i);
    } catch (const InvalidGradient& error) {
      throw InvalidGradient("{}", format_error(error.what_without_backtrace()));
    }
  }
}

}  // namespace notape::autograd
