// What a user's forward records itself, from a leaf of its own, has a history that does not lead to
// its arguments: a second derivative that needs it must not silently lose a term.
#include "autograd/functional/functional.h"
#include "autograd/modes/grad_mode.h"
#include "autograd/testing/fourth_power.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

using autograd::AutogradContext;
using autograd::Function;
using autograd::grad;

struct RecordedValue {
  const char* name;
  Tensor (*make)(const Tensor& x);  // x^2; recording is switched on
};

/// A leaf that has the values of x and no way to it.
Tensor own_leaf(const Tensor& x) { return x.detach().requires_grad_(); }
Tensor own_weight() { return ones({2}, kFloat64).requires_grad_(); }

struct SquareInside : Function<SquareInside> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    ctx->save_for_backward({x});
    return x * x;
  }
  static variable_list backward(AutogradContext* ctx, variable_list g) {
    return {g[0] * 2 * ctx->get_saved_variables()[0]};
  }
};

Tensor third_of_cube(const Tensor& t) { return t * t * t / 3; }

const RecordedValue kCutOff[] = {
    {"a detached leaf", [](const Tensor& x) { return own_leaf(x).square(); }},
    {"a product of leaves", [](const Tensor& x) { return own_leaf(x) * own_leaf(x); }},
    {"a cloned leaf", [](const Tensor& x) { return x.detach().clone().requires_grad_().square(); }},
    {"the data as a leaf", [](const Tensor& x) { return x.data().requires_grad_().square(); }},
    {"a leaf computed before",
     [](const Tensor& x) {
       Tensor value;
       {
         const NoGradGuard no_grad;
         value = x * 1;
       }
       return value.requires_grad_().square();
     }},
    {"the value itself as a leaf",
     [](const Tensor& x) {
       const NoGradGuard no_grad;
       return (x * x).requires_grad_();
     }},
    {"a weight times a constant",
     [](const Tensor& x) { return own_weight() * x.detach().square(); }},
    {"a weight times the data", [](const Tensor& x) { return own_weight() * x.data() * x.data(); }},
    {"a view",
     [](const Tensor& x) {
       return own_leaf(x).square().view({1, 2})[0];
     }},
    {"a view of the leaf",
     [](const Tensor& x) {
       return own_leaf(x).view({1, 2})[0].square();
     }},
    {"a written buffer",
     [](const Tensor& x) { return zeros({2}, kFloat64).copy_(own_leaf(x).square()); }},
    {"a part of a written buffer",
     [](const Tensor& x) {
       Tensor buffer = zeros({2, 2}, kFloat64);
       buffer[1].copy_(own_leaf(x).square());
       return buffer[1];
     }},
    {"a sum in place",
     [](const Tensor& x) { return own_weight().mul(0).add_(x.detach().square()); }},
    {"cat",
     [](const Tensor& x) {
       const Tensor s = own_leaf(x).square();
       return cat({s.slice(0, 0, 1), s.slice(0, 1, 2)}, 0);
     }},
    {"unbind",
     [](const Tensor& x) {
       return stack({x, own_leaf(x).square()}, 0).unbind(0)[1];
     }},
    {"set_data",
     [](const Tensor& x) {
       Tensor holder = own_weight();
       holder.set_data(x.detach().square());
       return holder;
     }},
    {"set_data of the argument's data",
     [](const Tensor& x) {
       Tensor holder = own_weight();
       holder.set_data(x.data());
       return holder * holder;
     }},
    {"detach_", [](const Tensor& x) { return Tensor((x * x).detach_()); }},
    {"a leaf after detach_",
     [](const Tensor& x) { return (x * x).detach_().requires_grad_() * 1; }},
    {"an addend", [](const Tensor& x) { return (x * 1).add_(x.square().detach()).sub_(x); }},
    {"a leaf filled without recording",
     [](const Tensor& x) {
       Tensor holder = own_weight();
       const NoGradGuard no_grad;
       return holder.copy_(x * x);
     }},
    {"a gradient taken inside",
     [](const Tensor& x) {
       const Tensor inner = own_leaf(x);
       return grad({third_of_cube(inner).sum()}, {inner}, {}, true, true)[0];
     }},
    {"a product of vjp",
     [](const Tensor& x) {
       return autograd::functional::vjp(third_of_cube, x.detach(), ones_like(x),
                                        {.create_graph = true})
           .product;
     }},
    {"a function inside", [](const Tensor& x) { return SquareInside::apply(own_leaf(x)); }},
    {"a view made before of the argument",
     [](const Tensor& x) {
       Tensor view;
       {
         const NoGradGuard no_grad;
         view = x.view({1, 2});
       }
       return view[0].square();
     }},
};

/// What has a way to the argument.
const RecordedValue kConnected[] = {
    {"the argument", [](const Tensor& x) { return x * x; }},
    {"a view of the argument",
     [](const Tensor& x) {
       return x.view({1, 2})[0].square();
     }},
    {"a weight of the function's own", [](const Tensor& x) { return own_weight() * x * x; }},
    {"a written buffer",
     [](const Tensor& x) {
       Tensor buffer = zeros({2, 2}, kFloat64);
       buffer[1].copy_(x * x);
       return buffer[1];
     }},
    {"a gradient taken inside",
     [](const Tensor& x) { return grad({third_of_cube(x).sum()}, {x}, {}, true, true)[0]; }},
    {"a function inside", [](const Tensor& x) { return SquareInside::apply(x); }},
};

std::vector<Road> roads_of(const RecordedValue& value) {
  const auto recorded = [make = value.make](const Tensor& x) {
    const AutoGradMode recording(true);
    return make(x);
  };
  return {saves(value.name, recorded), keeps(value.name, recorded), by_data(value.name, recorded)};
}

TEST(FunctionLeafRoads, NoneLosesATermOfTheSecondDerivativeSilently) {
  for (const RecordedValue& value : kCutOff)
    for (const Road& road : roads_of(value)) {
      SCOPED_TRACE(road.name);
      const Tensor x = leaf({2, 3});
      const Tensor once = first_derivative(road, x);
      expect_error<DerivativeNotImplemented>("detach() it there if a constant is meant",
                                             [&] { grad({once.sum()}, {x}, {}, true); });
    }
}

TEST(FunctionLeafRoads, WhatIsConnectedToTheArgumentsIsDifferentiatedTwice) {
  for (const RecordedValue& value : kConnected)
    for (const Road& road : roads_of(value)) {
      SCOPED_TRACE(road.name);
      const Tensor x = leaf({2, 3});
      const Tensor once = first_derivative(road, x);
      expect_values(grad({once.sum()}, {x}, {}, true)[0], {48, 108});
    }
}

/// A graph that forward keeps for its backward alone.
TEST(FunctionLeafRoads, TheFirstDerivativeMayComeFromAGraphOfForwardsOwn) {
  const Road road = {"a graph",
                     [](AutogradContext*, const Tensor& x, TensorList& outside) {
                       const AutoGradMode recording(true);
                       const Tensor inner = own_leaf(x);
                       outside = {inner, third_of_cube(inner)};
                       return TensorList();
                     },
                     [](AutogradContext*, const TensorList&, const TensorList& outside) {
                       const AutoGradMode recording(true);
                       return grad({outside[1].sum()}, {outside[0]}, {}, true,
                                   thread_state.grad_mode)[0];
                     }};
  const Tensor x = leaf({2, 3});
  const auto power = [&] { return FourthPower::apply(x, &road, std::make_shared<TensorList>()); };
  expect_values(grad({power().sum()}, {x})[0], {32, 108});
  const Tensor once = grad({power().sum()}, {x}, {}, true, true)[0];
  expect_values(once, {32, 108});
  EXPECT_THROW(grad({once.sum()}, {x}), DerivativeNotImplemented);
}

/// y x^2 with a tangent and a gradient that read what forward kept outside its arguments' graph.
struct KeepsInSavedData : Function<KeepsInSavedData> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    ctx->saved_data["square"] = x * x;
    return x * x * x;
  }
  static variable_list backward(AutogradContext* ctx, variable_list g) {
    return {g[0] * 3 * ctx->saved_data["square"].toTensor()};
  }
  static variable_list jvp(AutogradContext* ctx, variable_list t) {
    return {t[0] * 3 * ctx->saved_data["square"].toTensor()};
  }
};

TEST(FunctionLeafRoads, ATangentOfATangentThatReadsSavedDataIsRefused) {
  const auto slope = [](const Tensor& x) {
    return autograd::functional::jvp([](const Tensor& t) { return KeepsInSavedData::apply(t); }, x,
                                     ones_like(x))
        .product;
  };
  const Tensor plain = slope(constant({2}));
  expect_values(plain, {12});
  EXPECT_FALSE(plain.requires_grad());
  EXPECT_THROW(autograd::functional::jvp(slope, constant({2}), constant({1})),
               ForwardNotImplemented);
}

/// The same from values that forward recorded: they have a derivative, and no tangent.
struct RecordsForBackward : Function<RecordsForBackward> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    const AutoGradMode recording(true);
    ctx->saved_data["square"] = x * x;
    return x.detach() * x.detach() * x.detach();
  }
  static variable_list backward(AutogradContext* ctx, variable_list g) {
    return {g[0] * 3 * ctx->saved_data["square"].toTensor()};
  }
  static variable_list jvp(AutogradContext*, variable_list t) { return {t[0]}; }
};

TEST(FunctionLeafRoads, ForwardOverReverseRefusesWhatForwardRecorded) {
  const Tensor x = leaf({2});
  const autograd::forward_ad::DualLevelGuard level;
  const Tensor y = RecordsForBackward::apply(autograd::forward_ad::make_dual(x, constant({1})));
  expect_error<ForwardNotImplemented>("its tangent is not known",
                                      [&] { grad({y}, {x}, {}, true, true); });
}

}  // namespace
}  // namespace notape::testing
