#include "verify/command/list.h"

#include <fmt/format.h>

#include "verify/generate/choice_draw.h"
#include "verify/report/location.h"

namespace notape::verify {
namespace {

/// What the simplest case takes: "2 of 3" if one of three arguments is an index or a mask.
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

}  // namespace

std::string list_text(const SpecList& specs) {
  std::string text = fmt::format("{:<12} {:<24} {:>14}  {}\n", "family", "operator",
                                 "differentiable", "defined at");
  for (const OpSpec* spec : specs)
    text += fmt::format("{:<12} {:<24} {:>14}  {}\n", spec->family, spec->name,
                        differentiable_arguments(*spec), location_text(spec->at));
  return text + fmt::format("{} operators\n", specs.size());
}

}  // namespace notape::verify
