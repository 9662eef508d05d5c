// A run that fails: the caller gets the original exception, and everything can be used again.
#include "autograd/function.h"

#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

using autograd::AutogradContext;
using autograd::Function;
using autograd::grad;

struct MyError : std::runtime_error {
  using runtime_error::runtime_error;
};

struct ThrowsOnce : Function<ThrowsOnce> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    ctx->save_for_backward({x});
    return x * 1;
  }
  static variable_list backward(AutogradContext*, variable_list g) {
    if (armed) throw MyError("mine");
    return g;
  }
  static inline bool armed = false;
};

TEST(Exceptions, KeepTheirTypeAndLeaveGradientsAlone) {
  const NothingLeaks guard;
  const Tensor x = leaf({1, 2}), y = leaf({3, 4});
  const Tensor z = ThrowsOnce::apply(x * y).sum();
  const Unchanged before({x, y});
  ThrowsOnce::armed = true;
  EXPECT_THROW(z.backward({}, true), MyError);
  EXPECT_THROW(grad({z}, {x}, {}, true), MyError);
  before.check();
  EXPECT_FALSE(x.grad().defined());
  EXPECT_TRUE(GradMode::is_enabled());
  ThrowsOnce::armed = false;
  z.backward();
  expect_values(x.grad(), {3, 4});
}

TEST(Exceptions, NodesThatHadRunStayReleased) {
  const Tensor x = leaf({1, 2});
  const Tensor h = ThrowsOnce::apply(x);
  const Tensor z = (h * h).sum();
  ThrowsOnce::armed = true;
  EXPECT_THROW(z.backward(), MyError);
  ThrowsOnce::armed = false;
  EXPECT_THROW(z.backward(), GraphFreed);
  h.sum().backward();  // the node that threw was not released
  expect_values(x.grad(), {1, 1});
}

TEST(Exceptions, ALeafIsWhollyUpdatedOrUntouched) {
  const Tensor early = leaf({1, 2}), late = leaf({3, 4});
  const Tensor z = (ThrowsOnce::apply(late * 1) + early).sum();
  ThrowsOnce::armed = true;
  EXPECT_THROW(z.backward(), MyError);
  ThrowsOnce::armed = false;
  if (early.grad().defined()) expect_values(early.grad(), {1, 1});
  EXPECT_FALSE(late.grad().defined());
}

TEST(Exceptions, OfHooksReachTheCaller) {
  const NothingLeaks guard;
  const Tensor x = leaf({1, 2});
  const Tensor y = x * 2;
  const uint32_t index = y.register_hook([](const Tensor&) { throw MyError("hook"); });
  EXPECT_THROW(y.sum().backward({}, true), MyError);
  EXPECT_FALSE(x.grad().defined());
  y.remove_hook(index);
  y.sum().backward();
  expect_values(x.grad(), {2, 2});
}

TEST(Exceptions, InsideANestedRunReachTheCodeThatCalledIt) {
  const Tensor x = leaf({1, 2}), w = leaf({1, 1});
  const Tensor inner = ThrowsOnce::apply(w).sum(), outer = x * 2;
  bool caught = false;
  outer.register_hook([&](const Tensor&) {
    ThrowsOnce::armed = true;
    try {
      inner.backward();
    } catch (const MyError&) {
      caught = true;
    }
    ThrowsOnce::armed = false;
  });
  outer.sum().backward();
  EXPECT_TRUE(caught);
  expect_values(x.grad(), {2, 2});
}

TEST(Exceptions, NestedRunsMayUseTheGraphThatIsRunning) {
  const Tensor x = leaf({1, 2});
  const Tensor y = x * x;
  const Tensor other = leaf({3, 4});
  const Tensor z = other * other;
  int calls = 0;
  z.register_hook([&](const Tensor&) {
    if (calls++) return;
    y.backward(constant({1, 1}), true);
    z.backward(constant({10, 10}), true);
  });
  z.sum().backward();
  EXPECT_EQ(calls, 2);
  expect_values(other.grad(), {66, 88});
  expect_values(x.grad(), {2, 4});
}

TEST(Exceptions, ARunInsideItsOwnNodeSeesItsOwnGradients) {
  const Tensor x = leaf({1, 2}), h = x * 3;
  std::vector<double> nested;
  bool inside = false;
  h.register_hook([&](const Tensor& g) {
    if (std::exchange(inside, true)) return;
    nested = values(grad({h}, {x}, {constant({7, 7})}, true)[0]);
    EXPECT_THAT(values(g), ElementsAre(1, 1));
  });
  h.sum().backward();
  EXPECT_THAT(nested, ElementsAre(21, 21));
  expect_values(x.grad(), {3, 3});
}

struct Recursive : Function<Recursive> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, int depth) {
    ctx->saved_data["depth"] = depth;
    return x * 1;
  }
  static variable_list backward(AutogradContext* ctx, variable_list g) {
    const int depth = std::any_cast<int>(ctx->saved_data["depth"]);
    if (depth > 0) {
      const EnableGradGuard recording;
      const Tensor w = leaf({1.0});
      Recursive::apply(w, depth - 1).backward();
      return {g[0] * (values(w.grad())[0] + 1), Tensor()};
    }
    return {g[0], Tensor()};
  }
};

TEST(Exceptions, RunsNestAHundredDeep) {
  const NothingLeaks guard;
  const Tensor x = leaf({1.0});
  Recursive::apply(x, 100).backward();
  expect_values(x.grad(), {101});
}

}  // namespace
}  // namespace notape::testing
