// Every operator of the registry on the emulated GPU: values, gradients of two orders and in-place
// forms are the CPU's, and nothing was found while they ran.
#include "cuda/testing/every_row.h"

#include <gmock/gmock.h>

#include "cuda/emulated/emulator.h"
#include "cuda/library/library.h"

namespace notape::cuda {
namespace {

using emulator::Order;

struct Way {
  const char* name;
  ScalarType type;
  Order order;
  bool caches;  // without, each tensor has memory of its own, whose end is watched
  int cases;
};
void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }

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
  testing::expect_every_row(Device(kCUDA), way.type, way.cases,
                            [&](const Tensor& here, const Tensor& there) {
                              return testing::is_close(here, there, testing::tolerance(way.type));
                            });
  device_interface(Device(kCUDA)).synchronize(0);
  EXPECT_THAT(emulator::take_findings(), ::testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(In, EveryRowOnEmulatedGpu,
                         ::testing::Values(Way{"Float64WithMemoryOfTheirOwn", kFloat64,
                                               Order::Eager, false, 8},
                                           Way{"Float64Late", kFloat64, Order::Late, true, 4},
                                           Way{"Float32Random", kFloat32, Order::Random, true, 6},
                                           Way{"Float16", kFloat16, Order::Batches, false, 4},
                                           Way{"BFloat16", kBFloat16, Order::Random, true, 4}),
                         [](const auto& way) { return std::string(way.param.name); });

}  // namespace
}  // namespace notape::cuda
