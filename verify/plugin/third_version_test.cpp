// Version 3 of the C interface: types without float64, gradients that are no derivatives, atomic
// adds, outputs of several types, and sizes that no declaration names.
#include <gmock/gmock.h>

#include <atomic>
#include <cmath>
#include <cstring>

#include "verify/plugin/testing/foreign_operators.h"

namespace notape::verify {
namespace {

namespace np = notape::plugin;
using foreign::alarms_in, foreign::declared, foreign::first_complaint;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

int vector_shape(notape_case* one) {
  one->inputs[0] = {1, {1 + 3 * one->way}};
  for (int k = 0; k < 2; ++k) one->outputs[k] = one->inputs[0];
  return 0;
}

template <typename T>
T* entries(const notape_tensor* tensor) {
  return static_cast<T*>(tensor->data);
}

/// y = x / (1 + exp(-x)) in any type, rounded once.
template <typename T>
int swish(const notape_call* call) {
  for (int64_t i = 0; i < call->inputs[0]->count; ++i) {
    const auto x = static_cast<double>(entries<T>(call->inputs[0])[i]);
    entries<T>(call->outputs[0])[i] = T(x / (1 + std::exp(-x)));
  }
  return 0;
}
/// With the second term of its slope times `context`.
template <typename T>
int swish_backward(const notape_call* call) {
  const double share = call->context ? *static_cast<const double*>(call->context) : 1;
  for (int64_t i = 0; i < call->inputs[0]->count; ++i) {
    const auto x = static_cast<double>(entries<T>(call->inputs[0])[i]), s = 1 / (1 + std::exp(-x));
    const auto g = static_cast<double>(entries<T>(call->grad_outputs[0])[i]);
    entries<T>(call->grad_inputs[0])[i] = T(g * (s + share * x * s * (1 - s)));
  }
  return 0;
}

const notape_input kReal[] = {{sizeof(notape_input), "x", NOTAPE_REAL, 0, -4, 4, nullptr, 0}};

template <typename T, typename Wide>
notape_operator2 swish_in(int32_t dtype, int32_t reference_dtype) {
  notape_operator2 one{};
  one.struct_size = sizeof one;
  one.name = "swish";
  one.dtypes = dtype;
  one.ways = 3;
  one.input_count = one.output_count = 1;
  one.inputs = kReal;
  one.shape = [](notape_case* given) {
    given->inputs[0] = given->outputs[0] = {1, {1 + 3 * given->way}};
    return 0;
  };
  one.forward = swish<T>;
  one.backward = swish_backward<T>;
  one.reference = swish<Wide>;
  one.reference_dtype = reference_dtype;
  return one;
}

std::vector<std::string> alarms_in_type(const notape_operator2& foreign, ScalarType dtype) {
  return alarms(verify_operator(row_of(foreign), {.dtypes = {dtype}, .samples = 12}));
}

double none = 0, half = 0.5;

TEST(ThirdVersion, WhatTakesNoFloat64IsJudgedByItsReference) {
  const struct {
    notape_operator2 right;
    ScalarType dtype;
  } cases[] = {
      {swish_in<BFloat16, float>(NOTAPE_BFLOAT16, NOTAPE_FLOAT32), kBFloat16},
      {swish_in<BFloat16, double>(NOTAPE_BFLOAT16, NOTAPE_FLOAT64), kBFloat16},
      {swish_in<Half, double>(NOTAPE_FLOAT16, NOTAPE_FLOAT64), kFloat16},
      {swish_in<Half, float>(NOTAPE_FLOAT16, NOTAPE_FLOAT32), kFloat16},
      {swish_in<float, double>(NOTAPE_FLOAT32, NOTAPE_FLOAT64), kFloat32},
      {swish_in<float, long double>(NOTAPE_FLOAT32, 0), kFloat32},
  };
  for (const auto& one : cases) {
    EXPECT_THAT(alarms_in_type(one.right, one.dtype), IsEmpty()) << name_of(one.dtype);
    notape_operator2 wrong = one.right;
    wrong.context = &none;
    EXPECT_THAT(alarms_in_type(wrong, one.dtype), Contains("reverse FAIL")) << name_of(one.dtype);
  }
  // In 24 bits also what is half right; and a value that is another function's.
  notape_operator2 wrong = swish_in<float, double>(NOTAPE_FLOAT32, NOTAPE_FLOAT64);
  wrong.context = &half;
  EXPECT_THAT(alarms_in_type(wrong, kFloat32), Contains("reverse FAIL"));
  wrong = swish_in<BFloat16, float>(NOTAPE_BFLOAT16, NOTAPE_FLOAT32);
  wrong.forward = [](const notape_call* call) {
    swish<BFloat16>(call);
    auto* y = entries<BFloat16>(call->outputs[0]);
    y[0] = BFloat16(static_cast<float>(y[0]) + 0.25F);
    return 0;
  };
  EXPECT_THAT(alarms_in_type(wrong, kBFloat16), Contains("reference FAIL"));
}

TEST(ThirdVersion, TypesThatItDoesNotDeclareAreNotRun) {
  const OpSpec row = row_of(swish_in<BFloat16, float>(NOTAPE_BFLOAT16, NOTAPE_FLOAT32));
  for (const ScalarType dtype : {kFloat64, kFloat32, kFloat16})
    EXPECT_THAT(verify_operator(row, {.dtypes = {dtype}, .samples = 2}), IsEmpty())
        << name_of(dtype);
}

TEST(ThirdVersion, DeclarationsThatMakeNoSenseAreRefusedByName) {
  const auto refusal = [](auto change) -> std::string {
    notape_operator2 foreign = swish_in<double, long double>(NOTAPE_FLOAT64, 0);
    change(foreign);
    try {
      row_of(foreign);
    } catch (const ForeignOperatorError& error) {
      return error.what();
    }
    return "";
  };
  static const notape_input complex[] = {
      {sizeof(notape_input), "z", NOTAPE_COMPLEX128, 0, -4, 4, nullptr, 0}};
  static const int32_t whole[] = {NOTAPE_INT64}, odd[] = {NOTAPE_FLOAT16};
  using O = notape_operator2;
  EXPECT_EQ(refusal([](O&) {}), "");
  EXPECT_THAT(refusal([](O& o) { o.dtypes |= NOTAPE_COMPLEX64; }), HasSubstr("takes complex64"));
  EXPECT_THAT(refusal([](O& o) { o.inputs = complex; }),
              HasSubstr("inputs[0] (z) of complex128: derivatives of complex numbers"));
  EXPECT_THAT(refusal([](O& o) { o.dtypes = NOTAPE_BFLOAT16, o.reference = nullptr; }),
              HasSubstr("has no reference that could be differenced instead"));
  EXPECT_THAT(refusal([](O& o) { o.reference_dtype = NOTAPE_FLOAT32; }),
              HasSubstr("a reference in float32, which is no wider"));
  EXPECT_THAT(refusal([](O& o) { o.output_dtypes = whole; }), HasSubstr("no real output"));
  EXPECT_THAT(refusal([](O& o) { o.output_dtypes = odd; }), HasSubstr("writes float16"));
  EXPECT_THAT(refusal([](O& o) { o.devices = 8; }), HasSubstr("devices that nobody knows"));
  EXPECT_THAT(refusal([](O& o) { o.atomic_terms = -1; }), HasSubstr("adds -1 terms"));
}

/// Values and, whole, where the largest is; a bfloat16 operator that keeps its mean in float32.
TEST(ThirdVersion, OutputsMayBeOfSeveralTypes) {
  static const int32_t types[] = {NOTAPE_REAL, NOTAPE_INT64};
  notape_operator2 one = swish_in<double, long double>(NOTAPE_FLOAT64, 0);
  one.output_count = 2;
  one.output_dtypes = types;
  one.shape = vector_shape;
  one.forward = [](const notape_call* call) {
    for (int64_t i = 0; i < call->outputs[1]->count; ++i) entries<int64_t>(call->outputs[1])[i] = i;
    return swish<double>(call);
  };
  one.reference = [](const notape_call* call) {
    for (int64_t i = 0; i < call->outputs[1]->count; ++i) entries<int64_t>(call->outputs[1])[i] = i;
    return swish<long double>(call);
  };
  one.backward = [](const notape_call* call) {
    return call->grad_outputs[1]->data || call->outputs[1]->dtype != NOTAPE_INT64
               ? 1
               : swish_backward<double>(call);
  };
  EXPECT_THAT(alarms_in(one), IsEmpty());

  static const int32_t wider[] = {NOTAPE_FLOAT32};
  notape_operator2 narrow = swish_in<BFloat16, float>(NOTAPE_BFLOAT16, NOTAPE_FLOAT32);
  narrow.output_dtypes = wider;
  narrow.forward = [](const notape_call* call) {
    for (int64_t i = 0; i < call->inputs[0]->count; ++i) {
      const float x = entries<BFloat16>(call->inputs[0])[i];
      entries<float>(call->outputs[0])[i] = x / (1 + std::exp(-x));
    }
    return call->outputs[0]->dtype == NOTAPE_FLOAT32 ? 0 : 1;
  };
  narrow.backward = [](const notape_call* call) {
    for (int64_t i = 0; i < call->inputs[0]->count; ++i) {
      const float x = entries<BFloat16>(call->inputs[0])[i], s = 1 / (1 + std::exp(-x));
      entries<BFloat16>(call->grad_inputs[0])[i] =
          BFloat16(entries<float>(call->grad_outputs[0])[i] * (s + x * s * (1 - s)));
    }
    return 0;
  };
  EXPECT_THAT(alarms_in_type(narrow, kBFloat16), IsEmpty());
}

/// Eighths within [-1, 1], with a gradient as if there were no rounding.
struct Quantise {
  static np::About about() {
    return np::About("quantise").ways(3).real("x", -2, 2, {np::kink(-1), np::kink(1)});
  }
  static void shape(np::Case& one) { one.input(0) = one.output(0) = {1 + 3 * one.way()}; }
  template <std::floating_point T>
  static void forward(const np::Call<T>& call) {
    using std::rint;
    for (int64_t i = 0; i < call.input(0).count(); ++i) {
      const T x = call.input(0)[i], inside = x < -1 ? T(-1) : x > 1 ? T(1) : x;
      call.output(0)[i] = rint(8 * inside) / 8;
    }
  }
  template <std::floating_point T>
  static void surrogate(const np::Call<T>& call) {
    for (int64_t i = 0; i < call.input(0).count(); ++i) {
      const T x = call.input(0)[i];
      call.grad_input(0)[i] = x >= -1 && x <= 1 ? call.grad_output(0)[i] : T(0);
    }
  }
  template <std::floating_point T>
  static void backward(const np::Call<T>& call) {
    surrogate(call);
  }
};
struct QuantiseOpen : Quantise {  // not at the ends of the range
  template <std::floating_point T>
  static void backward(const np::Call<T>& call) {
    for (int64_t i = 0; i < call.input(0).count(); ++i) {
      const T x = call.input(0)[i];
      call.grad_input(0)[i] = x > -1 && x < 1 ? call.grad_output(0)[i] : T(0);
    }
  }
};
struct QuantiseSlightlyOff : Quantise {
  template <std::floating_point T>
  static void backward(const np::Call<T>& call) {
    surrogate(call);
    call.grad_input(0)[0] *= T(1) + T(1e-5);
  }
};

TEST(ThirdVersion, AGradientThatIsNoDerivativeIsJudgedByWhatIsDeclared) {
  EXPECT_THAT(alarms_in(declared<Quantise>()), IsEmpty());
  EXPECT_THAT(foreign::checks_run(declared<Quantise>()), Contains("surrogate"));
  EXPECT_THAT(alarms_in(declared<QuantiseOpen>()), ElementsAre("surrogate FAIL"));
  EXPECT_THAT(alarms_in(declared<QuantiseSlightlyOff>()), Contains("surrogate FAIL"));
  notape_operator2 undeclared = declared<Quantise>();
  undeclared.surrogate = nullptr;
  EXPECT_THAT(alarms_in(undeclared), Contains(HasSubstr("FAIL")));
}

/// A sum whose order changes from call to call, as that of atomic adds.
struct Shuffled {
  static inline double error = 0;
  static np::About about() {
    return np::About("shuffled").ways(2).real("x", -2, 2).atomic_adds(100);
  }
  static void shape(np::Case& one) {
    one.input(0) = {60 + 30 * one.way()};
    one.output(0) = {};
  }
  template <typename T>
  static void forward(const np::Call<T>& call) {
    static std::atomic<int64_t> calls = 0;
    const int64_t count = call.input(0).count(), first = 7 * ++calls;
    T sum(0);
    for (int64_t i = 0; i < count; ++i) {
      const T x = call.input(0)[(first + 11 * i) % count];
      sum += x * x * x;
    }
    call.output(0)[0] = sum + T(calls % 3 == 0 ? error : 0);
  }
  template <typename T>
  static void backward(const np::Call<T>& call) {
    for (int64_t i = 0; i < call.input(0).count(); ++i)
      call.grad_input(0)[i] = 3 * call.input(0)[i] * call.input(0)[i] * call.grad_output(0)[0];
  }
};

TEST(ThirdVersion, AtomicAddsMayDifferByWhatAnotherOrderExplainsAndNoMore) {
  notape_operator2 atomic = declared<Shuffled>();
  atomic.reference = nullptr, atomic.reference_jvp = nullptr;  // they are shuffled, too
  EXPECT_THAT(alarms_in(atomic), IsEmpty());
  notape_operator2 undeclared = atomic;
  undeclared.atomic_terms = 0;
  EXPECT_THAT(alarms_in(undeclared), Contains(HasSubstr("NONDETERMINISTIC")));
  Shuffled::error = 1e-6;
  EXPECT_THAT(alarms_in(atomic), Contains("repeat NONDETERMINISTIC"));
  Shuffled::error = 0;
}

/// y = x^2, whose backward counts in 16 bits.
template <int64_t Mask>
struct Wraps {
  static np::About about() { return np::About("wraps").ways(4).real("x", -3, 3); }
  static void shape(np::Case& one) { one.input(0) = one.output(0) = {2 + 3 * one.way()}; }
  template <typename T>
  static void forward(const np::Call<T>& call) {
    for (int64_t i = 0; i < call.input(0).count(); ++i)
      call.output(0)[i] = call.input(0)[i] * call.input(0)[i];
  }
  template <typename T>
  static void backward(const np::Call<T>& call) {
    for (int64_t i = 0; i < call.input(0).count(); ++i)
      call.grad_input(0)[i] = 2 * call.input(0)[i & Mask] * call.grad_output(0)[i];
  }
};
/// Forward does, and backward is its slope.
struct WrapsInForward : Wraps<-1> {
  template <typename T>
  static void forward(const np::Call<T>& call) {
    for (int64_t i = 0; i < call.input(0).count(); ++i)
      call.output(0)[i] = call.input(0)[i & 0x7fff] * call.input(0)[i];
  }
};
/// Is for a handful of entries only, and says so.
struct Fixed : Wraps<0x7fff> {
  static np::About about() { return Wraps::about().fixed_sizes(); }
};

TEST(ThirdVersion, OffsetsThatWrapAreFoundAtSizesThatNobodyDeclared) {
  EXPECT_THAT(alarms_in(declared<Wraps<-1>>()), IsEmpty());
  EXPECT_THAT(alarms_in(declared<Wraps<0x7fff>>()), ElementsAre("long FAIL"));
  EXPECT_THAT(alarms_in(declared<Wraps<0xffff>>()), ElementsAre("long FAIL"));
  EXPECT_THAT(alarms_in(declared<WrapsInForward>()), ElementsAre("long FAIL"));
  EXPECT_THAT(alarms_in(declared<Fixed>()), IsEmpty());
}

}  // namespace
}  // namespace notape::verify
