// Rows of floats have a kernel for all three gradients of layer_norm.
#include "autograd/functional/backward.h"
#include "ops/linalg/testing/pattern.h"
#include "ops/normalization.h"
#include "ops/parallel.h"

namespace notape::testing {
namespace {

/// The gradients of x, weight and bias.
std::vector<Tensor> layer_gradients(const Tensor& x, const Tensor& weight, const Tensor& seed,
                                    ScalarType type) {
  const std::vector<Tensor> leaves = {x.to(type).detach().requires_grad_(),
                                      weight.to(type).detach().requires_grad_(),
                                      zeros_like(weight).to(type).requires_grad_()};
  return autograd::grad({layer_norm(leaves[0], {x.size(1)}, leaves[1], leaves[2])}, leaves,
                        {seed.to(type)});
}

TEST(LayerGradient, IsThatOfDoubles) {
  manual_seed(1);
  for (const int64_t n : {1, 5, 15, 16, 17, 64, 127, 300, 1030})
    for (const int64_t rows : {1, 7, 8, 9, 200}) {
      SCOPED_TRACE(format_message("{} rows of {}", {rows, n}));
      const Tensor x = randn({rows, n}) + 3, weight = rand({n}) + 0.5, seed = randn({rows, n});
      const std::vector<Tensor> got = layer_gradients(x, weight, seed, kFloat32);
      const std::vector<Tensor> right = layer_gradients(x, weight, seed, kFloat64);
      for (std::size_t k = 0; k < 3; ++k)
        EXPECT_LE((got[k].to(kFloat64) - right[k]).abs().max().item<double>(),
                  2e-6 * (n == 1 ? 1e3 : 1) * (1 + right[k].abs().max().item<double>()))
            << k;
    }
}

TEST(LayerGradient, HasTheSameBitsForEachNumberOfThreads) {
  manual_seed(2);
  const int before = get_num_threads();
  const Tensor x = randn({530, 200}), weight = rand({200}), seed = randn({530, 200});
  set_num_threads(1);
  const std::vector<Tensor> one = layer_gradients(x, weight, seed, kFloat32);
  set_num_threads(3);
  const std::vector<Tensor> three = layer_gradients(x, weight, seed, kFloat32);
  set_num_threads(before);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(values(one[k]), values(three[k])) << k;
}

TEST(LayerGradient, IsANumberWhereSumsOfFloatsAreNot) {
  const Tensor x = arange(16).to(kFloat32).view({1, 16}).repeat({16, 1}), weight = ones({16});
  Tensor seed = full({16, 16}, 3e38);
  seed.narrow(0, 8, 8).neg_();  // eight rows overflow, all are zero
  const std::vector<Tensor> got = layer_gradients(x, weight, seed, kFloat32);
  EXPECT_EQ(values(got[2]), std::vector<double>(16));
}

}  // namespace
}  // namespace notape::testing
