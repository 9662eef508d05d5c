// hygiene: a backward pass changes nothing that anybody can see but the `.grad` it was asked for:
// not the inputs nor what lies between their elements, the incoming gradient, the result, the
// `.grad` of other leaves, or what was read out of a `.grad` before; neither bits nor version
// counters. Also where inputs share their storage, or one memory is the incoming gradient of two
// passes.

#include "autograd/autograd.h"
#include "autograd/tensor/device_interface.h"
#include "verify/checks/comparer.h"
#include "verify/numeric/thresholds.h"
#include "verify/numeric/tolerance.h"

namespace notape::verify {
namespace {

/// The memory of a tensor, all of its storage, as it was.
class Snapshot {
 public:
  Snapshot(std::string what, const Tensor& tensor)
      : what_(std::move(what)), tensor_(tensor), bytes_(bytes()), version_(tensor._version()) {}

  void expect_unchanged(Comparer& comparer, const std::string& by) const {
    const std::vector<unsigned char> now = bytes();
    const bool same = now == bytes_;
    if (!same)
      comparer.fail(Verdict::Fail, "overwritten", by + " changed the memory of " + what_);
    else if (tensor_._version() != version_)
      comparer.fail(Verdict::Fail, "version",
                    by + " advanced the version of " + what_ + " without a change");
    comparer.same(what_, {}, {0}, {0});
  }

 private:
  std::vector<unsigned char> bytes() const {
    const auto& storage = tensor_.impl().storage();
    std::vector<unsigned char> all(storage->bytes());
    device_interface(storage->device())
        .copy(all.data(), kCPU, storage->data(), storage->device(), all.size());
    return all;
  }

  std::string what_;
  Tensor tensor_;
  std::vector<unsigned char> bytes_;
  uint64_t version_;
};

using Snapshots = std::vector<Snapshot>;

Snapshots of_inputs(const variable_list& inputs) {
  Snapshots all;
  for (std::size_t a = 0; a < inputs.size(); ++a)
    all.emplace_back(format_message("argument {}", {a}), inputs[a]);
  return all;
}

void expect_unchanged(const Snapshots& all, Comparer& comparer, const std::string& by) {
  for (const Snapshot& one : all) one.expect_unchanged(comparer, by);
}

/// backward() twice, into `.grad` of the first real argument only; the others hold something.
void check_backward(const Subject& subject, const variable_list& inputs, const Tensor& incoming,
                    Comparer& comparer) {
  const Tensor output = subject.drawn.op.call(inputs);
  Snapshots all = of_inputs(inputs);
  all.emplace_back("the incoming gradient", incoming);
  all.emplace_back("the result", output);
  if (!output.requires_grad()) return;
  const std::size_t wanted = subject.real_arguments().front();
  for (std::size_t a : subject.real_arguments()) {
    if (a == wanted) continue;
    const DrawnArgument& one = subject.drawn.arguments[a];
    inputs[a].mutable_grad() = make_tensor(Numbers(one.values.size(), 0.25), one.argument.sizes,
                                           subject.dtype, subject.device);
    all.emplace_back(format_message("`.grad` of argument {}, which was not asked for,", {a}),
                     inputs[a].grad());
  }
  output.backward(incoming, true, false, TensorList{inputs[wanted]});
  expect_unchanged(all, comparer, "backward()");
  output.backward(incoming, true, false, TensorList{inputs[wanted]});
  expect_unchanged(all, comparer, "a second backward()");
}

/// `.grad` is memory of its own: to write to one changes nothing else.
void check_ownership(const Subject& subject, Comparer& comparer) {
  const variable_list inputs = subject.inputs();
  const Tensor incoming = subject.incoming_tensor(), output = subject.drawn.op.call(inputs);
  if (!output.requires_grad()) return;
  output.backward(incoming, true, false, subject.active_of(inputs));
  for (std::size_t a : subject.real_arguments()) {
    Tensor grad = inputs[a].grad();
    if (!grad.defined() || grad.numel() == 0) continue;
    Snapshots others = of_inputs(inputs);
    others.emplace_back("the incoming gradient", incoming);
    others.emplace_back("the result", output);
    for (std::size_t b : subject.real_arguments())
      if (b != a && inputs[b].grad().defined())
        others.emplace_back(format_message("`.grad` of argument {}", {b}), inputs[b].grad());
    const NoGradGuard no_grad;
    grad.add_(1);
    expect_unchanged(others, comparer, format_message("a write to `.grad` of argument {}", {a}));
  }
}

/// A gradient must not depend on whether it is recorded. Other operators may compute it then, and
/// add in another order.
void expect_same_gradients(const Subject& subject, const std::vector<std::size_t>& arguments,
                           const variable_list& plain, const variable_list& recorded,
                           Comparer& comparer) {
  for (std::size_t k = 0; k < recorded.size(); ++k) {
    if (!plain[k].defined() || !recorded[k].defined()) continue;
    const Numbers expected = numbers_of(plain[k]), got = numbers_of(recorded[k].detach());
    const EntryRadius allowed(subject, expected, subject.gradient_noise(arguments[k]));
    const double radius =
        allowed.radius + kRecordingRoundings * epsilon_of(subject.dtype) * allowed.largest;
    for (std::size_t i = 0; i < std::min(expected.size(), got.size()); ++i)
      if (std::isfinite(expected[i]))
        comparer.within("gradient with create_graph", plain[k].sizes().vec(), i, Wide(expected[i]),
                        got[i], Wide(radius), Wide(allowed.scale));
  }
}

/// grad(), also with create_graph, on inputs as drawn.
void check_grad(const Subject& subject, const variable_list& inputs, const Tensor& incoming,
                Comparer& comparer) {
  const Tensor output = subject.drawn.op.call(inputs);
  if (!output.requires_grad()) return;
  variable_list active;
  std::vector<std::size_t> arguments;
  Snapshots all = of_inputs(inputs);
  all.emplace_back("the incoming gradient", incoming);
  all.emplace_back("the result", output);
  for (std::size_t a : subject.real_arguments()) {
    if (!inputs[a].requires_grad()) continue;
    active.push_back(inputs[a]);
    arguments.push_back(a);
    if (inputs[a].grad().defined())
      all.emplace_back(format_message("`.grad` of argument {}", {a}), inputs[a].grad());
  }
  variable_list gradients[2];
  for (const bool create_graph : {false, true}) {
    gradients[create_graph] =
        autograd::grad({output}, active, {incoming}, true, create_graph, true);
    expect_unchanged(all, comparer, create_graph ? "grad() with create_graph" : "grad()");
  }
  expect_same_gradients(subject, arguments, gradients[false], gradients[true], comparer);
  for (const Tensor& leaf : active)
    if (leaf.is_leaf() && leaf.grad().defined())
      comparer.fail(Verdict::Fail, "grad", "grad() left something in `.grad`");
}

/// All real arguments of one size as rows of one tensor: an entry apart from each other in memory.
std::optional<variable_list> interleaved(const Subject& subject) {
  const auto& real = subject.real_arguments();
  const std::vector<int64_t>& sizes = subject.drawn.arguments[real[0]].argument.sizes;
  for (std::size_t a : real)
    if (subject.drawn.arguments[a].argument.sizes != sizes) return {};
  const std::size_t count = subject.drawn.arguments[real[0]].values.size();
  if (real.size() < 2 || count == 0) return {};
  Numbers together(real.size() * count);
  for (std::size_t r = 0; r < real.size(); ++r)
    for (std::size_t i = 0; i < count; ++i)
      together[i * real.size() + r] = subject.drawn.arguments[real[r]].values[i];
  std::vector<int64_t> all_sizes = sizes;
  all_sizes.push_back(static_cast<int64_t>(real.size()));
  const Tensor storage = make_tensor(together, all_sizes, subject.dtype, subject.device);
  variable_list inputs = subject.inputs(0);
  for (std::size_t r = 0; r < real.size(); ++r)
    inputs[real[r]] = storage.select(-1, static_cast<int64_t>(r)).detach().requires_grad_(true);
  return inputs;
}

}  // namespace

Outcome check_hygiene(const Subject& subject) {
  Comparer comparer(subject);
  const Tensor incoming = subject.incoming_tensor(Placement::AsDrawn);
  check_backward(subject, subject.inputs(), incoming, comparer);
  check_grad(subject, subject.inputs(kAllArguments, Placement::AsDrawn), incoming, comparer);
  check_ownership(subject, comparer);
  if (const auto inputs = interleaved(subject)) check_grad(subject, *inputs, incoming, comparer);
  // A case without anything to differentiate is right as it is.
  comparer.same("unchanged", {}, {0}, {0});
  return comparer.finish("overwritten", "a backward pass changed what is not its own");
}

}  // namespace notape::verify
