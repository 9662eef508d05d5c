// Every operator of the registry on a GPU beside the CPU. The emulated one has its own, stricter
// test (emulated/every_row_test.cpp).
#include "cuda/testing/every_row.h"

#include "cuda/testing/gpu_test.h"

namespace notape::cuda {
namespace {

struct EveryRowOnGpu : testing::GpuTest, ::testing::WithParamInterface<ScalarType> {};

TEST_P(EveryRowOnGpu, IsThatOfTheCpu) {
  constexpr int kCases = 6;
  testing::expect_every_row(Device(kCUDA), GetParam(), kCases,
                            [](const Tensor& here, const Tensor& there) {
                              return testing::is_close(here, there, testing::tolerance(GetParam()));
                            });
}

INSTANTIATE_TEST_SUITE_P(Of, EveryRowOnGpu,
                         ::testing::Values(kFloat64, kFloat32, kFloat16, kBFloat16),
                         [](const auto& type) { return std::string(name_of(type.param)); });

}  // namespace
}  // namespace notape::cuda
