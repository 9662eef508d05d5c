// Functional: a function of one tensor as a module, for Sequential.
#pragma once
#include <functional>

#include "paper_examples/nn/module.h"

namespace notape::nn {

struct FunctionalImpl : Module {
  /// What is called with the input and the arguments: Functional(relu), Functional(log_softmax, 1).
  template <typename Function, typename... Arguments>
  requires std::invocable<Function, Tensor, Arguments...> FunctionalImpl(Function function,
                                                                         Arguments... arguments)
      : function_([=](const Tensor& input) -> Tensor { return function(input, arguments...); }) {}
  /// An operator, which also takes the place in the source that errors name.
  template <typename Function, typename... Arguments>
  requires(!std::invocable<Function, Tensor, Arguments...> &&
           std::invocable<Function, Tensor, Arguments..., At>)
      FunctionalImpl(Function function, Arguments... arguments)
      : function_([=](const Tensor& input) -> Tensor {
          return function(input, arguments..., At::current());
        }) {}

  Tensor forward(const Tensor& input) const { return function_(input); }

 private:
  std::function<Tensor(const Tensor&)> function_;
};

using Functional = ModuleHolder<FunctionalImpl>;

}  // namespace notape::nn
