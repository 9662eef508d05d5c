#include "verify/runner/exhibit.h"
#include "verify/numeric/tolerance.h"

#include <fmt/format.h>

#include <bit>

namespace notape::verify {
namespace {

class Fingerprint {
 public:
  void add(const Numbers& numbers) {
    add(numbers.size());
    for (double number : numbers) add(std::bit_cast<uint64_t>(number));
  }
  void add(uint64_t bits) {
    for (int byte = 0; byte < 8; ++byte)
      hash_ = (hash_ ^ (bits >> 8 * byte & 0xff)) * 1099511628211u;
  }
  std::string text() const { return fmt::format("{:016x}", hash_); }

 private:
  uint64_t hash_ = 14695981039346656037u;
};

Bits bits_of(const Run& run) {
  Fingerprint output, gradients;
  output.add(run.output);
  for (std::size_t a = 0; a < run.gradients.size(); ++a) {
    gradients.add(static_cast<uint64_t>(run.defined[a]));
    gradients.add(run.gradients[a]);
  }
  return {output.text(), gradients.text()};
}

}  // namespace

ShownTensor show(const Tensor& tensor, const Layout& layout) {
  const Numbers values = numbers_of(tensor);
  const std::size_t kept = std::min(values.size(), ShownTensor::kMostValuesKept);
  return {.sizes = tensor.sizes().vec(),
          .strides = tensor.strides().vec(),
          .offset = tensor.storage_offset(),
          .dtype = std::string(name_of(tensor.dtype())),
          .device = to_string(tensor.device()),
          .layout = describe(tensor, layout),
          .requires_grad = tensor.requires_grad(),
          .entries = static_cast<int64_t>(values.size()),
          .values = {values.begin(), values.begin() + static_cast<std::ptrdiff_t>(kept)}};
}

std::string ShownTensor::text() const {
  constexpr std::size_t kMostValuesShown = 24;
  const ScalarType type = dtype_named(dtype);
  std::string list;
  for (std::size_t i = 0; i < std::min(values.size(), kMostValuesShown); ++i)
    list += (i ? ", " : "") + number_text(values[i], type);
  if (entries > static_cast<int64_t>(kMostValuesShown)) list += ", ...";
  return fmt::format("{} {} ({}): [{}]", to_string(sizes), dtype, layout, list);
}

void show_inputs(Exhibit& exhibit, const DrawnCase& drawn, ScalarType dtype, Device device) {
  exhibit.label = drawn.op.label;
  for (const DrawnArgument& one : drawn.arguments) {
    const Tensor tensor =
        make_tensor(one.values, one.argument.sizes, one.dtype(dtype), device, one.layout);
    exhibit.inputs.push_back(show(tensor, one.layout));
    exhibit.inputs.back().requires_grad = one.is_real();
  }
}

Exhibit exhibit_of(const OpSpec& spec, const Check& check, ScalarType dtype, Device device,
                   const Choices& choices, Outcome outcome) {
  ChoiceDraw draw(choices);
  Exhibit exhibit{.outcome = std::move(outcome), .code = encode_choices(choices)};
  try {
    const DrawnCase drawn = draw_case(spec, draw, dtype);
    show_inputs(exhibit, drawn, dtype, device);
    const Subject subject(spec, drawn, dtype, device);
    exhibit.incoming = show(subject.incoming_tensor(Placement::AsDrawn), drawn.incoming);
    exhibit.bits = bits_of(subject.base());
    if (check.details.evidence && exhibit.outcome.weakest >= 0)
      exhibit.evidence = check.details.evidence(subject, exhibit.outcome.weakest);
  } catch (const std::exception&) {
    // What has been shown so far stays.
  }
  return exhibit;
}

}  // namespace notape::verify
