// Inputs that do not require grad beside a reference: it is written for all inputs, and gets them.
#include "ops/spec/plain.h"
#include "verify/functions/gradcheck_test_helper.h"

namespace notape::verify {
namespace {

const Tensor& scale() {
  static const Tensor constant = tensor({1.5, -0.25, 0.75}, dtype(kFloat64));
  return constant;
}
Tensor scaled_swish(const Tensor& s, const Tensor& x) { return s * x * sigmoid(x); }
constexpr auto formula = []<typename T>(T s, T x) { return s * x / (T(1) + math::exp(-x)); };

TEST(Constants, AReferenceGetsThemInTheirPlaces) {
  for (const ScalarType type : {kFloat64, kFloat32}) {
    const Tensor x = x23().detach().to(type).requires_grad_(true);
    const Report report =
        check(scaled_swish, {scale(), x}, {.reference = elementwise_reference(formula)});
    EXPECT_TRUE(report.ok()) << report.text();
    EXPECT_EQ(report.only("value").verdict(), Verdict::Pass) << report.text();
  }
}

TEST(Constants, AValueThatIsWrongBesideOneIsFound) {
  const Report report =
      check([](const Tensor& s, const Tensor& x) { return (s + 1e-9) * x * sigmoid(x); },
            {scale(), x23()}, {.reference = elementwise_reference(formula)});
  EXPECT_EQ(report.only("value").verdict(), Verdict::Fail) << report.text();
}

TEST(Constants, WholeNumbersAndAReferenceFor113BitsAloneGoTogether) {
  const Tensor index = tensor({2.0, 0.0}, dtype(kFloat64)).to(kInt64);
  const Report report = check(
      [](const variable_list& x) { return variable_list{exp(x[1].index_select(0, x[0]))}; },
      {index, leaf({0.3, -1.2, 0.7}, {3})}, {.reference = [](const WideList& x) {
        WideTensor result({2});
        for (std::size_t i = 0; i < 2; ++i)
          result.values[i] = math::exp(x.at(1).values[static_cast<std::size_t>(x.at(0).values[i])]);
        return result;
      }});
  EXPECT_TRUE(report.ok()) << report.text();
  EXPECT_EQ(report.only("value").verdict(), Verdict::Pass) << report.text();
}

}  // namespace
}  // namespace notape::verify
