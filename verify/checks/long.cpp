// long: an elementwise operator on many copies of a case, more than a vector register, a tile or a
// thread's share holds, and not a multiple of any. Every copy gets what the case itself gets.

#include "verify/checks/comparer.h"
#include "verify/checks/shared_questions.h"
#include "verify/numeric/thresholds.h"
#include "verify/numeric/tolerance.h"

namespace notape::verify {
namespace {

/// A dimension of `copies`, then `sizes`, led by ones up to `rank`.
std::vector<int64_t> with_copies(const std::vector<int64_t>& sizes, std::size_t rank,
                                 int64_t copies) {
  std::vector<int64_t> result = {copies};
  result.resize(1 + rank - sizes.size(), 1);
  result.insert(result.end(), sizes.begin(), sizes.end());
  return result;
}

Numbers repeated(const Numbers& values, int64_t copies) {
  Numbers result;
  result.reserve(values.size() * static_cast<std::size_t>(copies));
  for (int64_t i = 0; i < copies; ++i) result.insert(result.end(), values.begin(), values.end());
  return result;
}

/// Elementwise, so that an entry's noise is that of its own few operations.
void compare(const Subject& subject, Comparer& comparer, const std::string& where,
             const std::vector<int64_t>& sizes, const Numbers& expected, const Numbers& got,
             const Numbers& noise) {
  if (expected.empty()) return;
  if (got.size() % expected.size() != 0)
    return comparer.fail(Verdict::Fail, "shape", where + " has another size");
  const EntryRadius allowed(subject.dtype, expected, noise);
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double wanted = expected[i % expected.size()];
    // What is right to the bit needs no 113-bit arithmetic.
    if (wanted == got[i] && i >= expected.size()) continue;
    comparer.within(format_message("{}, copy {}, at ", {where, i / expected.size()}), sizes,
                    i % expected.size(), Wide(wanted), got[i], Wide(allowed.radius),
                    Wide(allowed.largest));
  }
}

void check_copies(const Subject& subject, int64_t entries, Comparer& comparer) {
  const Run& base = subject.base();
  const int64_t copies = entries / static_cast<int64_t>(base.output.size()) + 1;
  const std::size_t rank = base.sizes.size();
  variable_list inputs;
  for (const DrawnArgument& one : subject.drawn.arguments) {
    inputs.push_back(make_tensor(repeated(one.values, copies),
                                 with_copies(one.argument.sizes, rank, copies),
                                 one.dtype(subject.dtype), subject.device));
    if (one.is_real()) inputs.back().requires_grad_(true);
  }
  const Tensor incoming =
      make_tensor(repeated(subject.incoming(), copies), with_copies(base.sizes, rank, copies),
                  subject.dtype, subject.device);
  const Run many = subject.run(inputs, incoming);
  compare(subject, comparer, "output", base.sizes, base.output, many.output,
          subject.output_noise());
  for (std::size_t a : subject.real_arguments()) {
    if (many.defined[a] != base.defined[a])
      comparer.fail(Verdict::Fail, "defined",
                    format_message("whether argument {} has a gradient depends on length", {a}));
    else if (base.defined[a])
      compare(subject, comparer, format_message("gradient of argument {}", {a}),
              subject.drawn.arguments[a].argument.sizes, base.gradients[a], many.gradients[a],
              subject.gradient_noise(a));
  }
}

}  // namespace

Outcome check_long(const Subject& subject) {
  if (!subject.is_elementwise()) return check_long_functions(subject);
  Comparer comparer(subject);
  for (int64_t entries : {kFewCopied, kManyCopied}) check_copies(subject, entries, comparer);
  return comparer.finish("value", "the result or a gradient depends on how many entries there are");
}

}  // namespace notape::verify
