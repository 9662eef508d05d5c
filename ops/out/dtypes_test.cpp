// Which dtypes of out each form takes: what PyTorch 2.15 took of the same calls, on the CPU.
#include <map>
#include <sstream>

#include "autograd/testing/expect.h"
#include "ops/out/testing/forms.h"

namespace notape::testing {
namespace {

/// What all other forms take: results are converted.
constexpr const char* kConverted = "float64 float32 bfloat16";
/// Dtypes of out, and the forms of float64 arguments (or int64 and bool ones, where they take no
/// others) that take these and no others. "sort:1" is the second out of sort_out; a name stands as
/// often as it has forms.
constexpr std::pair<const char*, const char*> kTaken[] = {
    {"float64",
     "abs adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool2d addmm addmv amax "
     "amin aminmax aminmax:1 avg_pool2d avg_pool3d baddbmm binary_cross_entropy bmm ceil "
     "clamp_max clamp_min clamp clip col2im cummax cummin cumprod cumsum diag dot elu "
     "floor frac gather gelu hardshrink hardsigmoid hardswish hardtanh im2col index_add "
     "index_copy index index_select inner inverse leaky_relu lerp linalg_cholesky "
     "linalg_cross linalg_det linalg_eigh linalg_eigh:1 linalg_eigvalsh linalg_inv "
     "linalg_qr linalg_qr:1 linalg_slogdet linalg_slogdet:1 linalg_solve "
     "linalg_solve_triangular linalg_svd linalg_svd:1 linalg_svd:2 linalg_svdvals "
     "linalg_vector_norm linear log_sigmoid log_softmax logcumsumexp masked_select matmul "
     "max max_pool2d_with_indices max_pool3d_with_indices max_unpool2d mean mean median "
     "min mish mm mv nan_to_num neg nll_loss norm norm prod quantile quantile reflection_pad1d "
     "reflection_pad2d reflection_pad3d replication_pad1d replication_pad2d "
     "replication_pad3d round round scatter_add scatter scatter scatter scatter "
     "scatter_reduce sign silu slogdet slogdet:1 soft_margin_loss softmax softplus "
     "softshrink sort sort sum take_along_dim take tensordot topk tril triu trunc "
     "upsample_bicubic2d upsample_bilinear2d upsample_linear1d upsample_nearest1d "
     "upsample_nearest2d where"},
    {kConverted, "clamp_max clamp_min clamp clip lerp max max min min"},
    {"int64",
     "adaptive_max_pool2d:1 argmax argmin argsort bitwise_not cummax:1 cummin:1 max:1 "
     "max_pool2d_with_indices:1 max_pool3d_with_indices:1 median:1 min:1 multinomial "
     "nonzero sort:1 sort:1 topk:1"},
    {"uint8 bool", "all any"},
    {"float64 float32 bfloat16 int64 int32 int16 int8 uint8",
     "arange arange bitwise_and bitwise_and bitwise_or bitwise_or bitwise_xor bitwise_xor "
     "linspace randint randint randperm"},
    {"float64 float32 bfloat16 int64 int32 int16 int8 uint8 bool",
     "bernoulli eq eq eye eye full ge ge gt gt le le logical_and logical_not logical_or "
     "logical_xor lt lt ne ne ones zeros"},
    {"int32", "bucketize searchsorted searchsorted"},
    {"bool", "isin isin isin signbit"},
};

/// Of the dtypes that there are, those in which an out of the right shape is taken.
std::string taken_by(const OutForm& form, const variable_list& expected, std::size_t k) {
  std::string names;
  for (const ScalarType type :
       {kFloat64, kFloat32, kBFloat16, kInt64, kInt32, kInt16, kInt8, kUInt8, kBool}) {
    variable_list outs;
    for (const Tensor& one : expected) outs.push_back(zeros_like(one));
    outs[k] = outs[k].to(type);
    const Unchanged unchanged(outs);
    try {
      form.into(outs);
      names += (names.empty() ? "" : " ") + std::string(name_of(type));
    } catch (const Error&) {
      unchanged.check();
    }
  }
  return names;
}

TEST(OutDtypes, AreThoseOfLibTorch) {
  std::multimap<std::string, std::string> wanted, found;
  for (const auto& [dtypes, names] : kTaken) {
    std::istringstream words(names);
    for (std::string name; words >> name;) wanted.emplace(name, dtypes);
  }
  for (const OutForm& form : out_forms()) {
    const variable_list expected = form.results();
    const std::string name = form.name.substr(0, form.name.size() - 4);
    for (std::size_t k = 0; k < expected.size(); ++k)
      found.emplace(k == 0 ? name : name + ":" + std::to_string(k), taken_by(form, expected, k));
  }
  const auto named = wanted;
  for (const auto& [name, dtypes] : found)
    if (!named.contains(name)) wanted.emplace(name, kConverted);
  const auto sorted = [](const std::multimap<std::string, std::string>& map) {
    std::vector<std::string> all;
    for (const auto& [name, dtypes] : map) all.push_back(name + " takes " + dtypes);
    std::sort(all.begin(), all.end());
    return all;
  };
  EXPECT_EQ(sorted(found), sorted(wanted));
}

TEST(OutDtypes, AreConvertedTo) {
  const Tensor a = tensor({0.25f, 1.5f, 3.75f});
  Tensor wide = zeros({3}, kFloat64), narrow = zeros({3}, kBFloat16), whole = zeros({3}, kInt32);
  exp_out(wide, a);
  EXPECT_TRUE(equal(wide, a.exp().to(kFloat64)));
  exp_out(narrow, a);
  EXPECT_TRUE(equal(narrow, a.exp().to(kBFloat16)));
  gt_out(whole, a, 1);
  expect_values(whole, {0, 1, 1});
  Tensor byte = zeros({}, kUInt8);
  all_out(byte, a > 0);
  EXPECT_EQ(byte.item(), 1);
}

// Numbers of PyTorch 2.15.
TEST(OutDtypes, SumsAreTakenInOutsOwn) {
  const Tensor a = tensor({{0.3f, 0.9f, 1.5f}, {2.1f, 2.7f, 3.3f}});
  Tensor whole = zeros({3}, kInt64), running = zeros({2, 3}, kInt64);
  sum_out(whole, a, 0);
  expect_values(whole, {2, 2, 4});  // of 0.3 and so on, cut off
  prod_out(whole, a, 0);
  expect_values(whole, {0, 0, 3});
  cumsum_out(running, a, 1);
  expect_values(running, {0, 0, 1, 2, 4, 7});
  Tensor one = zeros({}, kFloat64), narrow = zeros({}, kFloat32);
  mean_out(one, tensor({1e8f, 1.f, 0.f, 0.f}), 0);
  expect_values(one, {25000000.25});
  sum_out(narrow, tensor({1, 2, 3}), 0);
  expect_values(narrow, {6});
  expect_error<DtypeError>("Expected out tensor to have dtype float32, but got float64", [&] {
    sum_out(one, a, {0, 1}, false, kFloat32);
  });
  expect_error<DtypeError>("", [&] { mean_out(one, tensor({1, 2}), 0); });
  Tensor count = zeros({}, kInt64);
  expect_error<DtypeError>("can't be cast", [&] { mean_out(count, a); });
}

TEST(OutDtypes, OfFactoriesAreOuts) {
  Tensor whole = zeros({0}, kInt64);
  linspace_out(whole, 0, 7, 4);
  expect_values(whole, {0, 2, 4, 7});
  Tensor bytes = zeros({0}, kUInt8);
  full_out(bytes, {2}, 5);
  expect_values(bytes, {5, 5});
  Tensor sized = zeros({5}, kFloat32);
  empty_out(sized, {2, 2});
  EXPECT_EQ(sized.sizes(), IntArrayRef({2, 2}));
  Tensor leaf = zeros({5}, kFloat32).set_requires_grad(true), none;
  expect_error<ResizeRequiresGrad>("cannot resize", [&] { empty_out(leaf, {2}); });
  expect_error<UndefinedTensor>("empty_out", [&] { empty_out(none, {2}); });
}

}  // namespace
}  // namespace notape::testing
