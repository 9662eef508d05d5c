// A mistake of each kind that the emulated GPU is there for, and what it says of it.
#include <cuda_runtime.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cuda/emulated/emulator.h"

namespace emulator {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

template <typename... Expected, typename... Actual>
cudaError_t run(void (*kernel)(Expected...), unsigned blocks, unsigned threads, cudaStream_t stream,
                Actual... arguments) {
  cudaLaunchConfig_t config;
  config.gridDim = blocks;
  config.blockDim = threads;
  config.stream = stream;
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}

__global__ void fill(float* out, int n, float value) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) out[i] = value;
}
__global__ void count(float* total) { *total += 1; }
__global__ void count_at_once(float* total) { atomicAdd(total, 1.0f); }
__global__ void turn_without_barrier(float* x) {
  __shared__ float tile[256];
  tile[threadIdx.x] = x[threadIdx.x];
  x[255 - threadIdx.x] = tile[threadIdx.x] + tile[255 - threadIdx.x];
}
__global__ void turn(float* x) {
  __shared__ float tile[256];
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = tile[255 - threadIdx.x];
}
__global__ void sum_warps(const float* x, float* sums) {
  float value = x[threadIdx.x];
  for (int width = 16; width > 0; width /= 2) value += __shfl_xor_sync(~0u, value, width);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;
}
__global__ void shuffle_in_half_a_warp(float* x) {
  if (threadIdx.x < 16) x[threadIdx.x] = __shfl_down_sync(~0u, x[threadIdx.x], 1);
}
__global__ void wait_in_branches(float* x) {
  if (threadIdx.x % 2 == 0) {
    x[threadIdx.x] = 1;
    __syncthreads();
  } else {
    __syncthreads();
  }
}
__global__ void wait_in_a_half(float* x) {
  if (threadIdx.x < 16) __syncthreads();
  if (threadIdx.x >= 16) __shfl_sync(~0u, x[threadIdx.x], 0);
}
__global__ void copy_one(const float* from, float* to) { *to = *from; }
__global__ void read_between(const char* bytes, float* to) {
  *to = *reinterpret_cast<const float*>(bytes + 2);
}

/// A test that has found nothing else in the end.
class Planted : public ::testing::Test {
 protected:
  void SetUp() override {
    x = memory(1000);
    y = memory(8);
    run(fill, 4, 256, nullptr, x, 1000, 1.0f);
    run(fill, 1, 32, nullptr, y, 8, 0.0f);
    EXPECT_THAT(findings(), IsEmpty());
  }
  void TearDown() override { EXPECT_THAT(findings(), IsEmpty()); }

  static float* memory(std::size_t count) {
    void* data = nullptr;
    EXPECT_EQ(cudaMalloc(&data, count * sizeof(float)), cudaSuccess);
    return static_cast<float*>(data);
  }
  static std::vector<std::string> findings() {
    cudaDeviceSynchronize();
    return take_findings();
  }
  static float value_at(const float* data) {
    float value = 0;
    cudaMemcpyAsync(&value, data, sizeof value, cudaMemcpyDefault, nullptr);
    return value;
  }

  float *x = nullptr, *y = nullptr;
};
using PlantedDeathTest = Planted;

TEST_F(Planted, ASumWithoutAtomicsIsARace) {
  run(count, 8, 32, nullptr, y);
  EXPECT_THAT(findings(),
              ::testing::Contains(AllOf(StartsWith("race: "), HasSubstr("planted_test.cpp"))));
  run(fill, 1, 32, nullptr, y, 8, 0.0f);
  run(count_at_once, 8, 32, nullptr, y);
  EXPECT_THAT(findings(), IsEmpty());
  EXPECT_EQ(value_at(y), 256);
}

TEST_F(Planted, SharedMemoryWithoutABarrierIsARace) {
  run(turn_without_barrier, 1, 256, nullptr, x);
  EXPECT_THAT(findings(), ::testing::Contains(HasSubstr("in shared memory")));
  run(turn, 1, 256, nullptr, x);
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(Planted, LanesOfAWarpGiveOneAnotherTheirValues) {
  run(sum_warps, 1, 256, nullptr, x, y);
  EXPECT_EQ(value_at(y), 32);
}

TEST_F(Planted, AReadOfWhatNobodyHasWrittenIsFound) {
  run(copy_one, 1, 1, nullptr, memory(1), y);
  EXPECT_THAT(findings(), ElementsAre(StartsWith("uninitialized: ")));
}

TEST_F(Planted, BarriersInTwoBranchesAreFound) {
  run(wait_in_branches, 1, 256, nullptr, x);
  EXPECT_THAT(findings(), ::testing::Contains(StartsWith("barrier: ")));
}

TEST_F(Planted, StreamsWithoutAnEventAreARace) {
  cudaStream_t a = nullptr, b = nullptr;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  cudaEvent_t event = nullptr;
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  for (const Order order : {Order::Eager, Order::Late, Order::Random}) {
    set_order(order);
    run(fill, 4, 256, a, x, 1000, 2.0f);
    run(copy_one, 1, 1, b, x, y);
    EXPECT_THAT(findings(), ElementsAre(HasSubstr("is not in order with")));
    run(fill, 4, 256, a, x, 1000, 2.0f);
    cudaEventRecord(event, a);
    cudaStreamWaitEvent(b, event);
    run(copy_one, 1, 1, b, x, y);
    EXPECT_THAT(findings(), IsEmpty());
  }
  set_order(Order::Eager);
}

TEST_F(Planted, WhatNobodyTakesIsAnErrorOfTheNextWait) {
  run(copy_one, 1, 1, nullptr, memory(1), y);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
  EXPECT_THAT(cudaGetErrorString(cudaErrorLaunchFailure), HasSubstr("uninitialized: "));
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(take_findings().size(), 1U);
}

TEST_F(Planted, ALaunchThatDoesNotFitIsRefused) {
  EXPECT_EQ(run(copy_one, 1, 1025, nullptr, x, y), cudaErrorInvalidConfiguration);
  EXPECT_EQ(run(copy_one, 0, 1, nullptr, x, y), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(Planted, TheCpuCannotReadTheDevicesMemory) {
  EXPECT_DEATH(std::printf("%f", static_cast<double>(*x)), "");
}

// What ends the context, as on a GPU: in a process of its own.

void expect_fault(const char* words) {
  cudaDeviceSynchronize();
  const auto found = take_findings();
  if (found.size() == 1 && found[0].find(words) != std::string::npos &&
      cudaDeviceSynchronize() == cudaErrorIllegalAddress)
    std::_Exit(0);
  std::_Exit(1);
}

TEST_F(PlantedDeathTest, AWriteBeyondTheEndIsAFaultThatStays) {
  EXPECT_EXIT(
      (run(fill, 4, 256, nullptr, x, 1001, 1.0f), expect_fault("4 bytes beyond the end of 4000")),
      ::testing::ExitedWithCode(0), "");
}
TEST_F(PlantedDeathTest, MemoryOfTheCpuIsAFault) {
  float here = 0;
  EXPECT_EXIT((run(copy_one, 1, 1, nullptr, &here, x), expect_fault("memory of no device")),
              ::testing::ExitedWithCode(0), "");
}
TEST_F(PlantedDeathTest, AnAddressThatIsNotAlignedIsAFault) {
  EXPECT_EXIT((run(read_between, 1, 1, nullptr, reinterpret_cast<const char*>(x), y),
               expect_fault("not aligned")),
              ::testing::ExitedWithCode(0), "");
}
TEST_F(PlantedDeathTest, LanesThatDoNotComeAreAFault) {
  EXPECT_EXIT((run(shuffle_in_half_a_warp, 1, 32, nullptr, x), expect_fault("wait")),
              ::testing::ExitedWithCode(0), "");
}
TEST_F(PlantedDeathTest, ADeadlockIsAFault) {
  EXPECT_EXIT((run(wait_in_a_half, 1, 32, nullptr, x), expect_fault("deadlock")),
              ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace emulator
