// Values that forward keeps unrecorded, on any path, lose no term of a second derivative silently.
#include "autograd/functional/functional.h"
#include "autograd/testing/fourth_power.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

using autograd::AutogradContext;
using autograd::Function;
using autograd::grad;

struct InnerSquare : Function<InnerSquare> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    ctx->save_for_backward({x});
    return x * x;
  }
  static variable_list backward(AutogradContext* ctx, variable_list g) {
    return {g[0] * 2 * ctx->get_saved_variables()[0]};
  }
};

struct Value {
  const char* name;
  Tensor (*make)(const Tensor& x);
};

Tensor buffer_like(const Tensor& x) { return zeros({2, x.numel()}, kFloat64); }

/// Ways to compute x^2 in forward that lose its derivative.
const Value kLost[] = {
    {"an intermediate", [](const Tensor& x) { return x * x; }},
    {"a clone", [](const Tensor& x) { return (x * x).clone(); }},
    {"cat", [](const Tensor& x) { return cat({x * x}, 0); }},
    {"cat of parts of the input",
     [](const Tensor& x) {
       return cat({x.slice(0, 0, 1), x.slice(0, 1, 2)}, 0).square();
     }},
    {"stack",
     [](const Tensor& x) {
       return stack({x * x, x}, 0)[0];
     }},
    {"a part of a stack of inputs",
     [](const Tensor& x) {
       return stack({x, x * x}, 0).select(0, 1);
     }},
    {"chunk",
     [](const Tensor& x) {
       return (cat({x, x}, 0) * 1).chunk(2, 0)[1].square();
     }},
    {"unbind",
     [](const Tensor& x) {
       return stack({x, x}, 0).unbind(0)[1].square();
     }},
    {"a write into a view",
     [](const Tensor& x) {
       Tensor buffer = buffer_like(x);
       buffer[1].copy_(x * x);
       return buffer.select(0, 1);
     }},
    {"a write into a view, seen through the base",
     [](const Tensor& x) {
       Tensor buffer = zeros_like(x);
       buffer.slice(0, 0, 2).copy_(x * x);
       return buffer;
     }},
    {"a write into the base, seen through an older view",
     [](const Tensor& x) {
       Tensor buffer = buffer_like(x);
       Tensor older = buffer[0];
       buffer.copy_(stack({x * x, x}, 0));
       return older;
     }},
    {"a write through an older view",
     [](const Tensor& x) {
       Tensor buffer = zeros_like(x);
       Tensor older = buffer.view({2}), other = buffer.view({1, 2});
       other.add_(x * x);
       return older;
     }},
    {"index_put_",
     [](const Tensor& x) {
       Tensor buffer = zeros_like(x);
       buffer.index_put_({tensor({0, 1}, kInt64)}, x * x);
       return buffer;
     }},
    {"assignment to an element",
     [](const Tensor& x) {
       Tensor buffer = zeros_like(x);
       buffer[0] = x[0] * x[0];
       buffer[1] = x[1] * x[1];
       return buffer;
     }},
    {"as_strided",
     [](const Tensor& x) {
       Tensor buffer = buffer_like(x);
       as_strided(buffer, {2}, {1}, 2).copy_(x.square());
       return buffer[1];
     }},
    {"a sum in place",
     [](const Tensor& x) {
       Tensor sum = zeros_like(x);
       sum.add_(x * x);
       return sum;
     }},
    {"a product in place",
     [](const Tensor& x) {
       Tensor product = ones_like(x);
       product.mul_(x).mul_(x);
       return product;
     }},
    {"a product in place after a constant write",
     [](const Tensor& x) {
       Tensor product = ones_like(x);
       product.mul_(x);
       product.fill_(1);
       product.mul_(x * x);
       return product;
     }},
    {"many parts",
     [](const Tensor& x) {
       Tensor buffer = zeros({40}, kFloat64);
       for (int64_t i = 0; i < 20; ++i) buffer.slice(0, 2 * i, 2 * i + 2).copy_(x * x);
       return buffer.slice(0, 18, 20);
     }},
    {"detach", [](const Tensor& x) { return (x * x).detach(); }},
    {"data", [](const Tensor& x) { return (x * x).data(); }},
    {"the detached input", [](const Tensor& x) { return x.detach().square(); }},
    {"the input's data", [](const Tensor& x) { return x.data() * x.data(); }},
    {"a view of the input",
     [](const Tensor& x) {
       return x.view({1, 2}).square().view({2});
     }},
    {"a part of the input", [](const Tensor& x) { return as_strided(x, {2}, {1}).square(); }},
    {"reshape",
     [](const Tensor& x) {
       return (x * x).reshape({2, 1}).reshape({2});
     }},
    {"contiguous of transposed",
     [](const Tensor& x) {
       return (x * x).view({2, 1}).t().contiguous().view({2});
     }},
    {"expand",
     [](const Tensor& x) {
       return (x * x).expand({3, 2})[1];
     }},
    {"a conversion", [](const Tensor& x) { return (x * x).to(kFloat32).to(kFloat64); }},
    {"where", [](const Tensor& x) { return where(x > 0, x * x, x * x); }},
    {"matmul",
     [](const Tensor& x) {
       return (x * x).view({2, 1}).matmul(ones({1, 1}, kFloat64)).view({2});
     }},
    {"index",
     [](const Tensor& x) {
       return (x * x).index({tensor({0, 1}, kInt64)});
     }},
    {"set_data",
     [](const Tensor& x) {
       Tensor holder = zeros_like(x);
       holder.set_data(x * x);
       return holder;
     }},
    {"set_data of the input",
     [](const Tensor& x) {
       Tensor holder = zeros_like(x);
       holder.set_data(x.data());
       return holder.square();
     }},
    {"the product of vjp",
     [](const Tensor& x) {
       const auto third_of_cube = [](const Tensor& t) { return t * t * t / 3; };
       return autograd::functional::vjp(third_of_cube, x, ones_like(x)).product;
     }},
    {"the product of jvp",
     [](const Tensor& x) {
       const auto third_of_cube = [](const Tensor& t) { return t * t * t / 3; };
       return autograd::functional::jvp(third_of_cube, x, ones_like(x)).product;
     }},
    {"a gradient taken inside",
     [](const Tensor& x) {
       const AutoGradMode recording(true);
       const Tensor inner = x.detach().requires_grad_();
       return grad({(inner * inner * inner / 3).sum()}, {inner})[0];
     }},
    {"a gradient accumulated inside",
     [](const Tensor& x) {
       const AutoGradMode recording(true);
       const Tensor inner = x.detach().requires_grad_();
       (inner * inner * inner / 3).sum().backward();
       return inner.grad();
     }},
    {"a function inside", [](const Tensor& x) { return InnerSquare::apply(x); }},
    {"a function inside, of a detached input",
     [](const Tensor& x) { return InnerSquare::apply(x.detach()); }},
};

std::vector<Road> lost_roads() {
  std::vector<Road> roads;
  for (const Value& value : kLost) {
    roads.push_back(saves(value.name, value.make));
    roads.push_back(keeps(value.name, value.make));
    roads.push_back(by_data(value.name, value.make));
  }
  roads.push_back({"a list in saved_data",
                   [](AutogradContext* ctx, const Tensor& x, TensorList&) {
                     ctx->saved_data["list"] = TensorList{x * x};
                     return TensorList();
                   },
                   [](AutogradContext* ctx, const TensorList&, const TensorList&) {
                     return ctx->saved_data["list"].toTensorVector()[0];
                   }});
  roads.push_back({"a view that backward makes of what is outside",
                   [](AutogradContext*, const Tensor& x, TensorList& outside) {
                     outside.push_back(stack({x, x * x}, 0));
                     return TensorList();
                   },
                   [](AutogradContext*, const TensorList&, const TensorList& outside) {
                     return outside[0].unbind(0)[1].view({1, 2})[0];
                   }});
  roads.push_back({"a join that backward makes of what is outside",
                   [](AutogradContext*, const Tensor& x, TensorList& outside) {
                     outside.push_back(x * x);
                     return TensorList();
                   },
                   [](AutogradContext*, const TensorList&, const TensorList& outside) {
                     return cat({outside[0], zeros({1}, kFloat64)}, 0).slice(0, 0, 2);
                   }});
  roads.push_back({"a buffer into which backward writes what is outside",
                   [](AutogradContext*, const Tensor& x, TensorList& outside) {
                     outside.push_back(x * x);
                     return TensorList();
                   },
                   [](AutogradContext*, const TensorList&, const TensorList& outside) {
                     Tensor buffer = zeros({2}, kFloat64);
                     buffer.copy_(outside[0]);
                     return buffer;
                   }});
  return roads;
}

/// x, as what a user function makes of it: a view of memory of its own, its input, a view of that.
struct ViewOfOwn : Function<ViewOfOwn> {
  static Tensor forward(AutogradContext*, const Tensor& x) { return (x * 1).view({1, 2})[0]; }
  static variable_list backward(AutogradContext*, variable_list g) { return {g[0]}; }
};
struct Input : Function<Input> {
  static Tensor forward(AutogradContext*, const Tensor& x) { return x; }
  static variable_list backward(AutogradContext*, variable_list g) { return {g[0]}; }
};
struct ViewOfInput : Function<ViewOfInput> {
  static Tensor forward(AutogradContext*, const Tensor& x) { return x.view({1, 2})[0]; }
  static variable_list backward(AutogradContext*, variable_list g) { return {g[0]}; }
};
struct Dirtied : Function<Dirtied> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    ctx->mark_dirty({x});
    Tensor(x).mul_(1);
    return x;
  }
  static variable_list backward(AutogradContext*, variable_list g) { return {g[0]}; }
};

/// What may stand for a leaf of equal values as the argument.
const Value kArguments[] = {
    {"a leaf", [](const Tensor& x) { return x; }},
    {"a result", [](const Tensor& x) { return x * 1; }},
    {"a view of a leaf",
     [](const Tensor& x) {
       return x.view({1, 2})[0];
     }},
    {"a view of a result",
     [](const Tensor& x) {
       return (x * 1).view({2, 1}).t()[0];
     }},
    {"a piece",
     [](const Tensor& x) {
       return stack({x, x}, 0).unbind(0)[1];
     }},
    {"a chunk",
     [](const Tensor& x) {
       return cat({x, x}, 0).chunk(2, 0)[0];
     }},
    {"a result written in place", [](const Tensor& x) { return (x * 2).div_(2); }},
    {"a view whose base was written",
     [](const Tensor& x) {
       Tensor base = zeros({2, 2}, kFloat64);
       Tensor view = base[1];
       base.add_(x);
       return view;
     }},
    {"a function's view of its own", [](const Tensor& x) { return ViewOfOwn::apply(x); }},
    {"a view of that", [](const Tensor& x) { return ViewOfOwn::apply(x).view({2}); }},
    {"a function's input", [](const Tensor& x) { return Input::apply(x); }},
    {"a function's input, a view", [](const Tensor& x) { return Input::apply(x.view({2})); }},
    {"a function's view of its input", [](const Tensor& x) { return ViewOfInput::apply(x); }},
    {"what a function wrote into", [](const Tensor& x) { return Dirtied::apply(x * 1); }},
};

TEST(FunctionRoads, NoneLosesATermOfTheSecondDerivativeSilently) {
  for (const Value& argument : kArguments)
    for (const Road& road : lost_roads()) {
      SCOPED_TRACE(std::string(argument.name) + ", " + road.name);
      const NothingLeaks guard;
      const Tensor x = leaf({2, 3});
      const auto power = [&] {
        return FourthPower::apply(argument.make(x), &road, std::make_shared<TensorList>());
      };
      expect_values(grad({power().sum()}, {x})[0], {32, 108});
      const Tensor once = grad({power().sum()}, {x}, {}, true, true)[0];
      expect_values(once, {32, 108});
      expect_error<DerivativeNotImplemented>(
          "for 'FourthPower' is not implemented. Its backward uses",
          [&] { grad({once.sum()}, {x}, {}, true); });
    }
}

/// d(x t)/dx = t, returned as it is.
struct GivesBackWhatItKept : Function<GivesBackWhatItKept> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    ctx->saved_data["t"] = x * x * 3;
    return x * x * x;
  }
  static variable_list backward(AutogradContext* ctx, variable_list) {
    return {ctx->saved_data["t"].toTensor()};
  }
};

TEST(FunctionRoads, AKeptValueReturnedAsTheGradientRaisesToo) {
  const NothingLeaks guard;
  const Tensor x = leaf({2});
  const Tensor once = grad({GivesBackWhatItKept::apply(x)}, {x}, {}, true, true)[0];
  expect_values(once, {12});
  EXPECT_THROW(grad({once.sum()}, {x}), DerivativeNotImplemented);
}

}  // namespace
}  // namespace notape::testing
