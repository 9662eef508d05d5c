#include "verify/gradcheck.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "autograd/autograd.h"
#include "autograd/graph/accumulate_grad.h"
#include "autograd/graph/history.h"
#include "autograd/graph/hooks.h"
#include "ops/arithmetic.h"
#include "ops/spec/joined_results.h"
#include "verify/checks/kept_tensors.h"
#include "verify/checks/outcome.h"
#include "verify/functions/function_report.h"
#include "verify/functions/function_row.h"
#include "verify/generate/layout.h"

namespace notape::verify {
namespace {

bool has_same_numbers(const Numbers& a, const Numbers& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double one, double other) {
    return one == other || (std::isnan(one) && std::isnan(other));
  });
}

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
  const Numbers here = value(0);
  for (const double move : {0x1p-7, -0x1p-7, 0x1p-2, -0x1p-2}) try {
      const Numbers there = value(move);
      if (!has_same_numbers(here, there)) return true;
    } catch (const Error&) {
      // It takes no such inputs.
    }
  return false;
}

/// FAIL if the value moves with inputs that require grad and no result leads back to any of them,
/// VACUOUS if it does not move either; else nothing. Said once, instead of by every check in its
/// own words.
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

std::string note_of(const CheckOptions& options) {
  std::string note;
  if (!options.reference) note += "no 113-bit reference: the value itself is not judged";
  if (options.atol > 0 || options.rtol > 0)
    note += fmt::format("{}tolerance overridden: atol {}, rtol {}", note.empty() ? "" : "; ",
                        options.atol, options.rtol);
  return note;
}

bool needs_gradient(const variable_list& inputs) {
  return std::any_of(inputs.begin(), inputs.end(),
                     [](const Tensor& input) { return input.defined() && input.requires_grad(); });
}

/// Some require grad, and those of one dtype: FunctionRow says what is wrong if not.
bool share_a_dtype(const variable_list& inputs) {
  const auto wanted = [](const Tensor& input) { return input.defined() && input.requires_grad(); };
  const auto first = std::find_if(inputs.begin(), inputs.end(), wanted);
  return first != inputs.end() && std::all_of(first, inputs.end(), [&](const Tensor& input) {
           return !wanted(input) || input.dtype() == first->dtype();
         });
}

/// What a call gives that nobody has called before: what only the first call gets right, or only
/// the second one wrong, is seen before anything else has called f. Says what differs. Throws what
/// f throws.
std::optional<std::string> first_two_calls(const TensorFunction& f, const variable_list& inputs) {
  std::vector<Numbers> found[2];
  for (std::vector<Numbers>& one : found) {
    variable_list leaves = inputs, active;
    for (Tensor& input : leaves)
      if (input.defined() && input.requires_grad())
        active.push_back(input = input.detach().clone().requires_grad_(true));
    const Tensor output = joined_results(f(leaves));
    one.push_back(numbers_of(output));
    if (active.empty() || !output.requires_grad()) continue;
    try {
      for (const Tensor& gradient :
           autograd::grad({output}, active, {ones_like(output)}, false, false, true))
        one.push_back(gradient.defined() ? numbers_of(gradient) : Numbers());
    } catch (const Error&) {
      return {};  // for the checks to say
    }
  }
  if (found[0].size() != found[1].size()) return "whether there is a gradient";
  for (std::size_t k = 0; k < found[0].size(); ++k)
    if (!has_same_numbers(found[0][k], found[1][k]))
      return k == 0 ? std::string("output") : format_message("gradient of argument {}", {k - 1});
  return {};
}

/// A FAIL if a hook on an input changes its gradient. What is checked are copies of the inputs,
/// which have no hooks; users get the gradient that hooks leave.
std::optional<Outcome> changed_by_hooks(const TensorFunction& f, const variable_list& inputs) {
  variable_list copies = inputs, active[2];
  std::vector<std::size_t> places;
  bool any = false;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!is_wanted(inputs[i])) continue;
    const Edge edge = gradient_edge(inputs[i]);
    const NodeHooks* hooks = edge.function->hooks();
    any |= hooks && !hooks->tensor_hooks.entries().empty();
    places.push_back(i);
    active[0].push_back(inputs[i]);
    active[1].push_back(copies[i] = inputs[i].detach().requires_grad_(true));
  }
  if (!any) return {};
  const EnableGradGuard recording;
  std::vector<Numbers> found[2];
  for (const int k : {0, 1}) {
    const Tensor output = joined_results(f(k == 0 ? inputs : copies));
    const Tensor incoming = linspace(1, 2, output.numel(), output.options()).view(output.sizes());
    for (const Tensor& gradient :
         autograd::grad({output}, active[k], {incoming}, false, false, /*allow_unused=*/true))
      found[k].push_back(gradient.defined() ? numbers_of(gradient) : Numbers());
  }
  for (std::size_t a = 0; a < places.size(); ++a)
    if (!has_same_numbers(found[0][a], found[1][a]))
      return Outcome::of(Verdict::Fail, "hook",
                         format_message("a hook on input {} changes its gradient: the derivative "
                                        "of the function is another",
                                        {places[a]}));
  return {};
}

/// A report of this alone.
Report report_of_outcome(const std::shared_ptr<const FunctionRow>& row, const char* check,
                         Outcome outcome, const CheckOptions& options) {
  Certificate certificate{.spec = &row->spec(),
                          .check = check,
                          .dtype = row->dtype(),
                          .device = row->device(),
                          .verdict = outcome.verdict,
                          .detail = outcome.reason,
                          .cases = 1,
                          .comparisons = outcome.verdict != Verdict::Vacuous};
  certificate.failure.emplace().outcome = std::move(outcome);
  return report_of({row, &row->spec()}, {std::move(certificate)}, note_of(options));
}

}  // namespace

void require_option(bool holds, const char* option, double value) {
  if (!holds) throw ValueError("{} = {} makes no sense", option, value);
}

const Tensor& input_of(const variable_list& x, std::size_t i, std::size_t count) {
  if (x.size() != count)
    throw ValueError("the function takes {} tensors, and {} were given", count, x.size());
  return x[i];
}

Report check(const TensorFunction& f, const variable_list& inputs, const CheckOptions& options,
             std::source_location at) {
  require_option(options.order >= 1, "order", options.order);
  require_option(options.samples >= 1, "samples", options.samples);
  require_option(options.atol >= 0, "atol", options.atol);
  require_option(options.rtol >= 0, "rtol", options.rtol);
  std::optional<std::string> unequal;
  const Options run{.dtypes = {},
                    .seed = options.seed,
                    .samples = options.samples,
                    .first_red_only = options.fail_fast,
                    .evidence = options.evidence,
                    .left_out = options.left_out};
  if (wants(run, "repeat") && share_a_dtype(inputs)) unequal = first_two_calls(f, inputs);
  const auto row = std::make_shared<const FunctionRow>(f, inputs, options, at);
  if (unequal)
    return report_of_outcome(
        row, "repeat",
        Outcome::of(Verdict::Nondeterministic, "bits",
                    "equal calls give different bits: the first two calls, in the " + *unequal),
        options);
  if (auto outcome = unconnected(f, inputs))
    return report_of_outcome(row, "reverse", *std::move(outcome), options);
  if (auto outcome = changed_by_hooks(f, inputs))
    return report_of_outcome(row, "reverse", *std::move(outcome), options);
  Options of_row = run;
  of_row.dtypes = {row->dtype()};
  of_row.device = row->device();
  return run_checks({row, &row->spec()}, of_row, note_of(options));
}

bool gradcheck(const TensorFunction& f, const variable_list& inputs,
               const GradcheckOptions& options, std::source_location at) {
  if (!needs_gradient(inputs))
    throw ValueError(
        "gradcheck expects at least one input tensor to require gradient, but none of them have "
        "requires_grad=True.");
  const Report report = check(f, inputs,
                              {.order = options.check_grad_grad ? 2 : 1,
                               .forward_mode = options.check_forward_ad,
                               .atol = options.atol,
                               .rtol = options.rtol},
                              at);
  if (!report.ok() && options.raise_exception) throw GradcheckError("{}", report.text());
  return report.ok();
}

bool gradgradcheck(const TensorFunction& f, const variable_list& inputs, GradcheckOptions options,
                   std::source_location at) {
  options.check_grad_grad = true;
  return gradcheck(f, inputs, options, at);
}

}  // namespace notape::verify
