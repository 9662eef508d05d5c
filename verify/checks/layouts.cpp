// layouts: inputs and incoming gradient as drawn (strided, permuted, sliced, expanded), against the
// same values laid out row-major. Sums may run in another order, so entries may differ by noise.
// Memory between the elements is poison and must stay what it was.
#include <algorithm>
#include <cmath>

#include "verify/checks/comparer.h"
#include "verify/numeric/tolerance.h"

namespace notape::verify {
namespace {

struct LaidOutEntries {
  std::string where;
  const std::vector<int64_t>& sizes;
  const Numbers &expected, &got;
  Numbers noise;
};

void compare(const Subject& subject, Comparer& comparer, LaidOutEntries entries) {
  if (entries.got.size() != entries.expected.size())
    return comparer.fail(Verdict::Fail, "shape", entries.where + " has another size");
  double most = 0, largest = 0;
  for (std::size_t i = 0; i < entries.expected.size(); ++i) {
    most = std::max(most, entries.noise[i]);
    largest = std::max(largest, std::abs(entries.expected[i]));
  }
  for (std::size_t i = 0; i < entries.expected.size(); ++i) {
    const double noise = subject.is_elementwise() ? entries.noise[i] : most;
    const double scale = subject.is_elementwise() ? std::abs(entries.expected[i]) : largest;
    const double radius = kNoiseFactor * noise +
                          rounding_factor(subject.dtype) * epsilon_of(subject.dtype) * scale +
                          smallest_of(subject.dtype);
    // The same bits: nothing depends on the layout, however noisy they are.
    const bool same = entries.expected[i] == entries.got[i];
    comparer.within(entries.where, entries.sizes, i, Wide(entries.expected[i]), entries.got[i],
                    Wide(same ? 0 : radius), Wide(scale));
  }
}

}  // namespace

Outcome check_layouts(const Subject& subject) {
  Comparer comparer(subject);
  const variable_list inputs = subject.inputs(kAllArguments, Placement::AsDrawn);
  const Tensor incoming =
      subject.is_differentiable() ? subject.incoming_tensor(Placement::AsDrawn) : Tensor();
  const Run& base = subject.base();
  const Run strided = subject.run(inputs, incoming);
  compare(subject, comparer,
          {"output", base.sizes, base.output, strided.output, subject.output_noise()});
  for (std::size_t a : subject.real_arguments()) {
    if (strided.defined[a] != base.defined[a])
      comparer.fail(Verdict::Fail, "defined",
                    format_message("whether argument {} has a gradient depends on layout", {a}));
    else if (base.defined[a])
      compare(subject, comparer,
              {format_message("gradient of argument {} at ", {a}),
               subject.drawn.arguments[a].argument.sizes, base.gradients[a], strided.gradients[a],
               subject.gradient_noise(a)});
  }
  for (std::size_t a = 0; a < inputs.size(); ++a)
    comparer.same(format_message("argument {} after the call, at ", {a}),
                  subject.drawn.arguments[a].argument.sizes, subject.drawn.arguments[a].values,
                  numbers_of(inputs[a]));
  return comparer.finish("value", "the result or a gradient depends on the memory layout");
}

}  // namespace notape::verify
