// Operators whose gradient is right when they are called once, alone, and wrong otherwise: each
// gets its own reason. Beside each a right one of the same kind.
#include <array>
#include <chrono>
#include <thread>

#include "verify/checks/structure_test_helper.h"

namespace notape::verify {
namespace {

using autograd::AutogradContext;
using autograd::Function;
using ::testing::HasSubstr;

TEST(Structure, APlainFunctionRaisesNoAlarm) {
  expect_right(tensor_function([](const Tensor& x) { return SquareBy<Plain>::apply(x); }), {x23()},
               {.order = 2, .forward_mode = false});
}

// ---- what is kept from call to call ----

struct InWorkspace : Plain {
  static inline std::vector<double> workspace;
  static Tensor forward(AutogradContext*, const Tensor& x) {
    workspace = numbers_of(x);
    return x * x;
  }
  static variable_list backward(AutogradContext*, variable_list grads) {
    return {grads[0] * tensor(workspace, dtype(kFloat64)).reshape(grads[0].sizes()) * 2};
  }
};

TEST(Structure, ABackwardThatReadsTheLastForwardsWorkspaceIsFound) {
  expect_only(check_square<InWorkspace>(), "kept FAIL",
              "the gradient of a first call changes when the function is called again");
}

struct OwnWorkspace : Plain {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    ctx->saved_data["x"] = x.detach().clone();
    return x * x;
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    return {grads[0] * ctx->saved_data["x"].toTensor() * 2};
  }
};

TEST(Structure, AWorkspaceOfEachCallIsRight) {
  expect_right(tensor_function([](const Tensor& x) { return SquareBy<OwnWorkspace>::apply(x); }),
               {x23()});
}

struct StaticGradient : Plain {
  static inline Tensor buffer;
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const Tensor result = Plain::backward(ctx, std::move(grads))[0];
    if (!buffer.defined() || buffer.sizes() != result.sizes() || buffer.dtype() != result.dtype())
      buffer = empty_like(result);
    buffer.copy_(result);
    return {buffer.detach()};
  }
};
struct StaticValue : Plain {
  static inline Tensor buffer;
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    ctx->save_for_backward({x});
    if (!buffer.defined() || buffer.sizes() != x.sizes() || buffer.dtype() != x.dtype())
      buffer = empty_like(x);
    buffer.copy_(x * x);
    return buffer.detach();
  }
};

TEST(Structure, BuffersThatASecondCallOverwritesAreFound) {
  expect_only(check_square<StaticGradient>(), "kept FAIL", "overwrite what the first one gave");
  expect_only(check_square<StaticValue>(), "kept FAIL", "overwrites what the first one gave");
}

struct FirstPointOnly : Plain {
  static inline std::vector<double> first;
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const Tensor x = ctx->get_saved_variables()[0];
    const auto numbers = numbers_of(x);
    if (first.empty()) first = numbers;
    return {grads[0] * x * (first == numbers ? 2 : 2.5)};
  }
};

TEST(Structure, WhatIsRightAtTheFirstPointOnlyIsFound) {
  EXPECT_TRUE(is_red(check_square<FirstPointOnly>().verdict()));
}

struct SecondCallWrong : Plain {
  static inline int calls = 0;
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    return {grads[0] * ctx->get_saved_variables()[0] * (++calls == 2 ? 3 : 2)};
  }
};
struct SecondValueWrong : Plain {
  static inline int calls = 0;
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    const Tensor y = Plain::forward(ctx, x);
    return ++calls == 2 ? y + 1 : y;
  }
};

TEST(Structure, WhatIsWrongOnTheSecondCallOnlyIsNondeterministic) {
  expect_only(check_square<SecondCallWrong>(), "repeat NONDETERMINISTIC",
              "equal calls give different bits");
  expect_only(check_square<SecondValueWrong>(), "repeat NONDETERMINISTIC",
              "equal calls give different bits");
}

struct Racing : Plain {
  static inline std::array<double, 64> scratch{};
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const Tensor x = ctx->get_saved_variables()[0].contiguous(), v = grads[0].contiguous();
    const auto count = static_cast<std::size_t>(x.numel());
    Tensor result = empty_like(x);
    for (std::size_t i = 0; i < count; ++i)
      scratch[i] = 2 * x.const_data_ptr<double>()[i] * v.const_data_ptr<double>()[i];
    std::this_thread::yield();
    for (std::size_t i = 0; i < count; ++i) result.mutable_data_ptr<double>()[i] = scratch[i];
    return {result};
  }
};
struct ThreadLocalWorkspace : Plain {
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    thread_local Tensor scratch;
    scratch = grads[0] * ctx->get_saved_variables()[0] * 2;
    return {scratch.clone()};
  }
};

TEST(Structure, ARaceIsNondeterministicAndFoundInSeconds) {
  const auto start = std::chrono::steady_clock::now();
  expect_only(check_square<Racing>(), "concurrent NONDETERMINISTIC", "two threads");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  expect_right(
      tensor_function([](const Tensor& x) { return SquareBy<ThreadLocalWorkspace>::apply(x); }),
      {x23()});
}

// ---- inputs ----

struct OverwritesInput : Plain {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    const Tensor y = x.clone();
    ctx->save_for_backward({y});
    double* data = const_cast<double*>(x.const_data_ptr<double>());
    if (x.dtype() == kFloat64 && x.numel() > 0) data[0] += 0.5;
    return y * y;
  }
};

TEST(Structure, AForwardThatOverwritesItsInputIsSaidToDoSo) {
  expect_only(check_square<OverwritesInput>(), "inputs FAIL", "forward writes to argument 0");
}

struct RestoresInput : Plain {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    const NoGradGuard no_grad;
    Tensor same = x.detach();
    same.mul_(2);
    same.div_(2);
    return Plain::forward(ctx, x);
  }
};

TEST(Structure, AForwardThatWritesToItsInputAndTakesItBackIsSaidToDoSo) {
  expect_only(check_square<RestoresInput>(), "inputs FAIL",
              "forward writes to argument 0, which it may only read: its memory is as it was, but "
              "its version counter went from ");
}

struct LeavesOnly : Plain {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    ctx->saved_data["leaf"] = static_cast<int64_t>(x.is_leaf());
    return Plain::forward(ctx, x);
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const bool leaf = ctx->saved_data["leaf"].toInt() != 0;
    return {grads[0] * ctx->get_saved_variables()[0] * (leaf ? 2 : 1)};
  }
};
struct WholeStorage : Plain {
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    // Takes its input for the start of its memory.
    const Tensor x = ctx->get_saved_variables()[0];
    const Tensor start = x.as_strided(x.sizes(), x.strides(), 0);
    return {grads[0] * start * 2};
  }
};

TEST(Structure, WhatIsRightForLeavesOnlyIsSaidToBe) {
  expect_only(check_square<LeavesOnly>(), "sources FAIL",
              "right for leaves, wrong for inputs that are results of other operations");
  EXPECT_THAT(check_square<WholeStorage>().only("sources").text(), HasSubstr("views of others"));
}

struct TwiceTheSame : Function<TwiceTheSame> {
  static Tensor forward(AutogradContext* ctx, const Tensor& a, const Tensor& b) {
    ctx->save_for_backward({a, b});
    ctx->saved_data["same"] = static_cast<int64_t>(a.is_same(b));
    return a * b;
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto saved = ctx->get_saved_variables();
    if (ctx->saved_data["same"].toInt() != 0) return {grads[0] * saved[1], Tensor()};
    return {grads[0] * saved[1], grads[0] * saved[0]};
  }
};

TEST(Structure, OneTensorPassedTwiceGetsBothGradients) {
  const auto f = [](const Tensor& a, const Tensor& b) { return TwiceTheSame::apply(a, b); };
  expect_only(check(f, {leaf({0.5, 1.5}, {2}), leaf({0.75, -1}, {2})}, first_order()),
              "shared FAIL", "a tensor used twice");
}

}  // namespace
}  // namespace notape::verify
