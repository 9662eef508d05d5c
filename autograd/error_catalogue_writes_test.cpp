// The error catalogue, part 2 (SEMANTICS, "Error catalogue"): writes, views, modes, forward mode.
// All of these leave everything as it was.
#include "autograd/testing/error_row.h"
#include "autograd/testing/sim_device.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

using autograd::AutogradContext;
using autograd::Function;
namespace forward_ad = autograd::forward_ad;
using T = const Tensor&;

/// A leaf x, y = x * 1, and a view v of one of them.
struct Family {
  Tensor x, y, v;
};

ErrorRow refused(ErrorRow row, const std::function<Family()>& make,
                 const std::function<void(Family&)>& fail) {
  row.after = After::NothingChanged;
  row.make = [=] {
    auto family = std::make_shared<Family>(make());
    FailingProgram program{.fails = [=] { fail(*family); }};
    for (const Tensor& t : {family->x, family->y, family->v})
      if (t.defined() && !t.is_inference()) program.watched.push_back(t);
    return program;
  };
  return row;
}
template <typename E>
ErrorRow refused(const char* kind, const char* fragment, const std::function<Family()>& make,
                 const std::function<void(Family&)>& fail) {
  return refused(error_row<E>(kind, fragment, After::NothingChanged, {}), make, fail);
}

Family plain() {
  const Tensor x = leaf({1, 2, 3});
  return {x, x * 1, {}};
}
Family with_view() {
  Family f = plain();
  f.v = as_strided(f.y, {2}, {1});
  return f;
}
Family view_of_leaf() {
  Family f = plain();
  f.v = f.x.view({3, 1});
  return f;
}
Family view_without_grad_mode() {
  Family f = plain();
  const NoGradGuard no_grad;
  f.v = f.y.view({3, 1});
  return f;
}
Family view_in_inference_mode() {
  Family f = plain();
  const InferenceMode mode;
  f.v = f.y.view({3, 1});
  return f;
}
template <Family (*make)()>
Family view_of_view() {
  Family f = make();
  f.v = f.v.view({1, 3});
  return f;
}

TEST(ErrorCatalogue, OfWritesToLeavesAndSharedMemory) {
  const ErrorRow rows[] = {
      refused<LeafInPlace>(
          "LeafInPlace",
          "a leaf Variable that requires grad is being used in an in-place operation.", plain,
          [](Family& f) { f.x.add_(1); }),
      refused<LeafInPlace>(
          "LeafInPlace",
          "a view of a leaf Variable that requires grad is being used in an in-place operation.",
          view_of_leaf, [](Family& f) { f.v.add_(1); }),
      refused<AliasedInPlace>(
          "AliasedInPlace",
          "in-place operations can be only used on variables that don't share storage with any "
          "other variables, but detected that there are 2 objects sharing it",
          with_view,
          [](Family& f) {
            const AliasPolicyGuard policy(AliasPolicy::Paper2017);
            f.y.add_(3);
          }),
      refused<OverwrittenInput>("OverwrittenInput", "needs the value it overwrites", plain,
                                [](Family& f) {
                                  const AliasPolicyGuard policy(AliasPolicy::Paper2017);
                                  f.y.log_();
                                }),
      refused<MemoryOverlap>(
          "MemoryOverlap",
          "more than one element of the written-to tensor refers to a single memory location",
          with_view, [](Family& f) { as_strided(f.y, {1}, {1}).expand({3}).add_(1); }),
      refused<MemoryOverlap>(
          "MemoryOverlap",
          "some elements of the input tensor and the written-to tensor refer to a single memory "
          "location",
          with_view, [](Family& f) { f.v.add_(as_strided(f.y, {2}, {1}, 1)); }),
      refused<ReadOnlyWrite>(
          "ReadOnlyWrite", "the written-to tensor refers to read-only memory",
          [] {
            Family f = plain();
            f.v = constant({1, 2});
            f.v.impl().storage()->set_read_only();
            return f;
          },
          [](Family& f) { f.v.add_(1); }),
      refused<VolatileConflict>(
          "VolatileConflict", "is volatile",
          [] {
            Family f = plain();
            f.v = make_variable(constant({1, 2, 3}), false, true);
            return f;
          },
          [](Family& f) { f.y.add_(f.v); }),
      refused<OutRequiresGrad>(
          "OutRequiresGrad",
          "functions with out=... arguments don't support automatic "
          "differentiation, but one of the arguments requires grad.",
          [] {
            Family f = plain();
            f.v = constant({0, 0, 0});
            return f;
          },
          [](Family& f) { add_out(f.v, f.y, f.y); }),
      refused<DetachView>("DetachView", "Can't detach views in-place. Use detach() instead.",
                          with_view, [](Family& f) { f.v.detach_(); }),
      refused<ResizeRequiresGrad>("ResizeRequiresGrad", "cannot resize variables that require grad",
                                  plain, [](Family& f) { f.y.resize_({5}); }),
  };
  for (const ErrorRow& row : rows) check_error_row(row);
}

struct PassOn : Function<PassOn> {
  static Tensor forward(AutogradContext*, const Tensor& x) { return x; }
  static variable_list backward(AutogradContext*, variable_list g) { return g; }
};

Family view_of_function() {
  Family f = plain();
  f.v = PassOn::apply(f.y);
  return f;
}

/// The base is written before the view's history is asked for.
ErrorRow indirect(ErrorRow row, const std::function<Family()>& make) {
  return refused(
      std::move(row),
      [=] {
        Family f = make();
        f.y.mul_(2);
        f.y = Tensor();  // `Unchanged` would ask nothing of the view's history
        return f;
      },
      [](Family& f) { f.v.grad_fn(); });
}

TEST(ErrorCatalogue, OfWritesUnderTaggedViews) {
  const char* const k = "AmbiguousViewWrite";
  const auto write = [](Family& f) { f.v.add_(1); };
  const auto indirectly = "its base or another view of its base has been modified inplace";
  const ErrorRow rows[] = {
      refused<AmbiguousViewWrite>(k,
                                  "A view was created in no_grad mode and is being modified "
                                  "inplace with grad mode enabled.",
                                  view_without_grad_mode, write),
      refused<AmbiguousViewWrite>(
          k,
          "A view was created in inference mode and is being modified inplace with grad mode "
          "enabled.",
          view_in_inference_mode, write),
      refused<AmbiguousViewWrite>(k, "is a view of a view which was created in",
                                  view_of_view<view_without_grad_mode>, write),
      refused<AmbiguousViewWrite>(k, "is a view of a view which was created in",
                                  view_of_view<view_in_inference_mode>, write),
      indirect(error_row<AmbiguousViewWrite>(k, indirectly, After::NothingChanged, {}),
               view_without_grad_mode),
      indirect(error_row<AmbiguousViewWrite>(k, indirectly, After::NothingChanged, {}),
               view_in_inference_mode),
      refused<FunctionViewWrite>("FunctionViewWrite",
                                 "Output 0 of PassOn is a view and is being modified inplace. This "
                                 "view was created inside "
                                 "a custom Function",
                                 view_of_function, write),
      refused<FunctionViewWrite>("FunctionViewWrite",
                                 "This view was created inside a custom Function",
                                 view_of_view<view_of_function>, write),
      indirect(
          error_row<FunctionViewWrite>("FunctionViewWrite", indirectly, After::NothingChanged, {}),
          view_of_function),
  };
  for (const ErrorRow& row : rows) check_error_row(row);
}

Family with_inference_tensor() {
  Family f = plain();
  const InferenceMode mode;
  f.v = constant({1, 2, 3});
  return f;
}

TEST(ErrorCatalogue, OfInferenceTensors) {
  const char* const k = "InferenceTensorError";
  const ErrorRow rows[] = {
      refused<InferenceTensorError>(k, "Inference tensors cannot be saved for backward.",
                                    with_inference_tensor, [](Family& f) { f.x* f.v; }),
      refused<InferenceTensorError>(
          k, "Inplace update to inference tensor outside InferenceMode is not allowed",
          with_inference_tensor, [](Family& f) { f.v.add_(1); }),
      refused<InferenceTensorError>(
          k, "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.",
          with_inference_tensor, [](Family& f) { f.v.requires_grad_(); }),
      refused<InferenceTensorError>(k, "Inference tensors do not track version counter.",
                                    with_inference_tensor, [](Family& f) { f.v._version(); }),
  };
  for (const ErrorRow& row : rows) check_error_row(row);
}

TEST(ErrorCatalogue, OfSavedTensorHooksWhenTheyAreSet) {
  const auto pass = [](T value) { return std::any(value); };
  const auto back = [](const std::any& packed) { return std::any_cast<Tensor>(packed); };
  const auto register_on = [=](const Tensor& y) {
    y.grad_fn()->visit_saved(
        [&](SavedVariable& value, const Edge*) { value.register_hooks(pass, back); });
  };
  const char* const k = "SavedHookError";
  const auto saving = [] {
    Family f = plain();
    f.v = f.y.square();
    return f;
  };
  const ErrorRow rows[] = {
      refused<SavedHookError>(
          k, "have already been set",
          [=] {
            Family f = saving();
            register_on(f.v);
            return f;
          },
          [=](Family& f) { register_on(f.v); }),
      refused<SavedHookError>(
          k, "after it has been freed",
          [=] {
            Family f = saving();
            f.v.sum().backward();
            return f;
          },
          [=](Family& f) { register_on(f.v); }),
      refused<SavedHookError>(
          k, "with value None is forbidden", plain,
          [=](Family&) { SavedVariable(Tensor(), "none").register_hooks(pass, back); }),
      refused<SavedHookError>(k, "not here", plain,
                              [=](Family&) {
                                const DisableSavedTensorHooksGuard disabled("not here");
                                const SavedTensorHooksGuard hooks(pass, back);
                              }),
  };
  for (const ErrorRow& row : rows) check_error_row(row);
}

TEST(ErrorCatalogue, OfAPackHookThatWritesItsInput) {
  const Tensor x = leaf({1, 2});
  const ErrorRow row = error_row<SavedHookError>(
      "SavedHookError", "A saved tensor pack hook is modifying its input in place.",
      After::FailedRun, {});
  const SavedTensorHooksGuard hooks(
      [](T value) {
        Tensor written = value;
        written.add_(1);
        return std::any(written);
      },
      [](const std::any& packed) { return std::any_cast<Tensor>(packed); });
  expect_row_error(row, [&] { x.square(); });  // what the hook wrote, it wrote
}

struct NoJvp : Function<NoJvp> {
  static Tensor forward(AutogradContext*, const Tensor& x) { return x * 1; }
  static variable_list backward(AutogradContext*, variable_list g) { return g; }
};

TEST(ErrorCatalogue, OfForwardModeKernelsAndUnwantedArguments) {
  const auto dual = [](const std::function<void(Family&)>& program) {
    return [=](Family& f) {
      const forward_ad::DualLevelGuard level;
      program(f);
    };
  };
  const ErrorRow rows[] = {
      refused<ForwardNotImplemented>(
          "ForwardNotImplemented", "Trying to use forward AD with NoJvp that does not support it",
          plain, dual([](Family& f) { NoJvp::apply(forward_ad::make_dual(f.y, f.x.detach())); })),
      refused<DualLevelError>("DualLevelError",
                              "Exiting a forward AD level that is not the last that was created",
                              plain, dual([](Family&) {
                                const uint64_t outer = forward_ad::current_level();
                                const forward_ad::DualLevelGuard inner;
                                forward_ad::exit_dual_level(outer);
                              })),
      refused<TangentError>("TangentError", "has a different size than that of the original Tensor",
                            plain,
                            dual([](Family& f) { forward_ad::make_dual(f.y, constant({1})); })),
      refused<DerivativeNotImplemented>("DerivativeNotImplemented",
                                        "is not differentiable with respect to argument", plain,
                                        [](Family& f) {
                                          nll_loss(zeros({2, 3}, kFloat64), tensor({0, 1}), f.y);
                                        }),
      refused<NoKernel>("NoKernel", "tanh: not implemented for float64 on sim:0", plain,
                        [](Family&) {
                          const SimDevice device;
                          zeros({2}, kFloat64).to(Device(kSIM)).tanh();
                        }),
  };
  for (const ErrorRow& row : rows) check_error_row(row);
}

TEST(ErrorCatalogue, OfAWriteThroughARawPointer) {
  check_error_row(error_row<SavedTensorModified>(
      "SavedTensorModified", "has been modified by a write through a raw pointer", After::FailedRun,
      [] {
        const Tensor x = leaf({1, 2}), w = leaf({3, 4});
        const Tensor y = x * 1;
        double* raw = y.data_ptr<double>();
        const Tensor sum = (y.square() + w).sum();
        raw[1] = 7;
        return FailingProgram{.fails = [=] { sum.backward({}, true); },
                              .leaves = {{x, {2, 4}}, {w, {1, 1}}},
                              .mend = [raw, y] { raw[1] = 2; }};
      }));
}

Family overwritten_after_saving() {
  Family f = plain();
  f.v = f.y.square().sum();
  f.y.add_(1);
  return f;
}

TEST(ErrorCatalogue, OfASavedValueOverwrittenBeforeTheRun) {
  check_error_row(refused<SavedTensorModified>(
      "SavedTensorModified",
      "one of the variables needed for gradient computation has been modified by an inplace "
      "operation: [CPUDoubleType [3]], which is output 0 of MulBackward1, is at version 1; "
      "expected "
      "version 0 instead.",
      overwritten_after_saving, [](Family& f) { f.v.backward(); }));
}

}  // namespace
}  // namespace notape::testing
