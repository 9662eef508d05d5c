#include "verify/catalogue/probe.h"

#include <algorithm>

#include "autograd/autograd.h"
#include "autograd/functional/vmap.h"
#include "autograd/interchange/exported_graph.h"
#include "ops/shape.h"
#include "verify/generate/drawn_case.h"

namespace notape::verify::catalogue {
namespace {

using autograd::functional::vmap;

constexpr int kCases = 6;

DrawnCase drawn(const OpSpec& spec, int number) {
  ChoiceDraw draw(rc::Random(static_cast<uint64_t>(number) * 977 + 5));
  return draw_case(spec, draw, kFloat64);
}

variable_list arguments_of(const DrawnCase& one, ScalarType dtype) {
  variable_list arguments;
  for (const DrawnArgument& argument : one.arguments) {
    arguments.push_back(
        make_tensor(argument.values, argument.argument.sizes, argument.dtype(kFloat64)));
    if (argument.is_real()) arguments.back() = arguments.back().to(dtype);
  }
  return arguments;
}

bool computes(const DrawnCase& one, ScalarType dtype) {
  try {
    one.op.call(arguments_of(one, dtype));
    return true;
  } catch (const Error&) {
    return false;
  }
}

bool is_batched(const DrawnCase& one) {
  variable_list all;
  for (const Tensor& argument : arguments_of(one, kFloat64))
    all.push_back(stack({argument, argument}));
  if (all.empty()) return false;
  try {
    const auto call = [&](const variable_list& sample) {
      return variable_list{one.op.call(sample)};
    };
    vmap(call, 0, 0, Randomness::Different)(all);
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// The nodes between the result and the arguments, nearest first.
void add_nodes(const DrawnCase& one, std::vector<std::string>& nodes) {
  const AutoGradMode recording(true);
  variable_list arguments = arguments_of(one, kFloat64);
  for (const Tensor& argument : arguments)
    if (argument.is_floating_point()) argument.requires_grad_();
  const Tensor result = one.op.call(arguments);
  if (!result.requires_grad()) return;
  const autograd::ExportedGraph graph({result});
  for (const NodeRef& node : graph.nodes()) {
    if (autograd::leaf_of(node)) continue;
    std::string text = node->name(), saved;
    for (const auto& value : autograd::saved_by(node))
      saved += (saved.empty() ? "" : ", ") + std::string(value.slot);
    text += saved.empty() ? " (saves nothing)" : " (saves " + saved + ")";
    if (std::find(nodes.begin(), nodes.end(), text) == nodes.end()) nodes.push_back(text);
  }
}

/// Shapes are drawn on purpose that a program would be warned of.
struct Silent final : WarningHandler {
  void process(const Warning&) override {}
};

}  // namespace

Findings probe(const OpSpec& spec) {
  Silent silent;
  const WarningHandlerGuard guard(&silent);
  Findings found;
  std::vector<DrawnCase> cases;
  for (int i = 0; i < kCases; ++i) cases.push_back(drawn(spec, i));
  for (int type = kScalarTypes - 1; type >= 0; --type) {
    const auto dtype = static_cast<ScalarType>(type);
    if (std::any_of(cases.begin(), cases.end(),
                    [&](const DrawnCase& one) { return computes(one, dtype); }))
      found.dtypes.emplace_back(name_of(dtype));
  }
  for (const DrawnCase& one : cases) {
    found.in_place = found.in_place || one.op.call_in_place;
    found.vmap = found.vmap || is_batched(one);
    if (spec.order > 0) add_nodes(one, found.nodes);
  }
  return found;
}

std::string verified_orders(const OpSpec& spec) {
  std::string text;
  for (int order = 1; order <= std::min(spec.order, 3); ++order)
    text += (text.empty() ? "" : ", ") + std::to_string(order);
  if (text.empty()) return "none";
  return text + (spec.forward_mode ? ", forward" : "");
}

}  // namespace notape::verify::catalogue
