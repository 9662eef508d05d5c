// Every operator of the registry on a device that is not the CPU, with the CPU's kernels: values
// and gradients of two orders have the same bits, and nothing reads the device's memory by itself.
#include "cuda/testing/every_row.h"

#include <cstring>

#include "cuda/sim/simulated_device.h"

namespace notape::sim {
namespace {

using cuda::testing::expect_every_row;

constexpr int kCases = 6;

bool has_same_bits(const Tensor& here, const Tensor& there) {
  if (!here.defined() || !there.defined()) return here.defined() == there.defined();
  const Tensor a = here.detach().contiguous(), b = there.detach().cpu().contiguous();
  return a.sizes() == b.sizes() && a.dtype() == b.dtype() &&
         std::memcmp(a.impl().data(), b.impl().data(), a.nbytes()) == 0;
}

void expect_the_same_on_sim(ScalarType type) {
  use_simulated_device();
  expect_every_row(kSIM, type, kCases, has_same_bits);
}

TEST(EveryRow, HasTheSameBitsOnASimulatedDeviceInFloat64) { expect_the_same_on_sim(kFloat64); }
TEST(EveryRow, HasTheSameBitsOnASimulatedDeviceInFloat32) { expect_the_same_on_sim(kFloat32); }
TEST(EveryRow, HasTheSameBitsOnASimulatedDeviceInBFloat16) { expect_the_same_on_sim(kBFloat16); }
TEST(EveryRow, IsTheSameWithoutFusedKernelsButForRounding) {
  use_simulated_device().offer_fused_kernels(false);
  expect_every_row(kSIM, kFloat64, kCases, [](const Tensor& here, const Tensor& there) {
    return cuda::testing::is_close(here, there, 1e-9);
  });
  use_simulated_device().offer_fused_kernels(true);
}

}  // namespace
}  // namespace notape::sim
