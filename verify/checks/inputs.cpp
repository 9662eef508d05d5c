// inputs: a call leaves its arguments as they were, the memory between their elements too, and
// their version counters: who writes and takes it back spoils what was saved before. Comes first:
// of what overwrites its input everything else would say something beside the point.
#include <algorithm>
#include <cstring>
#include <mutex>

#include "autograd/autograd.h"
#include "autograd/graph/history.h"
#include "autograd/graph/hooks.h"
#include "autograd/graph/node.h"
#include "verify/checks/comparer.h"
#include "verify/checks/shared_questions.h"

namespace notape::verify {
namespace {

/// All of a tensor's storage. Tensors of other devices are compared by their entries.
std::vector<unsigned char> memory_of(const Tensor& tensor) {
  if (!tensor.device().is_cpu()) {
    const Numbers numbers = numbers_of(tensor);
    std::vector<unsigned char> bytes(numbers.size() * sizeof(double));
    if (!bytes.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
    return bytes;
  }
  const auto& storage = tensor.impl().storage();
  const auto* first = static_cast<const unsigned char*>(storage->data());
  return {first, first + storage->bytes()};
}

Tensor expect_untouched(const Subject& subject, const variable_list& inputs, const char* how,
                        Comparer& comparer) {
  std::vector<std::vector<unsigned char>> before;
  std::vector<uint64_t> versions;
  for (const Tensor& input : inputs) {
    before.push_back(memory_of(input));
    versions.push_back(input._version());
  }
  const Tensor output = subject.drawn.op.call(inputs);
  for (std::size_t a = 0; a < inputs.size(); ++a)
    if (has_hooks(inputs[a]))
      comparer.fail(Verdict::Fail, "hook",
                    format_message("forward leaves a hook on argument {}{}: what comes back from "
                                   "anything else that uses it goes through that, too",
                                   {a, how}));
  for (std::size_t a = 0; a < inputs.size(); ++a) {
    if (before[a] == memory_of(inputs[a])) {
      if (inputs[a]._version() != versions[a])
        comparer.fail(Verdict::Fail, "version",
                      format_message("forward writes to argument {}{}: its memory is as it was, "
                                     "but its version counter went from {} to {}, so that what "
                                     "was saved of it before cannot be used any more",
                                     {a, how, versions[a], inputs[a]._version()}));
      comparer.same("memory", {}, {0}, {0});
      continue;
    }
    comparer.fail(Verdict::Fail, "overwritten",
                  format_message("forward writes to argument {}{}", {a, how}));
    comparer.same(format_message("argument {} after the call, at ", {a}),
                  subject.drawn.arguments[a].argument.sizes, subject.drawn.arguments[a].values,
                  numbers_of(inputs[a]));
  }
  return output;
}

}  // namespace

bool has_hooks(const Tensor& tensor) {
  if (!tensor.requires_grad()) return false;
  const Edge edge = gradient_edge(tensor);
  const NodeHooks* hooks = edge ? edge.function->hooks() : nullptr;
  if (!hooks) return false;
  const std::lock_guard guard(hooks->lock);
  const auto is_there = [](const auto& entry) { return static_cast<bool>(entry.hook); };
  const auto& entries = hooks->tensor_hooks.entries();
  return std::any_of(entries.begin(), entries.end(), is_there) || !hooks->pre_hooks.empty() ||
         !hooks->post_hooks.empty();
}

Outcome check_inputs(const Subject& subject) {
  Comparer comparer(subject);
  {
    const NoGradGuard no_grad;
    // The second call of all and the third, where the case is the first one.
    const char* const how = ", which it may only read";
    const Tensor second = expect_untouched(subject, subject.inputs(0), how, comparer);
    const Numbers before = numbers_of(second);
    const Numbers after = numbers_of(expect_untouched(subject, subject.inputs(0), how, comparer));
    Comparer same(subject);
    same.same("output", second.sizes().vec(), before, after);
    if (same.failed())
      comparer.fail(Verdict::Nondeterministic, "bits",
                    "equal calls give different bits: " +
                        same.finish("", "").guilty.value_or(Guilty()).where);
    expect_untouched(subject, subject.inputs(0, Placement::AsDrawn),
                     " or between its elements, which it may only read", comparer);
  }
  if (!comparer.failed())
    expect_untouched(subject, subject.inputs(), " when a graph is recorded", comparer);
  comparer.same("unchanged", {}, {0}, {0});
  return comparer.finish("overwritten", "forward writes to its arguments");
}

}  // namespace notape::verify
