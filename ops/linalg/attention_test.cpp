// scaled_dot_product_attention: numbers from PyTorch 2.15.
#include "ops/linalg/testing/second_source.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

using X = const variable_list&;
const std::vector<PatternInput> kInputs = {{{2, 2}, 5}, {{3, 2}, 7}, {{3, 2}, 3}};

TEST(Attention, HasLibTorchsValuesAndGradients) {
  expect_as_libtorch(
      [](X x) -> TensorList { return {scaled_dot_product_attention(x[0], x[1], x[2])}; }, kInputs,
      {{-0.347509568418, 0.402490431582, -0.325476973479, 0.424523026521}},
      {{-0.068977031284, -0.068977031284, -0.043491862484, -0.043491862484},
       {0.857016319688, -0.446576437035, -1.956977120597, 1.212552861688, 1.099960800909,
        -0.765976424653},
       {1.425352867078, 2.093964110739, 1.325555025358, 1.988332538037, 1.249092107563,
        1.917703351224}});
  expect_as_libtorch(
      [](X x) -> TensorList {
        return {scaled_dot_product_attention(x[0], x[1], x[2], {}, 0, true, 0.5)};
      },
      kInputs, {{-0.75, 0, -0.035130523404, 0.714869476596}},
      {{0, 0, 0.327405077023, 0.327405077023},
       {1.309620308092, -0.327405077023, -1.309620308092, 0.327405077023, 0, 0},
       {2.570261046809, 4.093681395745, 1.429738953191, 1.906318604255, 0, 0}});
  expect_as_libtorch(
      [](X x) -> TensorList { return {scaled_dot_product_attention(x[0], x[1], x[2], x[3])}; },
      {{{2, 2}, 5}, {{3, 2}, 7}, {{3, 2}, 3}, {{2, 3}, 4}},
      {{-0.586396905278, 0.163603094722, -0.511941204358, 0.238058795642}},
      {{-0.147501446729, -0.147501446729, -0.345744622447, -0.345744622447},
       {0.136536685417, -0.05782045288, -1.803553307352, 1.051391315124, 1.667016621935,
        -0.993570862244},
       {0.404337028156, 0.587648975238, 1.015254414062, 1.504302358973, 2.580408557782,
        3.908048665789},
       {-0.035730624615, 0.905855434965, -0.87012481035, -0.184159376124, 2.324145688978,
        -2.139986312854}});
  expect_as_libtorch(
      [](X x) -> TensorList {
        return {scaled_dot_product_attention(x[0], x[1], x[2], {}, 0, false, {}, true)};
      },
      {{{2, 1, 2}, 5}, {{1, 2, 2}, 7}, {{1, 2, 1}, 3}}, {{-0.350177128204, -0.399822871796}},
      {{0.033000396536, 0.033000396536, 0.066000793073, 0.066000793073},
       {0.297003568826, -0.198002379218, -0.297003568826, 0.198002379218},
       {1.533097162394, 1.466902837606}});
}

TEST(Attention, OfARowWithoutAnythingIsZero) {
  const Tensor mask = tensor({{true, false, true}, {false, false, false}});
  const auto call = [&](X x) -> TensorList {
    return {scaled_dot_product_attention(x[0], x[1], x[2], mask)};
  };
  expect_as_libtorch(call, kInputs, {{-0.8914763868, -0.1414763868, 0, 0}},
                     {{-0.06513950546, -0.06513950546, 0, 0},
                      {-0.03256975273, 0.13027901092, 0, 0, 0.03256975273, -0.13027901092},
                      {0.434094452798, 0.868188905596, 0, 0, 0.565905547202, 1.131811094404}});
  const Tensor q = pattern({2, 2}, 5), k = pattern({3, 2}, 7), v = pattern({3, 2}, 3);
  const Tensor additive = where(mask, zeros({2, 3}, kFloat64), -kInfinity);
  expect_close(scaled_dot_product_attention(q, k, v, additive), values(call({q, k, v})[0]));
  expect_values(scaled_dot_product_attention(q, zeros({0, 2}, kFloat64), zeros({0, 2}, kFloat64)),
                {0, 0, 0, 0});
}

TEST(Attention, DropsWeights) {
  manual_seed(3);
  const Tensor q = pattern({2, 2}, 5), k = pattern({3, 2}, 7), v = ones({3, 1}, kFloat64);
  expect_values(scaled_dot_product_attention(q, k, v, {}, 1), {0, 0});
  const Tensor often = scaled_dot_product_attention(q.expand({2000, 2, 2}), k, v, {}, 0.5);
  EXPECT_NEAR(often.mean().item(), 1, 0.05);
}

TEST(Attention, RefusesWhatDoesNotFit) {
  const Tensor q = zeros({2, 2}), k = zeros({3, 2});
  const Tensor mask = ones({2, 3}, kBool);
  const auto with = [&](const Tensor& query, const Tensor& key, const Tensor& value,
                        const Tensor& attn_mask = {}, double p = 0, bool causal = false) {
    return [=] { scaled_dot_product_attention(query, key, value, attn_mask, p, causal); };
  };
  expect_error<ValueError>(
      "scaled_dot_product_attention: explicit attn_mask should not be set when is_causal=True",
      with(q, k, k, mask, 0, true));
  expect_error<ValueError>("dropout probability has to be between 0 and 1", with(q, k, k, {}, 1.5));
  expect_error<DtypeError>("expected attn_mask dtype to be bool or to match query dtype",
                           with(q, k, k, ones({2, 3}, kFloat64)));
  expect_error<ShapeError>("attn_mask of size [3, 3] does not broadcast to [2, 3]",
                           with(q, k, k, ones({3, 3}, kBool)));
  expect_error<ShapeError>("at least 2 dimensional", with(zeros({2}), k, k));
  expect_error<ShapeError>("must be equal", with(q, zeros({3, 1}), k));
  expect_error<ShapeError>("must be equal", with(q, k, zeros({4, 2})));
  expect_error<DtypeError>("expected scalar type Float but found Double",
                           with(q, k.to(kFloat64), k));
  expect_error<DtypeError>("expected floating operands",
                           with(tensor({{1}}), tensor({{1}}), tensor({{1}})));
  expect_error<UndefinedTensor>("", with(q, k, Tensor()));
}

}  // namespace
}  // namespace notape::testing
