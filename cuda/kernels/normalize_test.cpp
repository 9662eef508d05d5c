// Normalisation of more entries than a kernel takes in one launch.
#include "autograd/autograd.h"
#include "cuda/testing/gpu_test.h"
#include "ops/ops.h"

namespace notape::cuda {
namespace {

struct GpuNormalize : testing::GpuTest {};

/// The result of batch_norm, what it makes of running statistics, and its gradients.
variable_list batch_norm_on(Device device, const Tensor& drawn, const Tensor& incoming) {
  const auto there = TensorOptions(drawn.dtype()).device(device);
  const Tensor x = drawn.to(device).requires_grad_(),
               weight = full({3}, 1.5, there).requires_grad_(),
               bias = full({3}, -1, there).requires_grad_(), mean = full({3}, 0.5, there),
               variance = ones({3}, TensorOptions(kFloat64).device(device));
  const Tensor y = batch_norm(x, weight, bias, mean, variance, true, 0.25, 1e-5);
  variable_list all = autograd::grad({y}, {x, weight, bias}, {incoming.to(device)});
  for (const Tensor& one : {y, mean, variance}) all.push_back(one.detach());
  return all;
}

TEST_F(GpuNormalize, LongChannelsAreThoseOfTheCpuAndTheSameEachTime) {
  manual_seed(7);
  for (const ScalarType type : {kFloat32, kFloat64}) {
    const Tensor x = randn({9, 3, 44, 44}, type) + 3, incoming = randn({9, 3, 44, 44}, type);
    const variable_list here = batch_norm_on(kCPU, x, incoming),
                        there = batch_norm_on(Device(kCUDA), x, incoming),
                        again = batch_norm_on(Device(kCUDA), x, incoming);
    const double tolerance = type == kFloat64 ? 1e-9 : 1e-4;
    for (std::size_t i = 0; i < here.size(); ++i) {
      EXPECT_TRUE(allclose(there[i].cpu(), here[i], tolerance, tolerance)) << i;
      EXPECT_TRUE(equal(there[i].cpu(), again[i].cpu())) << i;
    }
  }
}

}  // namespace
}  // namespace notape::cuda
