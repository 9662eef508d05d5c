// Operands on two devices: a number may lie on the CPU beside tensors of another device, all else
// is an error that has changed nothing.
#include <gtest/gtest.h>

#include <cstring>

#include "autograd/autograd.h"
#include "cuda/sim/simulated_device.h"
#include "cuda/testing/every_row.h"
#include "ops/ops.h"

namespace notape::sim {
namespace {

using cuda::testing::each_mixed_call;

bool has_equal_bits(const Tensor& here, const Tensor& there) {
  const Tensor a = here.detach().cpu().contiguous(), b = there.detach().cpu().contiguous();
  return a.sizes() == b.sizes() && a.dtype() == b.dtype() &&
         std::memcmp(a.impl().data(), b.impl().data(), a.nbytes()) == 0;
}

/// All on the device, but for argument `k`.
variable_list all_but_one_on_sim(const variable_list& drawn, std::size_t k) {
  return cuda::testing::mixed(drawn, k, kCPU, kSIM);
}

TEST(MixedDevices, GiveTheResultOfOneDeviceOrAnError) {
  use_simulated_device();
  each_mixed_call(24,
                  [](const OpSpec&, const OpCase& one, const variable_list& drawn, std::size_t k) {
                    manual_seed(3);
                    Tensor mixed;
                    try {
                      mixed = one.call(all_but_one_on_sim(drawn, k));
                    } catch (const Error&) {
                      return;
                    }
                    manual_seed(3);
                    EXPECT_TRUE(has_equal_bits(mixed, one.call(drawn)));
                  });
}

TEST(MixedDevices, AreNotWrittenFromTheOtherIntoTheCpu) {
  use_simulated_device();
  each_mixed_call(
      24, [](const OpSpec& spec, const OpCase& one, const variable_list& drawn, std::size_t k) {
        if (!one.call_in_place || std::strcmp(spec.name, "copy") == 0) return;  // which is for that
        variable_list arguments = all_but_one_on_sim(drawn, k), alone = drawn;
        alone[0] = drawn[0].clone();
        const Tensor before = arguments[0].clone();
        try {
          one.call_in_place(arguments);
        } catch (const Error& error) {
          EXPECT_STREQ(error.kind(), "DeviceError") << error.what();
          EXPECT_TRUE(has_equal_bits(arguments[0], before));
          return;
        }
        EXPECT_NE(k, 0U);
        one.call_in_place(alone);
        EXPECT_TRUE(has_equal_bits(arguments[0], alone[0]));
      });
}

}  // namespace
}  // namespace notape::sim
