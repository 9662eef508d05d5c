// Every operator of the registry in float16 and bfloat16: its result and gradients are those of
// float32 but for rounding, and a single kernel rounds once, so that its result is float32's,
// rounded.
#include <gtest/gtest.h>

#include <set>

#include "ops/ops.h"
#include "ops/spec/testing/drawn_row.h"

namespace notape::testing {
namespace {

/// Put together from several operators, each of which rounds.
const std::set<std::string_view> kComposed = {
    "cross_entropy", "matmul", "nll_loss", "mean", "var_mean", "lerp", "mse_loss",
    // linalg
    "bilinear", "einsum", "linalg_cross", "scaled_dot_product_attention", "tensordot",
    // random
    "alpha_dropout", "feature_alpha_dropout", "normal", "rrelu",
    // recurrent
    "gru", "gru_cell", "lstm", "lstm_cell", "rnn_relu", "rnn_relu_cell", "rnn_tanh",
    "rnn_tanh_cell"};

/// Decompositions, which LAPACK has no 16 bits for: a DtypeError.
const std::set<std::string_view> kRefused = {
    "cofactors",
    "linalg_cholesky",
    "linalg_det",
    "linalg_eigh",
    "linalg_inv",
    "linalg_qr",
    "linalg_slogdet",
    "linalg_solve",
    "linalg_svd",
    "logdet",
    "linalg_solve_triangular",
};

variable_list arguments_in(ScalarType type, const variable_list& arguments) {
  variable_list result;
  for (const Tensor& argument : arguments)
    result.push_back(argument.is_floating_point()
                         ? argument.to(type).detach().clone().requires_grad_()
                         : argument);
  return result;
}

/// The largest of |a - b| less what rounding a result of that size may cost, in its units.
double roundings_between(const Tensor& exact, const Tensor& rounded, ScalarType type) {
  const double unit = std::ldexp(1.0, -element_type(type).digits);
  const double smallest = std::ldexp(1.0, element_type(type).lowest_exponent);
  const Tensor want = exact.detach().to(kFloat64).reshape({-1});
  const Tensor got = rounded.detach().to(kFloat64).reshape({-1});
  double most = 0;
  const double largest = want.numel() > 0 ? want.abs().max().item() : 0;
  for (int64_t i = 0; i < want.numel(); ++i) {
    const double a = want[i].item(), b = got[i].item();
    if (!std::isfinite(a) || std::abs(a) > 60000) continue;
    most = std::max(most, std::abs(a - b) / (unit * largest + smallest));
  }
  return most;
}

struct EveryRowIn16Bits : ::testing::TestWithParam<ScalarType> {};

TEST_P(EveryRowIn16Bits, IsFloat32Rounded) {
  const ScalarType type = GetParam();
  int64_t compared = 0;
  for (const OpSpec* row : op_specs()) {
    const OpSpec& spec = *row;
    if (!spec.float32) continue;
    SCOPED_TRACE(spec.name);
    for (uint64_t seed = 0; seed < 8; ++seed) {
      DrawOfSeed draw(seed);
      const OpCase one = spec.draw(draw);
      variable_list drawn;
      for (const Argument& argument : one.arguments) {
        const Tensor values = draw_argument(argument, draw);
        drawn.push_back(values.is_floating_point() ? values.to(type) : values);
      }
      const variable_list narrow = arguments_in(type, drawn), wide = arguments_in(kFloat32, drawn);
      if (kRefused.contains(spec.name)) {
        EXPECT_THROW(one.call(narrow), DtypeError) << one.label;
        ++compared;
        continue;
      }
      manual_seed(3);
      const Tensor y = one.call(narrow);
      manual_seed(3);
      const Tensor z = one.call(wide);
      ASSERT_EQ(y.sizes(), z.sizes());
      if (!z.is_floating_point()) continue;
      ASSERT_EQ(y.dtype(), type) << one.label;
      ++compared;
      if (!kComposed.contains(spec.name)) {
        EXPECT_TRUE(equal(y.detach(), z.detach().to(type)) || roundings_between(z, y, type) <= 1)
            << one.label << "\n"
            << y << "\nand in float32\n"
            << z;
      }
      if (!z.requires_grad()) continue;
      const Tensor incoming = (rand(y.sizes(), kFloat64) + 0.5).to(type);
      y.backward(incoming);
      z.backward(incoming.to(kFloat32));
      for (std::size_t i = 0; i < narrow.size(); ++i) {
        if (!narrow[i].is_floating_point() || !wide[i].grad().defined()) continue;
        ASSERT_TRUE(narrow[i].grad().defined());
        ASSERT_EQ(narrow[i].grad().dtype(), type);
        // (Steps of a layer add up terms that cancel, each rounded once.)
        EXPECT_LE(roundings_between(wide[i].grad(), narrow[i].grad(), type),
                  spec.family == std::string_view("recurrent") ? 256 : 64)
            << one.label << ", argument " << i << "\n"
            << narrow[i].grad() << "\nand in float32\n"
            << wide[i].grad();
      }
    }
  }
  EXPECT_GT(compared, 400);
}

INSTANTIATE_TEST_SUITE_P(Types, EveryRowIn16Bits, ::testing::Values(kHalf, kBFloat16));

}  // namespace
}  // namespace notape::testing
