// results: a function with several results, of which some get no incoming gradient: one at a time,
// and all but one. None is as good as zeros.
#include "autograd/autograd.h"
#include "ops/spec/joined_results.h"
#include "verify/checks/held_call.h"

namespace notape::verify {
namespace {

std::vector<int64_t> entries_of_results(const Subject& subject) {
  const NoGradGuard no_grad;
  const CutResults none(0);
  subject.drawn.op.call(subject.inputs(0));
  return none.entries();
}

/// Incoming gradients of zero for the results that are cut off.
Numbers incoming_without(const Subject& subject, const std::vector<int64_t>& entries,
                         uint64_t cut) {
  Numbers v = subject.incoming();
  std::size_t begin = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::size_t end = begin + static_cast<std::size_t>(entries[i]);
    if (cut >> i & 1)
      for (std::size_t o = begin; o < end; ++o) v[o] = 0;
    begin = end;
  }
  return v;
}

/// Missing gradients are zeros here: what depends on nothing that has one may well be left out.
Run with_zeros(const Subject& subject, Run run) {
  for (std::size_t a : subject.real_arguments())
    if (!run.defined[a]) {
      run.defined[a] = true;
      run.gradients[a].assign(subject.drawn.arguments[a].values.size(), 0);
    }
  return run;
}

std::string words_for(uint64_t cut, std::size_t results) {
  std::string text;
  for (std::size_t i = 0; i < results; ++i)
    if (cut >> i & 1) text += (text.empty() ? "" : ", ") + std::to_string(i);
  return text;
}

}  // namespace

bool has_several_results(const Subject& subject) { return entries_of_results(subject).size() > 1; }

Outcome check_results(const Subject& subject) {
  Outcome total;
  total.comparisons = 1;
  const std::vector<int64_t> entries = entries_of_results(subject);
  const std::size_t count = std::min<std::size_t>(entries.size(), 8);
  std::vector<uint64_t> cuts;
  const uint64_t all = (uint64_t(1) << count) - 1;
  for (std::size_t i = 0; i < count; ++i) {
    cuts.push_back(uint64_t(1) << i);
    if (count > 2) cuts.push_back(all & ~(uint64_t(1) << i));
  }
  const EnableGradGuard recording;
  for (uint64_t cut : cuts) {
    HeldCall zeros(subject, subject.inputs(),
                   subject.output_tensor(incoming_without(subject, entries, cut)));
    const Run expected = with_zeros(subject, zeros.finish());
    Comparer comparer(subject);
    const std::string reason = format_message(
        "a gradient is wrong when result {} gets no gradient, which is as good as zeros",
        {words_for(cut, count)});
    try {
      const CutResults scope(cut);
      HeldCall none(subject, subject.inputs(), subject.incoming_tensor());
      same_up_to_rounding(subject, comparer, expected, with_zeros(subject, none.finish()));
    } catch (const Error& error) {
      comparer.fail(Verdict::Fail, "undefined",
                    format_message("it raises an error when result {} gets no gradient: {}",
                                   {words_for(cut, count), error.what_without_backtrace()}));
    }
    if (!absorb(total, comparer.finish("undefined", reason))) return total;
  }
  return total;
}

}  // namespace notape::verify
