#include "verify/check_everywhere.h"

#include "ops/spec/joined_results.h"
#include "verify/functions/function_report.h"

namespace notape::verify {

Report check_everywhere(const TensorFunction& f, int arguments, const EverywhereOptions& given,
                        std::source_location at) {
  require_option(given.order >= 1, "order", given.order);
  require_option(given.samples >= 1, "samples", given.samples);
  require_option(given.power >= 0, "power", given.power);
  require_option(given.domain.low < given.domain.high, "domain.low", given.domain.low);
  struct Kept {
    EverywhereOptions options;
    OpSpec spec;
  };
  const auto kept = std::make_shared<Kept>(Kept{given, {}});
  OpSpec& spec = kept->spec;
  spec.name = kept->options.name.c_str();
  spec.family = "function";
  spec.order = given.order;
  spec.forward_mode = given.forward_mode;
  spec.at = at;
  spec.draw = [f, arguments, options = &kept->options](Draw& draw) {
    OpCase one;
    one.arguments.assign(static_cast<std::size_t>(arguments),
                         {.sizes = draw.shape(0, 3), .domain = options->domain});
    one.call = [f](const variable_list& x) { return joined_results(f(x)); };
    one.reference = options->reference;
    return one;
  };
  Options options{.seed = given.seed, .samples = given.samples};
  if (!given.float32) options.dtypes = {kFloat64};
  if (given.power > 0) options.gates.power = {{kFloat64, given.power}};
  std::string note;
  if (!given.reference) note = "no 113-bit reference: the value itself is not judged";
  return run_checks({kept, &kept->spec}, options, std::move(note));
}

}  // namespace notape::verify
