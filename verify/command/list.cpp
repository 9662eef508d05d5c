#include "verify/command/list.h"

#include <fmt/format.h>

#include "ops/spec/known_by_result.h"
#include "ops/spec/without_tails.h"
#include "verify/generate/choice_draw.h"
#include "verify/report/summary.h"
#include "verify/runner/location.h"

namespace notape::verify {
std::string differentiable_arguments(const OpSpec& spec) {
  if (spec.order == 0) return "none";
  try {
    ChoiceDraw simplest{Choices()};
    const OpCase drawn = spec.draw(simplest);
    std::size_t real = 0;
    for (const Argument& argument : drawn.arguments) real += argument.kind == Argument::Kind::Real;
    return real == drawn.arguments.size() ? std::to_string(real)
                                          : fmt::format("{} of {}", real, drawn.arguments.size());
  } catch (const std::exception&) {
    return "?";
  }
}

std::string list_text(const SpecList& specs) {
  return list_text(specs, differentiable_arguments,
                   [](const OpSpec& spec) { return location_text(spec.at); });
}

std::string list_text(const SpecList& specs,
                      const std::function<std::string(const OpSpec&)>& arguments_of,
                      const std::function<std::string(const OpSpec&)>& place_of) {
  std::string text =
      fmt::format("{:<12} {:<24} {:>14}  {}\n", "family", "operator", "inputs", "defined at");
  for (const OpSpec* spec : specs)
    text += fmt::format("{:<12} {:<24} {:>14}  {}\n", spec->family, spec->name, arguments_of(*spec),
                        place_of(*spec));
  text += counted(static_cast<int64_t>(specs.size()), "operator") + "\n";
  for (const OpSpec* spec : specs)
    if (const KnownByResult* known = known_by_result(spec->name))
      text += fmt::format("the derivative of {} is only as exact as its rounded result: it {}\n",
                          spec->name, known->reason);
  for (const OpSpec* spec : specs)
    if (const WithoutTails* without = without_tails(spec->name))
      text += fmt::format("the derivative of {} is not held to its last places: it {}\n",
                          spec->name, without->reason);
  return text;
}

}  // namespace notape::verify
