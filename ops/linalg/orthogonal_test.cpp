// QR, eigenvectors and singular values, and two products, beside PyTorch 2.15.
#include "ops/linalg/testing/second_source.h"

namespace notape::testing {
namespace {

Tensor doubled_symmetric(const Tensor& x) { return x + transpose(x, -2, -1); }

TEST(LinalgQr, IsAsInLibTorch) {
  expect_as_libtorch(
      [](const variable_list& x) {
        const auto [q, r] = linalg_qr(x[0]);
        return TensorList{q, r};
      },
      {{{3, 2}, 5}},
      {{-0.137360563948689, 0.987685161017913, -0.549442255794756, -0.138893225768144,
        0.824163383692134, 0.0720187096575562},
       {1.82002747232013, -0.686802819743445, 0, 0.916952499747098}},
      {{1.94271525765154, 4.23277565591123, 3.9539752262461, 4.46986012244442, 4.17312100865274,
        6.11207265404166}});
}

TEST(LinalgQr, HasThreeModes) {
  const Tensor a = pattern({2, 4, 3}, 5);
  const auto [q, r] = linalg_qr(a, "complete");
  EXPECT_EQ(q.sizes(), IntArrayRef({2, 4, 4}));
  EXPECT_EQ(r.sizes(), IntArrayRef({2, 4, 3}));
  EXPECT_TRUE(allclose(matmul(q, r), a, 1e-12, 1e-12));
  EXPECT_TRUE(
      allclose(matmul(q, transpose(q, 1, 2)), eye(4, kFloat64).expand({2, 4, 4}), 0, 1e-12));
  const auto [nothing, only_r] = linalg_qr(a, "r");
  EXPECT_EQ(nothing.sizes(), IntArrayRef({0}));
  EXPECT_TRUE(allclose(only_r, r.narrow(1, 0, 3), 1e-12, 1e-12));
  const auto [wide_q, wide_r] = linalg_qr(transpose(a, 1, 2));
  EXPECT_TRUE(allclose(matmul(wide_q, wide_r), transpose(a, 1, 2), 1e-12, 1e-12));
  const auto [identity, empty_r] = linalg_qr(empty({3, 0}), "complete");
  EXPECT_TRUE(equal(identity, eye(3)));
  EXPECT_EQ(empty_r.sizes(), IntArrayRef({3, 0}));
}

TEST(LinalgQr, RefusesWhatItCannotDo) {
  expect_error<ValueError>("unrecognized mode 'x' but expected one of 'reduced' (default)", [&] {
    linalg_qr(ones({2, 2}), "x");
  });
  expect_error<ShapeError>("at least 2 dimensions", [&] { linalg_qr(ones({2})); });
  expect_error<DerivativeNotImplemented>("not computed when mode='r'", [&] {
    std::get<1>(linalg_qr(pattern_leaf({3, 2}, 5), "r")).sum().backward();
  });
  expect_error<DerivativeNotImplemented>("as many rows as columns or more", [&] {
    std::get<1>(linalg_qr(pattern_leaf({2, 3}, 5))).sum().backward();
  });
  expect_error<DerivativeNotImplemented>("Q is 3 by 3 and R 3 by 2", [&] {
    std::get<0>(linalg_qr(pattern_leaf({3, 2}, 5), "complete")).sum().backward();
  });
}

TEST(LinalgEigh, IsAsInLibTorch) {
  expect_as_libtorch(
      [](const variable_list& x) {
        const auto [l, v] = linalg_eigh(doubled_symmetric(x[0]));
        return TensorList{l, abs(v)};
      },
      {{{3, 3}, 5}},
      {{-1.10429663432246, -0.533451373424676, 4.13774800774714},
       {0.700855635681541, 0.664539775750148, 0.259206991378254, 0.449577427466994,
        0.129408616817914, 0.883817598040135, 0.553788330181833, 0.735962156866246,
        0.389458841233833}},
      {{2.63246539168191, 0.906849762230661, 0.194267512330675, 0.906849762230661, 4.18672116531955,
        -2.02004795274576, 0.194267512330675, -2.02004795274576, 5.18081344299854}});
  expect_as_libtorch(
      [](const variable_list& x) {
        return TensorList{linalg_eigvalsh(doubled_symmetric(x[0]), "U")};
      },
      {{{3, 3}, 5}}, {{-1.10429663432246, -0.533451373424677, 4.13774800774714}},
      {{3.15197928462558, 1.08836114846118, 0.574350435361449, 1.08836114846118, 5.15802736663519,
        -1.18636262087834, 0.574350435361449, -1.18636262087834, 3.68999334873923}});
}

TEST(LinalgEigh, HasASymmetricGradient) {
  const Tensor a =
      tensor({2, 1, 0.5, 1, 3, -0.25, 0.5, -0.25, 1}).to(kFloat64).reshape({3, 3}).requires_grad_();
  const auto [l, v] = linalg_eigh(a);
  const Tensor p = matmul(v * tensor({1, 2, 5}).to(kFloat64), transpose(v, 0, 1));
  const Tensor slope = autograd::grad({p[0][1] + 2 * p[2][0]}, {a})[0];
  expect_close(slope,
               {0.105083287502, 0.34784759638, 0.526896369742, 0.34784759638, -0.519404364966,
                0.57773224014, 0.526896369742, 0.57773224014, 0.414321077464});
}

TEST(LinalgEigh, ReadsOneTriangle) {
  const double nan = std::nan("");
  const Tensor a = tensor(std::vector<double>{3, nan, 0, 1}, kFloat64).reshape({2, 2});
  expect_close(linalg_eigvalsh(a), {1, 3});
  expect_close(linalg_eigvalsh(transpose(a, 0, 1), "U"), {1, 3});
  expect_close(std::get<0>(linalg_eigh(a)), {1, 3});
  EXPECT_TRUE(isnan(linalg_eigvalsh(a, "U")).all().item<bool>());
  EXPECT_EQ(linalg_eigvalsh(empty({2, 0, 0})).sizes(), IntArrayRef({2, 0}));
  expect_error<ValueError>("Expected UPLO argument to be 'L' or 'U', but got x",
                           [&] { linalg_eigh(a, "x"); });
  expect_error<ShapeError>("A must be batches of square matrices", [&] {
    linalg_eigh(ones({2, 3}));
  });
}

TEST(LinalgSvd, IsAsInLibTorch) {
  const auto call = [](const variable_list& x) {
    const auto [u, s, vh] = linalg_svd(x[0], false);
    return TensorList{abs(u), s, abs(vh)};
  };
  expect_as_libtorch(call, {{{3, 2}, 5}},
                     {{0.332885476662665, 0.93998785165041, 0.510362788520399, 0.246389822660745,
                       0.792916820051607, 0.236040026349038},
                      {1.97820147087151, 0.843634364308251},
                      {0.901303236306856, 0.433188730489134, 0.433188730489134, 0.901303236306856}},
                     {{-2.28412305205266, 4.24150562667387, 0.984134054345255, 0.811654852494885,
                       -0.720833671064813, -1.43080931523946}});
  expect_as_libtorch(call, {{{2, 3}, 5}},
                     {{0.660313812656454, 0.750989792750273, 0.750989792750273, 0.660313812656454},
                      {2.06544485547568, 0.599113969949815},
                      {0.0109753571795239, 0.865091361333078, 0.501494245312609, 0.58891282635462,
                       0.399725157893526, 0.702425427431275}},
                     {{0.44674532331825, -0.639986608149285, -3.24728272687287, -0.400001102953531,
                       0.757079480302388, 0.535111874467814}});
  expect_as_libtorch(
      [](const variable_list& x) { return TensorList{linalg_svdvals(x[0])}; }, {{{2, 2, 3}, 5}},
      {{2.06544485547568, 0.599113969949815, 2.03203396804695, 0.60896465636635}},
      {{-0.877287862879589, -0.0291472518690519, -1.38617222948591, 0.785976928598625,
        1.17756286820433, 0.551025364835197, -0.0317068278317723, -3.33441800407204,
        -1.27022351892187, 2.91101016443142, 0.285751531616146, 1.92653817712569}});
}

TEST(LinalgSvd, OfEverySizeGivesTheMatrixBack) {
  for (const std::vector<int64_t>& sizes :
       std::vector<std::vector<int64_t>>{{2, 5, 3}, {3, 5}, {1, 1}, {4, 4}, {2, 30, 20}}) {
    const Tensor a = pattern(sizes, 5);
    const auto [u, s, vh] = linalg_svd(a);
    EXPECT_EQ(u.size(-1), a.size(-2));
    EXPECT_EQ(vh.size(-2), a.size(-1));
    const int64_t k = s.size(-1);
    const Tensor again = matmul(u.narrow(-1, 0, k) * s.unsqueeze(-2), vh.narrow(-2, 0, k));
    EXPECT_TRUE(allclose(again, a, 1e-12, 1e-12));
    EXPECT_TRUE(allclose(linalg_svdvals(a), s, 1e-12, 1e-12));
  }
  const auto [u, s, vh] = linalg_svd(empty({0, 3}));
  EXPECT_EQ(u.numel() + s.numel(), 0);
  EXPECT_TRUE(equal(vh, eye(3)));
}

TEST(LinalgSvd, RefusesWhatItCannotDo) {
  expect_error<LinalgError>("the input matrix contained non-finite values", [&] {
    linalg_svd(full({2, 2}, std::nan("")));
  });
  const Tensor a = pattern_leaf({3, 2}, 5);
  expect_error<DerivativeNotImplemented>("full_matrices=false has one",
                                         [&] { std::get<0>(linalg_svd(a)).sum().backward(); });
  const Tensor gradient = autograd::grad({std::get<1>(linalg_svd(a)).sum()}, {a})[0];
  EXPECT_TRUE(allclose(gradient, autograd::grad({linalg_svdvals(a).sum()}, {a})[0]));
}

TEST(Orthogonal, ValuesAloneHaveTheSameBitsWhetherOrNotTheyAreDifferentiated) {
  for (int64_t n = 2; n < 40; n += 9) {
    const Tensor a = pattern_leaf({n, n + 1}, 5), s = pattern_leaf({n, n}, 3);
    EXPECT_TRUE(linalg_svdvals(a).equal(linalg_svdvals(a.detach()))) << n;
    EXPECT_TRUE(linalg_eigvalsh(s).equal(linalg_eigvalsh(s.detach()))) << n;
  }
}

TEST(Inner, IsAsInLibTorch) {
  expect_as_libtorch([](const variable_list& x) { return TensorList{inner(x[0], x[1])}; },
                     {{{2, 3}, 5}, {{2, 3}, 7}}, {{-1.8125, 1.75, -2.0625, 1.25}},
                     {{-1.75, 0.25, -1.0, -3.25, -0.75, -1.5}, {0.5, 5.5, -2.5, 0.5, 8.0, -4.0}});
  expect_error<ShapeError>(
      "the last dimension must match on both input tensors but got shapes [2, 3] and [4, 2]", [&] {
        inner(ones({2, 3}), ones({4, 2}));
      });
}

TEST(Kron, IsAsInLibTorch) {
  expect_as_libtorch([](const variable_list& x) { return TensorList{kron(x[0], x[1])}; },
                     {{{2, 2}, 5}, {{2}, 7}},
                     {{-0.0625, 0.3125, 0.25, -1.25, -0.25, 1.25, 0.0625, -0.3125}},
                     {{-2.25, -4.25, -6.25, -8.25}, {-0.5, -0.5}});
  EXPECT_EQ(kron(ones({2}, kInt32), ones({2, 3})).dtype(), kFloat32);
}

}  // namespace
}  // namespace notape::testing
