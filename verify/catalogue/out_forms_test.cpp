// The catalogue lists an out form of every operator that LibTorch has one of.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "verify/catalogue/entry.h"

namespace notape::verify::catalogue {
namespace {

/// Names in PyTorch 2.15's native_functions.yaml with an overload that writes into given tensors,
/// and how many such forms there are here, if not one. Without those whose function is not here
/// either: with an out_dtype (addmm, baddbmm, bmm, mm), a generator (rand, randint, randn,
/// randperm), bounds that are tensors (linspace), two numbers (normal). all_out and any_out are one
/// for three.
constexpr const char* kForms =
    "abs acos acosh adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool2d add addcdiv "
    "addcmul addmm addmv all amax amin aminmax any arange:2 argmax argmin argsort asin asinh "
    "atan atan2 atanh avg_pool2d avg_pool3d baddbmm bernoulli binary_cross_entropy "
    "bitwise_and:2 bitwise_not bitwise_or:2 bitwise_xor:2 bmm bucketize cat ceil clamp:2 "
    "clamp_max:2 clamp_min:2 clip:2 col2im copysign:2 cos cosh cummax cummin cumprod cumsum "
    "diag digamma div:2 dot elu empty eq:2 erf erfc erfinv exp exp2 expm1 eye:2 floor floor_divide "
    "fmax fmin fmod:2 frac full gather ge:2 gelu glu gt:2 hardshrink hardsigmoid hardswish "
    "hardtanh huber_loss hypot im2col index index_add index_copy index_select inner inverse "
    "isin:3 kron le:2 leaky_relu lerp:2 lgamma linalg_cholesky linalg_cross linalg_det linalg_eigh "
    "linalg_eigvalsh linalg_inv linalg_qr linalg_slogdet linalg_solve linalg_solve_triangular "
    "linalg_svd linalg_svdvals linalg_vector_norm linear linspace log log10 log1p log2 "
    "log_sigmoid log_softmax logaddexp logaddexp2 logcumsumexp logical_and logical_not "
    "logical_or logical_xor logit logsumexp lt:2 masked_select matmul max:3 "
    "max_pool2d_with_indices max_pool3d_with_indices max_unpool2d maximum mean:2 median min:3 "
    "minimum mish mm mse_loss mul multinomial mv nan_to_num ne:2 neg nll_loss nonzero norm:2 "
    "normal:3 ones outer polygamma pow:3 prod quantile:2 rand randint:2 randn randperm reciprocal "
    "reflection_pad1d "
    "reflection_pad2d reflection_pad3d remainder:2 replication_pad1d replication_pad2d "
    "replication_pad3d round:2 rsqrt scatter:4 scatter_add scatter_reduce searchsorted:2 "
    "sigmoid sign signbit silu sin sinc sinh slogdet smooth_l1_loss soft_margin_loss softmax "
    "softplus softshrink sort:2 special_erfcx sqrt square stack std:2 sub sum take take_along_dim "
    "tan tanh "
    "tensordot threshold topk tril triu trunc upsample_bicubic2d upsample_bilinear2d "
    "upsample_linear1d upsample_nearest1d upsample_nearest2d var:2 where xlogy:3 zeros";

/// Others that PyTorch 2.15 has one of: whoever adds such a function adds its out form.
constexpr const char* kLater =
    "absolute adaptive_max_pool3d addbmm addr angle arccos arccosh arcsin arcsinh arctan arctan2 "
    "arctanh bitwise_left_shift bitwise_right_shift chain_matmul cholesky_inverse cholesky_solve "
    "column_stack complex concat concatenate conj_physical cross deg2rad diff divide dstack fix "
    "float_power fractional_max_pool2d fractional_max_pool3d frexp frobenius_norm gcd geqrf ger "
    "greater greater_equal heaviside histc histogram hspmm hstack i0 igamma igammac index_reduce "
    "isneginf isposinf kthvalue lcm ldexp less less_equal logspace lu_solve lu_unpack "
    "matrix_power max_unpool3d mode msort multi_margin_loss multilabel_margin_loss multiply "
    "mvlgamma nanmean nanmedian nanquantile nansum negative nextafter nll_loss2d not_equal "
    "nuclear_norm orgqr ormqr polar rad2deg range renorm row_stack sgn special_bessel_j0 "
    "special_bessel_j1 special_bessel_y0 special_bessel_y1 special_entr special_erf special_erfc "
    "special_erfinv special_exp2 special_expit special_expm1 special_gammainc special_gammaincc "
    "special_gammaln special_i0 special_i0e special_i1 special_i1e special_log1p special_log_ndtr "
    "special_logit special_logsumexp special_ndtr special_ndtri special_polygamma special_psi "
    "special_sinc special_xlog1py special_xlogy special_zeta subtract svd triangular_solve "
    "true_divide upsample_nearest3d upsample_trilinear3d vdot vstack";

TEST(OutForms, AreThereWhereLibTorchHasThem) {
  std::map<std::string, std::size_t> wanted, found;
  std::istringstream words(kForms);
  for (std::string word; words >> word;) {
    const std::size_t colon = word.find(':');
    wanted[word.substr(0, colon)] = colon == word.npos ? 1 : std::stoul(word.substr(colon + 1));
  }
  std::istringstream later(kLater);
  for (std::string word; later >> word;)
    for (const Entry& entry : entries())
      if (entry.name == word) wanted[word] = 1;
  for (const Entry& entry : entries())
    if (!entry.out.empty()) found[entry.name] = entry.out.size();
  EXPECT_EQ(found, wanted);
}

TEST(OutForms, BelongToTheirFunctions) {
  const Entry& max = find_entry("max_out");
  EXPECT_EQ(max.name, "max");
  EXPECT_EQ(max.family, "reduce");
  EXPECT_EQ(max.file, "ops/reduce/max.cpp");
  EXPECT_THAT(max.out, ::testing::Contains(::testing::HasSubstr("Tensor& max_values")));
  EXPECT_THAT(max.doc, ::testing::Not(::testing::HasSubstr("exactly")));
  EXPECT_EQ(find_entry("zeros_out").family, "factories");
}

}  // namespace
}  // namespace notape::verify::catalogue
