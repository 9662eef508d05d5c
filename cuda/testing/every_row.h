// Every operator of the registry on a device beside the CPU.
#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "autograd/autograd.h"
#include "ops/ops.h"
#include "ops/spec/testing/drawn_row.h"

namespace notape::cuda::testing {

/// The result, its gradients by real arguments, and those of their sum.
inline variable_list all_orders(const OpCase& one, const variable_list& drawn, ScalarType type,
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

/// The operator's in-place form on a part of a larger tensor.
inline variable_list in_place(const OpCase& one, const variable_list& drawn, ScalarType type,
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

/// Of numbers of `a` and `b` up to `tolerance`, relative and absolute; of other types exactly.
inline bool is_close(const Tensor& here, const Tensor& there, double tolerance) {
  if (!here.defined() || !there.defined()) return here.defined() == there.defined();
  const Tensor a = here.detach(), b = there.detach().cpu();
  if (!(a.sizes() == b.sizes()) || a.dtype() != b.dtype()) return false;
  if (!a.is_floating_point()) return equal(a, b);
  return allclose(b.to(kFloat64), a.to(kFloat64), tolerance, tolerance, /*equal_nan=*/true);
}

/// Of a GPU's numbers beside the CPU's, at two orders: sums are added in another order, exp and the
/// like are other functions, and in 16 bits each of the operators that one is made of rounds.
inline double tolerance(ScalarType type) {
  return type == kFloat64 ? 1e-8 : type == kFloat32 ? 1e-3 : type == kFloat16 ? 2e-2 : 5e-2;
}

using IsSame = std::function<bool(const Tensor& here, const Tensor& there)>;
/// Hears of operators that the device does not have; null where it has all.
using Refused = std::function<void(const OpSpec&)>;

/// What `run` gives on both devices, or throws.
template <typename Run>
void expect_the_same(const Run& run, const OpSpec& spec, Device device, const IsSame& is_same,
                     const Refused& refused) {
  std::string errors[2];
  bool is_refused = false;
  const auto on = [&](Device where, std::string& error) -> variable_list {
    try {
      return run(where);
    } catch (const NoKernel& thrown) {
      is_refused = !where.is_cpu();
      error = thrown.what_without_backtrace();
    } catch (const Error& thrown) {
      error = thrown.what_without_backtrace();
    }
    return {};
  };
  const variable_list here = on(kCPU, errors[0]), there = on(device, errors[1]);
  if (is_refused && refused) return refused(spec);
  EXPECT_EQ(errors[0], errors[1]);
  ASSERT_EQ(here.size(), there.size());
  for (std::size_t i = 0; i < here.size(); ++i) {
    EXPECT_TRUE(is_same(here[i], there[i])) << i;
    if (!there[i].defined()) continue;
    EXPECT_EQ(there[i].device(), device) << i;
  }
}

/// Values, gradients of two orders and in-place forms of `cases` cases of each operator.
inline void expect_every_row(Device device, ScalarType type, int cases, const IsSame& is_same,
                             const Refused& refused = nullptr) {
  for (const OpSpec* spec : op_specs())
    for (int seed = 0; seed < cases; ++seed) {
      notape::testing::DrawOfSeed draw(static_cast<uint64_t>(seed));
      const OpCase one = spec->draw(draw);
      variable_list drawn;
      for (const Argument& argument : one.arguments)
        drawn.push_back(notape::testing::draw_argument(argument, draw));
      SCOPED_TRACE(std::string(spec->name) + ", " + one.label);
      expect_the_same([&](Device where) { return all_orders(one, drawn, type, where); }, *spec,
                      device, is_same, refused);
      if (!one.call_in_place) continue;
      expect_the_same([&](Device where) { return in_place(one, drawn, type, where); }, *spec,
                      device, is_same, refused);
    }
}

/// f(row, case, its arguments on the CPU, k) for `cases` cases of each operator and each argument
/// that may lie on another device than the others.
template <typename F>
void each_mixed_call(uint64_t cases, const F& f) {
  for (const OpSpec* spec : op_specs())
    for (uint64_t seed = 0; seed < cases; ++seed) {
      notape::testing::DrawOfSeed draw(seed);
      const OpCase one = spec->draw(draw);
      variable_list drawn;
      for (const Argument& argument : one.arguments)
        drawn.push_back(notape::testing::draw_argument(argument, draw));
      for (std::size_t k = 0; drawn.size() > 1 && k < drawn.size(); ++k) {
        SCOPED_TRACE(std::string(spec->name) + ", " + one.label + ", argument " +
                     std::to_string(k) + " of size " + to_string(drawn[k].sizes()));
        f(*spec, one, drawn, k);
      }
    }
}
/// Copies, the k-th on a device of its own.
inline variable_list mixed(const variable_list& drawn, std::size_t k, Device alone, Device others) {
  variable_list arguments;
  for (std::size_t i = 0; i < drawn.size(); ++i)
    arguments.push_back(drawn[i].clone().to(i == k ? alone : others));
  return arguments;
}

}  // namespace notape::cuda::testing
