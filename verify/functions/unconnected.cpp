#include "verify/functions/unconnected.h"

#include <algorithm>
#include <cmath>

#include "autograd/autograd.h"
#include "autograd/graph/accumulate_grad.h"
#include "ops/ops.h"
#include "ops/spec/joined_results.h"
#include "verify/checks/kept_tensors.h"
#include "verify/generate/layout.h"

namespace notape::verify {
namespace {

bool is_wanted(const Tensor& input) { return input.defined() && input.requires_grad(); }

/// Copies of the inputs, those that are differentiated with `move` times their size added.
variable_list copies_of(const variable_list& inputs, double move) {
  variable_list copies = inputs;
  for (Tensor& one : copies)
    if (is_wanted(one)) {
      const NoGradGuard no_grad;
      one = (one.detach() + (abs(one.detach()) + 0x1p-3) * move).requires_grad_(true);
    }
  return copies;
}

bool leads_back(const TensorFunction& f, const variable_list& inputs) {
  const EnableGradGuard recording;
  const variable_list leaves = copies_of(inputs, 0);
  std::vector<NodeRef> ends;
  const Tensor output = joined_results(f(leaves));
  for (const Tensor& leaf : leaves) {
    if (!is_wanted(leaf)) continue;
    if (output.is_same(leaf)) return true;
    ends.push_back(grad_accumulator(leaf.impl()));
  }
  const std::vector<NodeRef> history = history_of(output);
  return std::any_of(history.begin(), history.end(), [&](const NodeRef& node) {
    return std::find(ends.begin(), ends.end(), node) != ends.end();
  });
}

bool value_moves(const TensorFunction& f, const variable_list& inputs) {
  const NoGradGuard no_grad;
  const auto value = [&](double move) {
    return numbers_of(joined_results(f(copies_of(inputs, move))));
  };
  const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  const Numbers here = value(0);
  for (const double move : {0x1p-7, -0x1p-7, 0x1p-2, -0x1p-2}) try {
      const Numbers there = value(move);
      if (!std::equal(here.begin(), here.end(), there.begin(), there.end(), same)) return true;
    } catch (const Error&) {
      // It takes no such inputs.
    }
  return false;
}

}  // namespace

std::optional<Outcome> unconnected(const TensorFunction& f, const variable_list& inputs) {
  if (leads_back(f, inputs)) return {};
  if (value_moves(f, inputs))
    return Outcome::of(
        Verdict::Fail, "detached",
        "the value depends on the inputs, and nothing leads back from it to any that "
        "requires grad: it is detached, computed under no-grad, or made of numbers "
        "that were taken out of tensors");
  return Outcome::of(
      Verdict::Vacuous, "constant",
      "the result depends on no input that requires grad: there is nothing to check");
}

}  // namespace notape::verify
