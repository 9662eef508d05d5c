// Operands on two devices: a number may lie on the CPU beside tensors of another device, all else
// is an error that has changed nothing.
#include <gtest/gtest.h>

#include <cstring>

#include "autograd/autograd.h"
#include "cuda/sim/simulated_device.h"
#include "ops/ops.h"
#include "ops/spec/testing/drawn_row.h"

namespace notape::sim {
namespace {

using notape::testing::DrawOfSeed;

bool has_equal_bits(const Tensor& here, const Tensor& there) {
  const Tensor a = here.detach().cpu().contiguous(), b = there.detach().cpu().contiguous();
  return a.sizes() == b.sizes() && a.dtype() == b.dtype() &&
         std::memcmp(a.impl().data(), b.impl().data(), a.nbytes()) == 0;
}

/// `drawn` on the device, but for argument `k`, which is on the CPU.
variable_list all_but_one_on_sim(const variable_list& drawn, std::size_t k) {
  variable_list arguments;
  for (std::size_t i = 0; i < drawn.size(); ++i)
    arguments.push_back(i == k ? drawn[i].clone() : drawn[i].to(kSIM));
  return arguments;
}

/// f(case, its arguments on the CPU, k) for each argument that may lie elsewhere than the others.
template <typename F>
void each_mixed_call(const F& f) {
  use_simulated_device();
  for (const OpSpec* spec : op_specs())
    for (uint64_t seed = 0; seed < 24; ++seed) {
      DrawOfSeed draw(seed);
      const OpCase one = spec->draw(draw);
      variable_list drawn;
      for (const Argument& argument : one.arguments) drawn.push_back(draw_argument(argument, draw));
      for (std::size_t k = 0; drawn.size() > 1 && k < drawn.size(); ++k) {
        SCOPED_TRACE(std::string(spec->name) + ", " + one.label + ", argument " +
                     std::to_string(k) + " of size " + to_string(drawn[k].sizes()) + " on the CPU");
        f(*spec, one, drawn, k);
      }
    }
}

TEST(MixedDevices, GiveTheResultOfOneDeviceOrAnError) {
  each_mixed_call([](const OpSpec&, const OpCase& one, const variable_list& drawn, std::size_t k) {
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
  each_mixed_call(
      [](const OpSpec& spec, const OpCase& one, const variable_list& drawn, std::size_t k) {
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
