// What a user's function does to memory that is not its own, and to its arguments' hooks; channels
// last that goes wrong with one value of a parameter; derivatives of which nothing is decided.
#include <gmock/gmock.h>

#include "autograd/function.h"
#include "verify/mutate/mutant_test_helper.h"
#include "verify/report/table.h"

namespace notape::verify {
namespace {

using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// y = x x, by a loop of its own that goes `Past` entries too far in one way or another.
enum class Fault : uint8_t { None, Writes, Reads, LeavesOut };
template <Fault kFault>
struct OwnLoop : autograd::Function<OwnLoop<kFault>> {
  static Tensor forward(autograd::AutogradContext* ctx, const Tensor& given) {
    const Tensor x = given.contiguous(), y = empty_like(x);
    ctx->save_for_backward({x});
    visit_type(x.dtype(), [&]<typename T>() {
      const T* from = x.const_data_ptr<T>();
      T* to = y.mutable_data_ptr<T>();
      const int64_t count = x.numel();
      for (int64_t i = kFault == Fault::LeavesOut && count > 1; i < count; ++i)
        to[i] = static_cast<T>(from[i] * from[i]);
      if (kFault == Fault::Writes && count > 2) to[count] = static_cast<T>(7);
      if (kFault == Fault::Reads && count > 2)
        to[0] = static_cast<T>(to[0] + from[count] - from[count]);
    });
    return y;
  }
  static variable_list backward(autograd::AutogradContext* ctx, variable_list grads) {
    return {2 * ctx->get_saved_variables()[0] * grads[0]};
  }
};

template <typename F>
std::vector<std::string> alarms_of(const F& f, std::vector<int64_t> sizes = {3, 2}) {
  const OpSpec spec{.name = "mine", .family = "mine", .draw = [=](Draw& draw) {
                      OpCase one;
                      one.arguments = {{.sizes = sizes}};
                      const int64_t parameter = draw.integer(0, 3);
                      one.call = [=](const variable_list& x) { return f(x[0], parameter); };
                      return one;
                    }};
  OpSpec once = spec;
  once.order = 1;
  once.forward_mode = false;
  return alarms(verify_operator(once, {.dtypes = {kFloat64}, .samples = 12}));
}

template <Fault kFault>
std::vector<std::string> alarms_with() {
  return alarms_of([](const Tensor& x, int64_t) { return OwnLoop<kFault>::apply(x); });
}

TEST(Bounds, OneEntryTooFarIsFoundInTensorsThatAFunctionMakes) {
  EXPECT_THAT(alarms_with<Fault::None>(), IsEmpty());
  EXPECT_THAT(alarms_with<Fault::Writes>(), ElementsAre("bounds FAIL"));
  EXPECT_THAT(alarms_with<Fault::Reads>(), Contains("bounds FAIL"));
  // Equal calls may differ before anybody asks for bounds.
  EXPECT_THAT(alarms_with<Fault::LeavesOut>(),
              AnyOf(Contains("bounds FAIL"), Contains("inputs NONDETERMINISTIC")));
}

TEST(Bounds, AHookThatACallLeavesOnItsArgumentIsSeen) {
  const auto hooked = [](const Tensor& x, int64_t) {
    if (x.requires_grad() && GradMode::is_enabled())
      x.register_hook([](const Tensor& grad) { return grad; });
    return OwnLoop<Fault::None>::apply(x);
  };
  EXPECT_THAT(alarms_of(hooked), ElementsAre("inputs FAIL"));
}

/// y = x x with a gradient that is wrong for NCHW whose channels are innermost, with padding 2.
struct Padded : autograd::Function<Padded> {
  static Tensor forward(autograd::AutogradContext* ctx, const Tensor& x, int64_t padding) {
    ctx->save_for_backward({x});
    ctx->saved_data["padding"] = padding;
    return x * x;
  }
  static variable_list backward(autograd::AutogradContext* ctx, variable_list grads) {
    const Tensor x = ctx->get_saved_variables()[0];
    const bool is_last = x.stride(1) == 1 && x.stride(3) == x.size(1) && x.size(1) > 1;
    const bool wrong = is_last && ctx->saved_data["padding"].toInt() == 2;
    return {(wrong ? 3 : 2) * x * grads[0], Tensor()};
  }
};

TEST(Bounds, ALayoutThatIsWrongWithOneValueOfAParameterIsFoundWithAFormulaToo) {
  const auto padded = [](const Tensor& x, int64_t padding) { return Padded::apply(x, padding); };
  EXPECT_THAT(alarms_of(padded, {2, 3, 2, 2}), Contains("layouts FAIL"));
  OpSpec with_formula{.name = "mine", .family = "mine", .draw = [=](Draw& draw) {
                        OpCase one;
                        one.arguments = {{.sizes = {2, 3, 2, 2}}};
                        const int64_t padding = draw.integer(0, 3);
                        one.call = [=](const variable_list& x) { return padded(x[0], padding); };
                        one.reference =
                            elementwise_reference([]<typename T>(T x) { return x * x; });
                        return one;
                      }};
  with_formula.order = 1;
  with_formula.forward_mode = false;
  EXPECT_THAT(alarms(verify_operator(with_formula, {.dtypes = {kFloat64}, .samples = 12})),
              Contains("layouts FAIL"));
}

/// Of rounding no slope is ever seen.
struct Rounds : autograd::Function<Rounds> {
  static Tensor forward(autograd::AutogradContext*, const Tensor& x) { return 1e-30 * x + 1; }
  static variable_list backward(autograd::AutogradContext*, variable_list grads) {
    return {grads[0] * 1e-30};
  }
};

TEST(Bounds, ADerivativeOfWhichNothingIsDecidedIsLoud) {
  OpSpec spec{.name = "mine", .family = "mine", .draw = [](Draw&) {
                OpCase one;
                one.arguments = {{.sizes = {4}}};
                one.call = [](const variable_list& x) { return Rounds::apply(x[0]); };
                return one;
              }};
  spec.order = 1;
  spec.forward_mode = false;
  const auto certificates = verify_operator(spec, {.dtypes = {kFloat64}, .samples = 4});
  EXPECT_THAT(alarms(certificates), IsEmpty());
  EXPECT_EQ(exit_code_of(certificates), 7);
  EXPECT_EQ(exit_code_of(certificates, {.strict = true}), 1);
  EXPECT_THAT(undecided_section(certificates),
              HasSubstr("undecided, and why\n  mine/reverse/float64/cpu: 4 of 4 entries"));
  const auto others = verify_operator(find_op_spec("tanh"), {.dtypes = {kFloat64}, .samples = 2});
  EXPECT_THAT(undecided_section(others), IsEmpty());
  EXPECT_EQ(exit_code_of(others), 0);
}

}  // namespace
}  // namespace notape::verify
