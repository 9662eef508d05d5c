#include <stdexcept>

#include "ops/fuzz/target.h"

namespace notape::fuzz {
namespace {

variable_list arguments_of(const OpCase& one, Hostile& hostile) {
  variable_list arguments;
  for (const Argument& argument : one.arguments)
    arguments.push_back(testing::draw_argument(argument, hostile.draw()));
  return arguments;
}

/// A case may look at its arguments before the operator does, and at results that are not there.
variable_list called(const std::function<Tensor()>& call) {
  try {
    return {call()};
  } catch (const UndefinedTensor&) {
    return {};
  } catch (const std::out_of_range&) {
    return {};
  }
}

void call_row(const OpSpec& spec, Hostile& hostile) {
  const OpCase one = spec.draw(hostile.draw());
  variable_list arguments = arguments_of(one, hostile);
  if (hostile.once_in(3)) {
    // Parameters that were drawn for other shapes: dimensions that are not there, windows that do
    // not fit.
    const variable_list others = arguments_of(spec.draw(hostile.draw()), hostile);
    if (others.size() == arguments.size()) arguments = others;
    if (hostile.once_in(2)) arguments = hostile.mutate(arguments);
  } else {
    arguments = hostile.mutate(arguments);
  }
  manual_seed(3);
  if (one.call_in_place && hostile.once_in(2))
    attempt(arguments, true, [&] {
      return called([&] {
        one.call_in_place(arguments);
        return arguments.at(0);
      });
    });
  else
    attempt(arguments, false, [&] { return called([&] { return one.call(arguments); }); });
}

}  // namespace

std::vector<Target> row_targets() {
  std::vector<Target> targets;
  for (const OpSpec* spec : op_specs())
    targets.push_back({spec->name, [spec](Hostile& hostile) { call_row(*spec, hostile); }});
  return targets;
}

}  // namespace notape::fuzz
