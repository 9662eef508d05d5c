// Every operator of the registry on a device that is not the CPU, with the CPU's kernels: values
// and gradients of two orders have the same bits, and nothing reads the device's memory by itself.
#include <gtest/gtest.h>

#include <cstring>

#include "autograd/autograd.h"
#include "cuda/sim/simulated_device.h"
#include "ops/ops.h"
#include "ops/spec/testing/drawn_row.h"

namespace notape::sim {
namespace {

using notape::testing::DrawOfSeed;

constexpr int kCases = 6;

/// The result, its gradients by real arguments, and those of their sum.
variable_list all_orders(const OpCase& one, const variable_list& drawn, ScalarType type,
                         Device device) {
  variable_list arguments, real;
  for (const Tensor& argument : drawn) {
    const bool is_real = argument.is_floating_point();
    arguments.push_back(argument.to(device, is_real ? type : argument.dtype()));
    if (is_real) real.push_back(arguments.back().requires_grad_());
  }
  manual_seed(3);
  const Tensor result = one.call(arguments);
  variable_list all = {result};
  if (one.beside) all.push_back(one.beside(arguments));
  if (!result.requires_grad()) return all;
  const auto gradients_of = [&](const Tensor& of) {
    const Tensor incoming = randn(of.sizes(), TensorOptions(of.dtype()).device(of.device()));
    return autograd::grad({of}, real, {incoming}, true, true, /*allow_unused=*/true);
  };
  Tensor sum;
  for (const Tensor& gradient : gradients_of(result)) {
    all.push_back(gradient);
    if (!gradient.defined() || !gradient.requires_grad()) continue;
    sum = sum.defined() ? sum + gradient.sum() : gradient.sum();
  }
  if (sum.defined() && sum.requires_grad())
    for (const Tensor& gradient : gradients_of(sum)) all.push_back(gradient);
  return all;
}

bool has_same_bits(const Tensor& here, const Tensor& there) {
  if (!here.defined() || !there.defined()) return here.defined() == there.defined();
  const Tensor a = here.detach().contiguous(), b = there.detach().cpu().contiguous();
  return a.sizes() == b.sizes() && a.dtype() == b.dtype() &&
         std::memcmp(a.impl().data(), b.impl().data(), a.nbytes()) == 0;
}

/// The operator's in-place form on a part of a larger tensor.
variable_list in_place(const OpCase& one, const variable_list& drawn, ScalarType type,
                       Device device) {
  variable_list arguments;
  for (const Tensor& argument : drawn) {
    const Tensor there =
        argument.to(device, argument.is_floating_point() ? type : argument.dtype());
    arguments.push_back(stack({there, there}, -1).select(-1, 1));
  }
  manual_seed(3);
  one.call_in_place(arguments);
  return {arguments[0]};
}

bool is_close(const Tensor& here, const Tensor& there) {
  if (!here.defined() || !there.defined()) return here.defined() == there.defined();
  const Tensor a = here.detach(), b = there.detach().cpu();
  if (!(a.sizes() == b.sizes()) || a.dtype() != b.dtype()) return false;
  return allclose(a.to(kFloat64), b.to(kFloat64), 1e-9, 1e-9, /*equal_nan=*/true);
}

/// What `run` gives for a case on both devices, or throws.
template <typename Run>
void expect_the_same(const Run& run, bool (*is_same)(const Tensor&, const Tensor&)) {
  std::string errors[2];
  const auto on = [&](Device device, std::string& error) -> variable_list {
    try {
      return run(device);
    } catch (const Error& thrown) {
      error = thrown.what_without_backtrace();
      return {};
    }
  };
  const variable_list here = on(kCPU, errors[0]), there = on(kSIM, errors[1]);
  EXPECT_EQ(errors[0], errors[1]);
  ASSERT_EQ(here.size(), there.size());
  for (std::size_t i = 0; i < here.size(); ++i) {
    EXPECT_TRUE(is_same(here[i], there[i])) << i;
    if (!there[i].defined()) continue;
    EXPECT_EQ(there[i].device(), Device(kSIM)) << i;
  }
}

void expect_the_same_on_sim(ScalarType type,
                            bool (*is_same)(const Tensor&, const Tensor&) = has_same_bits) {
  use_simulated_device();
  for (const OpSpec* spec : op_specs())
    for (uint64_t seed = 0; seed < kCases; ++seed) {
      DrawOfSeed draw(seed);
      const OpCase one = spec->draw(draw);
      variable_list drawn;
      for (const Argument& argument : one.arguments) drawn.push_back(draw_argument(argument, draw));
      SCOPED_TRACE(std::string(spec->name) + ", " + one.label);
      expect_the_same([&](Device device) { return all_orders(one, drawn, type, device); }, is_same);
      if (!one.call_in_place) continue;
      expect_the_same([&](Device device) { return in_place(one, drawn, type, device); }, is_same);
    }
}

TEST(EveryRow, HasTheSameBitsOnASimulatedDeviceInFloat64) { expect_the_same_on_sim(kFloat64); }
TEST(EveryRow, HasTheSameBitsOnASimulatedDeviceInFloat32) { expect_the_same_on_sim(kFloat32); }
TEST(EveryRow, IsTheSameWithoutFusedKernelsButForRounding) {
  use_simulated_device().offer_fused_kernels(false);
  expect_the_same_on_sim(kFloat64, is_close);
  use_simulated_device().offer_fused_kernels(true);
}
TEST(EveryRow, HasTheSameBitsOnASimulatedDeviceInBFloat16) { expect_the_same_on_sim(kBFloat16); }

}  // namespace
}  // namespace notape::sim
