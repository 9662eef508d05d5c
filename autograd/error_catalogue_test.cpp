// The error catalogue, part 1 (SEMANTICS, "Error catalogue"): arguments, flags, hooks, and runs.
#include "autograd/testing/error_row.h"
#include "autograd/testing/sim_device.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

using autograd::AutogradContext;
using autograd::Function;
using autograd::grad;
constexpr After kNothing = After::NothingChanged, kRun = After::FailedRun;

/// A program on a leaf x and y = f(x), which both stay as they are.
template <typename Compute, typename Fail>
std::function<FailingProgram()> on_leaf(Compute compute, Fail fail) {
  return [=] {
    const Tensor x = leaf({1, 2}), y = compute(x);
    return FailingProgram{.fails = [=] { fail(x, y); }, .watched = {x, y}};
  };
}
Tensor doubled(const Tensor& x) { return x * 2; }
Tensor squared_sum(const Tensor& x) { return (x * x).sum(); }
Tensor constant_of(const Tensor&) { return constant({1.0}); }
Tensor volatile_of(const Tensor&) { return make_variable(constant({1.0}), false, true); }
Tensor integers_of(const Tensor&) { return tensor({1, 2}); }

TEST(ErrorCatalogue, OfArgumentsOfARun) {
  using T = const Tensor&;
  const ErrorRow rows[] = {
      error_row<NothingRequiresGrad>(
          "NothingRequiresGrad",
          "element 0 of tensors does not require grad and does not have a grad_fn", kNothing,
          on_leaf(constant_of, [](T, T y) { y.backward(); })),
      error_row<NothingRequiresGrad>("NothingRequiresGrad", "it is volatile", kNothing,
                                     on_leaf(volatile_of, [](T, T y) { y.backward(); })),
      error_row<ImplicitGradient>("ImplicitGradient",
                                  "grad can be implicitly created only for scalar outputs",
                                  kNothing, on_leaf(doubled, [](T, T y) { y.backward(); })),
      error_row<GradientCount>("GradientCount", "got 2 tensors and 1 gradients", kNothing,
                               on_leaf(doubled,
                                       [](T x, T y) {
                                         autograd::backward({x, y}, {constant({1, 1})});
                                       })),
      error_row<InputNotDifferentiable>(
          "InputNotDifferentiable", "element 0 of the input tensors does not require grad",
          kNothing, on_leaf(squared_sum, [](T, T y) { grad({y}, {constant({1})}); })),
      error_row<EmptyInputs>("EmptyInputs", "grad requires non-empty inputs.", kNothing,
                             on_leaf(squared_sum, [](T, T y) { grad({y}, {}); })),
      error_row<EmptyInputs>(
          "EmptyInputs", "'inputs' argument to backward cannot be empty", kNothing,
          on_leaf(squared_sum, [](T, T y) { y.backward({}, {}, false, TensorList{}); })),
      error_row<UnusedInput>(
          "UnusedInput", "appears to not have been used in the graph. Set allow_unused=True",
          kNothing, on_leaf(squared_sum, [](T, T y) { grad({y}, {leaf({1})}); })),
      error_row<CallbackOutsideBackward>(
          "CallbackOutsideBackward", "Final callbacks can only be installed during backward pass.",
          kNothing, on_leaf(squared_sum, [](T, T) { Engine::queue_callback([] {}); })),
      error_row<InvalidGradient>("InvalidGradient", "expected shape compatible with", kNothing,
                                 on_leaf(doubled,
                                         [](T, T y) {
                                           grad({y}, {y}, {constant({1, 2, 3})});
                                         })),
  };
  for (const ErrorRow& row : rows) check_error_row(row);
}

TEST(ErrorCatalogue, OfFlagsAndGradients) {
  using T = const Tensor&;
  const ErrorRow rows[] = {
      error_row<RequiresGradError>(
          "RequiresGradError", "you can only change requires_grad flags of leaf variables.",
          kNothing, on_leaf(doubled, [](T, T y) { y.requires_grad_(false); })),
      error_row<RequiresGradError>(
          "RequiresGradError",
          "Only Tensors of floating point and complex dtype can require gradients", kNothing,
          on_leaf(integers_of, [](T, T y) { y.requires_grad_(); })),
      error_row<RetainGradError>("RetainGradError",
                                 "can't retain_grad on Tensor that has requires_grad=False",
                                 kNothing, on_leaf(constant_of, [](T, T y) { y.retain_grad(); })),
      error_row<VolatileConflict>("VolatileConflict", "is volatile", kNothing,
                                  on_leaf(volatile_of, [](T, T y) { y.requires_grad_(); })),
      error_row<GradAssignment>("GradAssignment", "attempting to assign a gradient", kNothing,
                                on_leaf(doubled, [](T x, T) { x.set_grad(zeros({2})); })),
      error_row<GradAssignment>("GradAssignment", "attempting to assign a gradient of size",
                                kNothing,
                                on_leaf(doubled, [](T x, T) { x.set_grad(constant({1})); })),
      error_row<GradAssignment>("GradAssignment", "on sim:0", kNothing,
                                on_leaf(doubled,
                                        [](T x, T) {
                                          const SimDevice device;
                                          x.set_grad(x.detach().to(Device(kSIM)));
                                        })),
      error_row<GradAssignment>("GradAssignment", "can't assign Variable as its own grad", kNothing,
                                on_leaf(doubled, [](T x, T) { x.set_grad(x); })),
      error_row<SetDataError>("SetDataError", "incompatible tensor type", kNothing,
                              on_leaf(doubled, [](T, T y) { y.set_data(zeros({2})); })),
      error_row<SetDataError>(
          "SetDataError",
          "data set to a tensor that requires gradients must be floating point or complex dtype",
          kNothing, on_leaf(integers_of, [](T x, T y) { x.set_data(y); })),
      error_row<HookError>(
          "HookError", "cannot register a hook on a variable that doesn't require gradient",
          kNothing, on_leaf(constant_of, [](T, T y) { y.register_hook([](T) {}); })),
      error_row<HookError>("HookError", "Invalid index, no hook at position", kNothing,
                           on_leaf(doubled, [](T, T y) { y.remove_hook(3); })),
      error_row<HookError>(
          "HookError", "post accumulate grad hooks cannot be registered on non-leaf tensors",
          kNothing,
          on_leaf(doubled, [](T, T y) { y.register_post_accumulate_grad_hook([](T) {}); })),
  };
  for (const ErrorRow& row : rows) check_error_row(row);
}

/// (f(x * 1) + w).sum(), run with retain_graph.
FailingProgram run_of(const std::function<Tensor(const Tensor&)>& f, std::function<void()> mend,
                      std::vector<double> whole = {1, 1}) {
  const Tensor x = leaf({1, 2}), w = leaf({3, 4});
  const Tensor y = (f(x * 1) + w).sum();
  return {.fails = [=] { y.backward({}, true); },
          .leaves = {{x, std::move(whole)}, {w, {1, 1}}},
          .mend = std::move(mend)};
}

/// The identity, until `backward_is` something else.
struct Fragile : Function<Fragile> {
  static Tensor forward(AutogradContext*, const Tensor& x, int) { return x * 1; }
  static variable_list backward(AutogradContext*, variable_list g) {
    return backward_is ? backward_is(g) : variable_list{g[0], Tensor()};
  }
  static inline std::function<variable_list(const variable_list&)> backward_is;
};

std::function<FailingProgram()> with_backward(variable_list (*broken)(const variable_list&)) {
  return [=] {
    Fragile::backward_is = broken;
    return run_of([](const Tensor& x) { return Fragile::apply(x, 0); },
                  [] { Fragile::backward_is = nullptr; });
  };
}

TEST(ErrorCatalogue, OfUserFunctionsThatBreakTheirContractInBackward) {
  using L = const variable_list&;
  const ErrorRow rows[] = {
      error_row<FunctionError>("FunctionError", "returned an incorrect number of gradients", kRun,
                               with_backward([](L g) { return variable_list{g[0]}; })),
      error_row<FunctionError>("FunctionError",
                               "the corresponding forward input was not a Variable", kRun,
                               with_backward([](L g) {
                                 return variable_list{g[0], g[0]};
                               })),
      error_row<InvalidGradient>(
          "InvalidGradient", "Function Fragile returned an invalid gradient at index 0 - got [3]",
          kRun, with_backward([](L) {
            return variable_list{constant({1, 2, 3}), Tensor()};
          })),
      error_row<NonFiniteGradient>(
          "NonFiniteGradient", "Function 'Fragile' returned nan values in its 0th output.", kRun,
          [] {
            FailingProgram program = with_backward([](L g) {
              return variable_list{g[0] * std::nan(""), Tensor()};
            })();
            program.fails = [run = program.fails] {
              const DetectAnomalyGuard anomaly;
              run();
            };
            return program;
          }),
  };
  for (const ErrorRow& row : rows) check_error_row(row);
}

/// A hook on f's argument; removed by mend().
std::function<FailingProgram()> with_hook(Tensor (*hook)(const Tensor&)) {
  return [=] {
    auto undo = std::make_shared<std::function<void()>>();
    FailingProgram program = run_of(
        [&](const Tensor& x) {
          const uint32_t index = x.register_hook(hook);
          *undo = [=] { x.remove_hook(index); };
          return x * 1;
        },
        {});
    program.mend = [undo] { (*undo)(); };
    return program;
  };
}

TEST(ErrorCatalogue, OfHooksInARun) {
  const ErrorRow rows[] = {
      error_row<HookError>("HookError", "has changed the size of value", kRun,
                           with_hook([](const Tensor&) {
                             return constant({1, 2, 3});
                           })),
      error_row<HookError>("HookError", "has changed the type of value", kRun,
                           with_hook([](const Tensor&) { return zeros({2}); })),
      error_row<HookError>(
          "HookError", "can't replace a empty gradient with a non-empty value", kRun,
          [] {
            const Tensor x = leaf({1, 2}), w = leaf({1, 1});
            Tensor y = x * 1, z = y * 1;
            const uint32_t hook = y.register_hook([](const Tensor&) { return constant({1, 1}); });
            z.copy_(w);  // nothing flows into y
            return FailingProgram{.fails =
                                      [=] {
                                        z.sum().backward({}, true);
                                        (x * 1).sum().backward();
                                      },
                                  .leaves = {{x, {1, 1}}, {w, {1, 1}}},
                                  .mend = [=] { y.remove_hook(hook); }};
          }),
  };
  for (const ErrorRow& row : rows) check_error_row(row);
}

TEST(ErrorCatalogue, OfSavedTensorHooksAndCheckpoints) {
  static bool broken = false;
  static int run = 0;
  const auto unpacked_as = [](Tensor (*wrong)(const Tensor&)) {
    return [=] {
      broken = true;
      return run_of(
          [=](const Tensor& x) {
            const SavedTensorHooksGuard hooks([](const Tensor& value) { return std::any(value); },
                                              [=](const std::any& packed) {
                                                const Tensor value = std::any_cast<Tensor>(packed);
                                                return broken ? wrong(value) : value;
                                              });
            return x.square();
          },
          [] { broken = false; }, {2, 4});
    };
  };
  const auto rerun_as = [](Tensor (*second)(const Tensor&)) {
    return [=] {
      broken = true;
      run = 0;
      return run_of(
          [=](const Tensor& x) {
            return autograd::checkpoint(
                [=](const Tensor& t) { return run++ && broken ? second(t) : t.square() * 1; }, x,
                {.early_stop = false});
          },
          [] { broken = false; }, {2, 4});
    };
  };
  const auto writing = [] {
    broken = true;
    run = 0;
    const Tensor outside = zeros({2}, kFloat64);
    return run_of(
        [=](const Tensor& x) {
          return autograd::checkpoint(
              [=](const Tensor& t) {
                if (run++ == 0 || broken) Tensor(outside).add_(t);
                return t.square() * 1;
              },
              x, {.early_stop = false});
        },
        [] { broken = false; }, {2, 4});
  };
  const ErrorRow rows[] = {
      error_row<SavedHookError>(
          "SavedHookError", "an unpack hook returned float64 of size [1]", kRun,
          unpacked_as([](const Tensor& value) { return value.sum(0, true); })),
      error_row<CheckpointMismatch>("CheckpointMismatch", "A different number of tensors was saved",
                                    kRun, rerun_as([](const Tensor& t) { return t * 1; })),
      error_row<CheckpointMismatch>("CheckpointMismatch",
                                    "trying to save more tensors during recomputation", kRun,
                                    rerun_as([](const Tensor& t) { return t.square().square(); })),
      error_row<CheckpointMismatch>(
          "CheckpointMismatch", "Recomputed values for the following tensors have different", kRun,
          rerun_as([](const Tensor& t) { return t.slice(0, 0, 1).square(); })),
      error_row<CheckpointMismatch>("CheckpointMismatch", "would write a second time", kRun,
                                    writing),
  };
  for (const ErrorRow& row : rows) check_error_row(row);
}

/// Saves what it computed on the way, and uses it in backward.
struct SavesIntermediate : Function<SavesIntermediate> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    const Tensor middle = x * 3;
    ctx->save_for_backward({middle});
    return middle * 1;
  }
  static variable_list backward(AutogradContext* ctx, variable_list g) {
    return {g[0] * ctx->get_saved_variables()[0]};
  }
};

TEST(ErrorCatalogue, OfReleasedOverwrittenUnreachedAndUnderivableValues) {
  const ErrorRow rows[] = {
      error_row<GraphFreed>("GraphFreed", "Trying to backward through the graph a second time",
                            kNothing,
                            on_leaf(
                                [](const Tensor& x) {
                                  const Tensor y = squared_sum(x);
                                  y.backward();
                                  return y;
                                },
                                [](const Tensor&, const Tensor& y) { y.backward(); })),
      error_row<GraphFreed>("GraphFreed", "Specify retain_graph=True", kRun,
                            [] {  // released by a hook, after the run has begun
                              const Tensor x = leaf({1, 2}), w = leaf({1, 1});
                              const Tensor y = x * x, total = y.sum(), z = y.tanh();
                              z.register_hook([=](const Tensor&) { grad({total}, {x}); });
                              const Tensor sum = (z + w).sum();
                              return FailingProgram{.fails = [=] { sum.backward(); },
                                                    .leaves = {{x, {0, 0}}, {w, {1, 1}}}};
                            }),
      error_row<SavedTensorModified>(
          "SavedTensorModified",
          "one of the variables needed for gradient computation has been modified by an inplace "
          "operation: [CPUDoubleType [2]], which is output 0 of MulBackward1, is at version 1; "
          "expected version 0 instead.",
          kRun,
          [] {  // overwritten by a hook
            const Tensor x = leaf({1, 2}), w = leaf({1, 1});
            const Tensor y = x * 1;
            const Tensor z = y.square() * 1;
            z.register_hook([y](const Tensor&) {
              const NoGradGuard no_grad;
              Tensor(y).add_(1);
            });
            const Tensor sum = (z + w).sum();
            return FailingProgram{.fails = [=] { sum.backward(); },
                                  .leaves = {{x, {2, 4}}, {w, {1, 1}}}};
          }),
      error_row<UnusedInput>("UnusedInput", "appears to not have been used in the graph", kRun,
                             [] {  // only an undefined gradient reaches x
                               const Tensor x = leaf({1, 2}), w = leaf({1, 1});
                               Tensor y = x * 1;
                               y.copy_(w);
                               return FailingProgram{.fails = [=] { grad({y.sum()}, {x}); },
                                                     .leaves = {{x, {0, 0}}, {w, {1, 1}}}};
                             }),
      error_row<DerivativeNotImplemented>(
          "DerivativeNotImplemented", "the derivative for 'SavesIntermediate' is not implemented.",
          kRun,
          [] {
            const Tensor x = leaf({1, 2});
            const Tensor y = SavesIntermediate::apply(x);
            return FailingProgram{.fails =
                                      [=] {
                                        const Tensor g = grad({y.sum()}, {x}, {}, true, true)[0];
                                        g.sum().backward();
                                      },
                                  .leaves = {{x, {3, 3}}}};
          }),
  };
  for (const ErrorRow& row : rows) check_error_row(row);
}

}  // namespace
}  // namespace notape::testing
