// Autocast: which type each operator computes in, and gradients through the casts.
#include <gtest/gtest.h>

#include <functional>

#include "autograd/autograd.h"
#include "autograd/tensor/autocast_mode.h"
#include "ops/ops.h"

namespace notape {
namespace {

using F = std::function<Tensor(const Tensor&)>;

struct OfList {
  const char* name;
  F call;  // of a (4, 4) tensor of numbers between 0.1 and 0.9
};

Tensor numbers(ScalarType type, const std::vector<int64_t>& sizes = {4, 4}) {
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  return linspace(0.1, 0.9, count, kFloat64).reshape(sizes).to(type);
}
Tensor labels() { return tensor({0, 1, 2, 3}); }

const OfList kToLow[] = {
    {"mm", [](const Tensor& x) { return mm(x, x); }},
    {"matmul", [](const Tensor& x) { return matmul(x, x); }},
    {"bmm",
     [](const Tensor& x) {
       return bmm(x.reshape({1, 4, 4}), x.reshape({1, 4, 4}));
     }},
    {"mv", [](const Tensor& x) { return mv(x, x[0]); }},
    {"addmm", [](const Tensor& x) { return addmm(x, x, x); }},
    {"addmv", [](const Tensor& x) { return addmv(x[0], x, x[1]); }},
    {"baddbmm",
     [](const Tensor& x) {
       const Tensor b = x.reshape({1, 4, 4});
       return baddbmm(b, b, b);
     }},
    {"linear", [](const Tensor& x) { return linear(x, x, x[0]); }},
    {"einsum",
     [](const Tensor& x) {
       return einsum("ij,jk->ik", {x, x});
     }},
    {"prelu", [](const Tensor& x) { return prelu(x, x[0]); }},
    {"conv1d",
     [](const Tensor& x) {
       return conv1d(x, x.reshape({4, 4, 1}));
     }},
    {"conv2d",
     [](const Tensor& x) {
       return conv2d(x.reshape({1, 1, 4, 4}), x.reshape({4, 1, 2, 2}));
     }},
    {"conv3d",
     [](const Tensor& x) {
       return conv3d(x.reshape({1, 1, 1, 4, 4}), x.reshape({4, 1, 1, 2, 2}));
     }},
    {"conv_transpose1d",
     [](const Tensor& x) {
       return conv_transpose1d(x, x.reshape({4, 4, 1}));
     }},
    {"conv_transpose2d",
     [](const Tensor& x) {
       return conv_transpose2d(x.reshape({1, 1, 4, 4}), x.reshape({1, 4, 2, 2}));
     }},
    {"conv_transpose3d",
     [](const Tensor& x) {
       return conv_transpose3d(x.reshape({1, 1, 1, 4, 4}), x.reshape({1, 4, 1, 2, 2}));
     }},
    {"scaled_dot_product_attention",
     [](const Tensor& x) {
       const Tensor q = x.reshape({1, 1, 4, 4});
       return scaled_dot_product_attention(q, q, q);
     }},
    {"rnn_tanh_cell", [](const Tensor& x) { return rnn_tanh_cell(x, x, x, x, x[0], x[0]); }},
    {"lstm_cell",
     [](const Tensor& x) {
       const Tensor w = x.repeat({4, 1});
       return std::get<0>(lstm_cell(x, {x, x}, w, w));
     }},
    {"lstm",
     [](const Tensor& x) {
       const Tensor w = x.repeat({4, 1}), h = x[0].reshape({1, 1, 4});
       return std::get<0>(
           lstm(x.reshape({4, 1, 4}), {h, h}, {w, w}, false, 1, 0, true, false, false));
     }},
};

const OfList kToFloat32[] = {
    {"acos", [](const Tensor& x) { return acos(x); }},
    {"asin", [](const Tensor& x) { return asin(x); }},
    {"cosh", [](const Tensor& x) { return cosh(x); }},
    {"erfinv", [](const Tensor& x) { return erfinv(x); }},
    {"exp", [](const Tensor& x) { return exp(x); }},
    {"expm1", [](const Tensor& x) { return expm1(x); }},
    {"log", [](const Tensor& x) { return log(x); }},
    {"log10", [](const Tensor& x) { return log10(x); }},
    {"log2", [](const Tensor& x) { return log2(x); }},
    {"log1p", [](const Tensor& x) { return log1p(x); }},
    {"reciprocal", [](const Tensor& x) { return reciprocal(x); }},
    {"rsqrt", [](const Tensor& x) { return rsqrt(x); }},
    {"sinh", [](const Tensor& x) { return sinh(x); }},
    {"tan", [](const Tensor& x) { return tan(x); }},
    {"pow with a number", [](const Tensor& x) { return pow(x, 2.5); }},
    {"pow 2", [](const Tensor& x) { return pow(x, 2); }},
    {"pow", [](const Tensor& x) { return pow(x, x); }},
    {"pow of a number", [](const Tensor& x) { return pow(2, x); }},
    {"softplus", [](const Tensor& x) { return softplus(x); }},
    {"layer_norm", [](const Tensor& x) { return layer_norm(x, {4}, x[0], x[1]); }},
    {"rms_norm", [](const Tensor& x) { return rms_norm(x, {4}, x[0]); }},
    {"group_norm", [](const Tensor& x) { return group_norm(x, 2); }},
    {"norm", [](const Tensor& x) { return norm(x); }},
    {"linalg_vector_norm", [](const Tensor& x) { return linalg_vector_norm(x); }},
    {"cosine_similarity", [](const Tensor& x) { return cosine_similarity(x, x); }},
    {"poisson_nll_loss", [](const Tensor& x) { return poisson_nll_loss(x, x, true, false); }},
    {"cosine_embedding_loss",
     [](const Tensor& x) { return cosine_embedding_loss(x, x, ones({4})); }},
    {"nll_loss", [](const Tensor& x) { return nll_loss(x, labels()); }},
    {"cross_entropy", [](const Tensor& x) { return cross_entropy(x, labels()); }},
    {"hinge_embedding_loss", [](const Tensor& x) { return hinge_embedding_loss(x, x); }},
    {"kl_div", [](const Tensor& x) { return kl_div(x, x); }},
    {"l1_loss", [](const Tensor& x) { return l1_loss(x, x); }},
    {"smooth_l1_loss", [](const Tensor& x) { return smooth_l1_loss(x, x); }},
    {"huber_loss", [](const Tensor& x) { return huber_loss(x, x); }},
    {"mse_loss", [](const Tensor& x) { return mse_loss(x, x); }},
    {"margin_ranking_loss", [](const Tensor& x) { return margin_ranking_loss(x, x, x); }},
    {"soft_margin_loss", [](const Tensor& x) { return soft_margin_loss(x, x); }},
    {"triplet_margin_loss", [](const Tensor& x) { return triplet_margin_loss(x, x, x); }},
    {"binary_cross_entropy_with_logits",
     [](const Tensor& x) { return binary_cross_entropy_with_logits(x, x); }},
    {"cdist", [](const Tensor& x) { return cdist(x, x); }},
    {"logsumexp", [](const Tensor& x) { return logsumexp(x, 0); }},
    {"upsample_nearest1d", [](const Tensor& x) { return upsample_nearest1d(x.unsqueeze(0), 8); }},
    {"upsample_bilinear2d",
     [](const Tensor& x) {
       return upsample_bilinear2d(x.reshape({1, 1, 4, 4}), 8, false);
     }},
    {"prod", [](const Tensor& x) { return prod(x); }},
    {"prod over a dimension", [](const Tensor& x) { return prod(x, 0); }},
    {"softmax", [](const Tensor& x) { return softmax(x, 1); }},
    {"log_softmax", [](const Tensor& x) { return log_softmax(x, 1); }},
    {"cumprod", [](const Tensor& x) { return cumprod(x, 0); }},
    {"cumsum", [](const Tensor& x) { return cumsum(x, 0); }},
    {"sum", [](const Tensor& x) { return sum(x); }},
    {"sum over a dimension", [](const Tensor& x) { return sum(x, 0); }},
};

const OfList kAsTheyAre[] = {
    {"relu", [](const Tensor& x) { return relu(x); }},
    {"tanh", [](const Tensor& x) { return tanh(x); }},
    {"add", [](const Tensor& x) { return x + x; }},
    {"mean", [](const Tensor& x) { return mean(x); }},
    {"sum as bfloat16", [](const Tensor& x) { return sum(x, kBFloat16); }},
    {"softmax as bfloat16", [](const Tensor& x) { return softmax(x, 0, kBFloat16); }},
    {"exp_", [](const Tensor& x) { return x.clone().exp_(); }},
};

TEST(Autocast, ComputesProductsInTheLowType) {
  for (const OfList& one : kToLow)
    for (const ScalarType low : {kBFloat16, kFloat16}) {
      const Tensor x = numbers(kFloat32);
      EXPECT_EQ(one.call(x).dtype(), kFloat32) << one.name;
      const Tensor expected = one.call(x.to(low));
      const AutocastMode autocast(kCPU, low);
      const Tensor got = one.call(x);
      EXPECT_EQ(got.dtype(), low) << one.name;
      EXPECT_TRUE(equal(got, expected)) << one.name;
      EXPECT_EQ(one.call(numbers(kFloat64)).dtype(), kFloat64) << one.name;
      const AutocastMode none = AutocastMode::disabled(kCPU);
      EXPECT_EQ(one.call(x).dtype(), kFloat32) << one.name;
    }
}

TEST(Autocast, ComputesInFloat32WhatNeedsIt) {
  for (const OfList& one : kToFloat32)
    for (const ScalarType low : {kBFloat16, kFloat16}) {
      const Tensor x = numbers(low);
      EXPECT_EQ(one.call(x).dtype(), low) << one.name;
      const Tensor expected = one.call(x.to(kFloat32));
      const AutocastMode autocast(kCPU);
      const Tensor got = one.call(x);
      EXPECT_EQ(got.dtype(), kFloat32) << one.name;
      EXPECT_TRUE(allclose(got, expected, 1e-6, 1e-7, true)) << one.name;
      const AutocastMode none = AutocastMode::disabled(kCPU);
      EXPECT_EQ(one.call(x).dtype(), low) << one.name;
    }
}

TEST(Autocast, LeavesOtherOperatorsAlone) {
  const AutocastMode autocast(kCPU);
  for (const OfList& one : kAsTheyAre)
    EXPECT_EQ(one.call(numbers(kBFloat16)).dtype(), kBFloat16) << one.name;
  EXPECT_EQ((numbers(kFloat32) + numbers(kBFloat16)).dtype(), kFloat32);
}

TEST(Autocast, TakesTheWidestTypeOfMixedOperands) {
  const Tensor x = numbers(kFloat32), y = numbers(kBFloat16), places = zeros({4, 4}, kInt64);
  EXPECT_THROW(dot(x[0], y[0]), DtypeError);
  const AutocastMode autocast(kCPU);
  const Tensor image = x.reshape({1, 1, 4, 4}), grid = y.reshape({1, 2, 4, 2});
  for (const Tensor& result :
       {dot(x[0], y[0]), tensordot(y, x, {1}, {0}), bilinear(x, y, x.reshape({1, 4, 4})),
        grid_sampler_2d(image, grid, 0, 0, false), scatter_add(x, 0, places, y),
        index_put(x, {tensor({0})}, y[0]), cat({x, y}), stack({x, y})})
    EXPECT_EQ(result.dtype(), kFloat32);
}

TEST(Autocast, IsOfOneTypeOfDevices) {
  const AutocastMode autocast(kCUDA);
  EXPECT_EQ(mm(numbers(kFloat32), numbers(kFloat32)).dtype(), kFloat32);
  EXPECT_TRUE(autocast::is_autocast_enabled(kCUDA));
  EXPECT_FALSE(autocast::is_autocast_enabled(kCPU));
  EXPECT_EQ(autocast::get_autocast_dtype(kCUDA), kFloat16);
  EXPECT_EQ(autocast::get_autocast_dtype(kCPU), kBFloat16);
  EXPECT_THROW(AutocastMode(kCPU, kFloat64), DtypeError);
}

TEST(Autocast, IsSwitchedByLibTorchsFunctions) {
  const Tensor w = numbers(kFloat32).requires_grad_();
  autocast::set_autocast_enabled(kCPU, true);
  autocast::set_autocast_dtype(kCPU, kFloat16);
  EXPECT_EQ(autocast::increment_nesting(), 1u);
  EXPECT_EQ(mm(w, w).dtype(), kFloat16);
  EXPECT_NE(autocast::find_cast(w, kFloat16), nullptr);
  EXPECT_EQ(autocast::decrement_nesting(), 0u);
  EXPECT_EQ(autocast::find_cast(w, kFloat16), nullptr);
  autocast::set_autocast_dtype(kCPU, kBFloat16);
  autocast::set_autocast_enabled(kCPU, false);
  EXPECT_EQ(mm(w, w).dtype(), kFloat32);
  EXPECT_THROW(autocast::set_autocast_dtype(kCPU, kInt64), DtypeError);
}

/// Two layers, a loss, and its gradients.
struct TwoLayers {
  Tensor w1 = (numbers(kFloat32, {8, 4}) - 0.5).detach().requires_grad_();
  Tensor b1 = zeros({8}, requires_grad());
  Tensor w2 = (numbers(kFloat32, {4, 8}) - 0.4).detach().requires_grad_();

  Tensor loss(const Tensor& x) const {
    const Tensor hidden = relu(linear(x, w1, b1));
    return cross_entropy(linear(hidden, w2, {}), labels());
  }
  TensorList parameters() const { return {w1, b1, w2}; }
};

TEST(Autocast, GradientsFlowThroughCastsToFloat32Leaves) {
  const TwoLayers model;
  const Tensor x = numbers(kFloat32);
  Tensor loss;
  {
    const AutocastMode autocast(kCPU);
    loss = model.loss(x);
  }
  const TensorList got = autograd::grad({loss}, model.parameters());
  // The same by hand.
  const auto low = [](const Tensor& t) { return t.to(kBFloat16); };
  const Tensor hidden = relu(linear(low(x), low(model.w1), low(model.b1)));
  const Tensor scores = linear(hidden, low(model.w2), {}).to(kFloat32);
  const TensorList by_hand = autograd::grad({cross_entropy(scores, labels())}, model.parameters());
  const TensorList wide = autograd::grad({model.loss(x)}, model.parameters());
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(got[i].dtype(), kFloat32);
    EXPECT_TRUE(equal(got[i], by_hand[i])) << i;
    EXPECT_TRUE(allclose(got[i], wide[i], 2e-2, 2e-3)) << i;
    EXPECT_FALSE(equal(got[i], wide[i])) << i;
  }
}

TEST(Autocast, CastsAWeightOnceInAScope) {
  const Tensor w = numbers(kFloat32).requires_grad_(), x = numbers(kFloat32);
  const auto kept = [&] { return autocast::find_cast(w, kBFloat16); };
  {
    const AutocastMode autocast(kCPU);
    mm(x, w);
    ASSERT_NE(kept(), nullptr);
    const Tensor first = *kept();
    {
      const AutocastMode inner(kCPU);
      mm(x, w);
    }
    EXPECT_TRUE(kept()->is_same(first));
    for (int i = 0; i < 2; ++i) mm(x, w).sum().backward();  // both through the same cast
    EXPECT_TRUE(kept()->is_same(first));
    const NoGradGuard no_grad;
    w.mul_(2);
    EXPECT_EQ(kept(), nullptr);
    EXPECT_TRUE(equal(mm(x, w), mm(x.to(kBFloat16), w.to(kBFloat16))));
    const EnableGradGuard with_grad;  // the cast just made has no history
    EXPECT_TRUE(mm(x, w).requires_grad());
    autocast::clear_cache();
    EXPECT_EQ(kept(), nullptr);
    autocast::set_autocast_cache_enabled(false);
    mm(x, w);
    EXPECT_EQ(kept(), nullptr);
    autocast::set_autocast_cache_enabled(true);
    mm(x, w);
  }
  EXPECT_EQ(kept(), nullptr);
  const Tensor once = x.to(kBFloat16).t().mm(ones({4, 4}, kBFloat16)).to(kFloat32);
  EXPECT_TRUE(equal(w.grad(), once + once));
}

TEST(Autocast, IsOffInsideBackward) {
  const Tensor x = numbers(kFloat32).requires_grad_();
  const auto gradient = [&] { return autograd::grad({linalg_inv(x + eye(4)).sum()}, {x})[0]; };
  const Tensor expected = gradient();
  const AutocastMode autocast(kCPU);
  EXPECT_TRUE(equal(gradient(), expected));
  Tensor inside;
  const Tensor y = x * 1;
  y.register_hook([&](const Tensor& g) {
    inside = mm(g, g);
    const AutocastMode again(kCPU);
    EXPECT_EQ(mm(g, g).dtype(), kBFloat16);
  });
  y.sum().backward();
  EXPECT_EQ(inside.dtype(), kFloat32);
}

TEST(Autocast, IsRepeatedByACheckpoint) {
  const TwoLayers model;
  const Tensor x = numbers(kFloat32).requires_grad_();
  Tensor plain, checkpointed;
  {
    const AutocastMode autocast(kCPU);
    plain = model.loss(x);
    checkpointed = autograd::checkpoint([&](const Tensor& input) { return model.loss(input); }, x);
  }
  const TensorList expected = autograd::grad({plain}, model.parameters());
  const TensorList got = autograd::grad({checkpointed}, model.parameters());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_TRUE(equal(got[i], expected[i])) << i;
}

TEST(Autocast, WorksUnderVmapAndInForwardMode) {
  const Tensor w = numbers(kFloat32).requires_grad_(), x = numbers(kFloat32);
  const AutocastMode autocast(kCPU);
  const Tensor rows = autograd::functional::vmap(
      [&](const Tensor& row) { return softmax(linear(row, w, {}), 0); })(x);
  EXPECT_EQ(rows.dtype(), kFloat32);
  EXPECT_TRUE(equal(rows, softmax(linear(x, w, {}), 1)));
  const autograd::forward_ad::DualLevelGuard level;
  const Tensor dual = autograd::forward_ad::make_dual(x, ones_like(x));
  const auto [y, dy] = autograd::forward_ad::unpack_dual(mm(dual, w).exp());
  EXPECT_EQ(y.dtype(), kFloat32);
  EXPECT_TRUE(allclose(dy, y * ones_like(x).mm(w.detach()), 1e-2, 1e-2));
}

}  // namespace
}  // namespace notape
