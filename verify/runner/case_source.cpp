#include "verify/runner/case_source.h"

#include <fmt/format.h>
#include <rapidcheck.h>

namespace notape::verify {
namespace {

constexpr std::size_t kMostValuesShown = 24;

std::string describe_values(const Numbers& values, ScalarType dtype) {
  std::string text = "[";
  for (std::size_t i = 0; i < std::min(values.size(), kMostValuesShown); ++i)
    text += (i ? ", " : "") + number_text(values[i], dtype);
  return text + (values.size() > kMostValuesShown ? ", ...]" : "]");
}

}  // namespace

rc::Gen<Choices> choices_for(const OpSpec& spec, ScalarType dtype) {
  return [&spec, dtype](const rc::Random& random, int) {
    ChoiceDraw draw(random);
    try {
      draw_case(spec, draw, dtype);
    } catch (...) {
      // The row's generator itself is at fault; replaying its choices shows it as a verdict.
    }
    return shrinkable(draw.made());
  };
}

rc::Random random_for(const OpSpec& spec, ScalarType dtype, uint64_t seed, int number) {
  uint64_t name = 14695981039346656037u;  // FNV-1a
  for (const char* c = spec.name; *c; ++c)
    name = (name ^ static_cast<uint8_t>(*c)) * 1099511628211u;
  return rc::Random(
      rc::Random::Key{seed, name, static_cast<uint64_t>(dtype), static_cast<uint64_t>(number)});
}

Failure describe_case(const OpSpec& spec, ScalarType dtype, Device device, const Choices& choices) {
  ChoiceDraw draw(choices);
  Failure failure{.code = encode_choices(choices)};
  try {
    const DrawnCase drawn = draw_case(spec, draw, dtype);
    failure.label = drawn.op.label;
    for (const DrawnArgument& one : drawn.arguments) {
      const ScalarType type = one.dtype(dtype);
      const Tensor tensor = make_tensor(one.values, one.argument.sizes, type, device, one.layout);
      failure.inputs.push_back(fmt::format("{} {} ({}): {}", to_string(one.argument.sizes),
                                           name_of(type), describe(tensor, one.layout),
                                           describe_values(one.values, type)));
    }
    const Subject subject(spec, drawn, dtype, device);
    failure.incoming = fmt::format(
        "({}): {}", describe(subject.incoming_tensor(Placement::AsDrawn), drawn.incoming),
        describe_values(subject.incoming(), dtype));
  } catch (const std::exception&) {
    // The verdict tells what was thrown.
  }
  return failure;
}

}  // namespace notape::verify
