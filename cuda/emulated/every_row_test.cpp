// Every operator of the registry on the emulated GPU: values, gradients of two orders and in-place
// forms are the CPU's, and nothing was found while they ran.
#include "cuda/testing/every_row.h"

#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <set>

#include "cuda/emulated/emulator.h"
#include "cuda/library/library.h"

namespace notape::cuda {
namespace {

using emulator::Order;

/// Rows that have no kernel for a GPU yet: NoKernel says so. One that gets its kernel leaves the
/// list. (In 16 bits they raise the CPU's error.)
constexpr const char* kWithoutKernel =
    "cofactors linalg_cholesky linalg_det linalg_eigh linalg_inv linalg_qr linalg_slogdet "
    "linalg_solve linalg_solve_triangular linalg_svd logdet";

struct Way {
  const char* name;
  ScalarType type;
  Order order;
  bool caches;  // without, each tensor has memory of its own, whose end is watched
  int cases;
};
void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }

/// Reductions add in another order than the CPU's, g++ calls libm where vectors of the CPU call
/// SLEEF, and in 16 bits each of the operators that one is made of rounds.
double tolerance(ScalarType type) {
  return type == kFloat64 ? 1e-8 : type == kFloat32 ? 1e-3 : type == kFloat16 ? 2e-2 : 5e-2;
}

class EveryRowOnEmulatedGpu : public ::testing::TestWithParam<Way> {
 protected:
  void TearDown() override {
    cuda_device().allocator(0).set_caching(true);
    emulator::set_order(Order::Eager);
  }
};

TEST_P(EveryRowOnEmulatedGpu, IsThatOfTheCpu) {
  const Way way = GetParam();
  emulator::set_order(way.order);
  cuda_device().allocator(0).set_caching(way.caches);
  std::set<std::string> refused;
  testing::expect_every_row(
      Device(kCUDA), way.type, way.cases,
      [&](const Tensor& here, const Tensor& there) {
        return testing::is_close(here, there, tolerance(way.type));
      },
      [&](const OpSpec& spec) { refused.insert(spec.name); });
  device_interface(Device(kCUDA)).synchronize(0);
  EXPECT_THAT(emulator::take_findings(), ::testing::IsEmpty());
  const bool is_half = way.type == kFloat16 || way.type == kBFloat16;
  EXPECT_EQ(fmt::format("{}", fmt::join(refused, " ")), is_half ? "" : kWithoutKernel);
}

INSTANTIATE_TEST_SUITE_P(In, EveryRowOnEmulatedGpu,
                         ::testing::Values(Way{"Float64WithMemoryOfTheirOwn", kFloat64,
                                               Order::Eager, false, 8},
                                           Way{"Float64Late", kFloat64, Order::Late, true, 4},
                                           Way{"Float32Random", kFloat32, Order::Random, true, 6},
                                           Way{"Float16", kFloat16, Order::Eager, false, 4},
                                           Way{"BFloat16", kBFloat16, Order::Random, true, 4}),
                         [](const auto& way) { return std::string(way.param.name); });

}  // namespace
}  // namespace notape::cuda
