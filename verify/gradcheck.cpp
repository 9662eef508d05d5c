#include "verify/gradcheck.h"

#include <fmt/format.h>

#include "ops/ops.h"
#include "verify/checks/cut_results.h"
#include "verify/function_report.h"
#include "verify/function_row.h"

namespace notape::verify {
namespace {

std::string note_of(const CheckOptions& options) {
  std::string note;
  if (!options.reference) note += "no 113-bit reference: the value itself is not judged";
  if (options.atol > 0 || options.rtol > 0)
    note += fmt::format("{}tolerance overridden: atol {}, rtol {}", note.empty() ? "" : "; ",
                        options.atol, options.rtol);
  return note;
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

Tensor joined_outputs(const variable_list& outputs) {
  variable_list real;
  for (const Tensor& output : outputs)
    if (output.defined() && output.is_floating_point()) real.push_back(output);
  if (real.empty()) throw ValueError("the function returns nothing that could be differentiated");
  CutResults::apply(real);
  if (real.size() == 1) return real[0];
  for (Tensor& output : real) output = output.reshape({-1});
  return cat(real, 0);
}

Report check(const TensorFunction& f, const variable_list& inputs, const CheckOptions& options,
             std::source_location at) {
  require_option(options.order >= 1, "order", options.order);
  require_option(options.samples >= 1, "samples", options.samples);
  require_option(options.atol >= 0, "atol", options.atol);
  require_option(options.rtol >= 0, "rtol", options.rtol);
  const auto row = std::make_shared<const FunctionRow>(f, inputs, options, at);
  joined_outputs(f(inputs));  // throws what f throws, before any check
  return run_checks(std::shared_ptr<const OpSpec>(row, &row->spec()),
                    {.dtypes = {row->dtype()},
                     .device = row->device(),
                     .seed = options.seed,
                     .samples = options.samples},
                    note_of(options));
}

bool gradcheck(const TensorFunction& f, const variable_list& inputs,
               const GradcheckOptions& options, std::source_location at) {
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
