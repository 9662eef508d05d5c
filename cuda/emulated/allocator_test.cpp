// A program's own allocator under all operators' memory, and the map of the built-in one's.
#include <cuda_runtime.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>

#include "autograd/autograd.h"
#include "autograd/tensor/device_allocator.h"
#include "cuda/emulated/emulator.h"
#include "ops/ops.h"

namespace notape {
namespace {

/// A step of training on the GPU; the gradient.
Tensor gradient_of_a_step() {
  const Tensor w = linspace(-1, 1, 4096).reshape({64, 64}).to(Device(kCUDA)).requires_grad_();
  const Tensor x = linspace(0, 1, 4096).reshape({64, 64}).to(Device(kCUDA));
  tanh(mm(x, w)).sum().backward();
  return w.grad().cpu();
}

/// In a process that has used no GPU: 0 if all memory came from the program and went back there.
[[noreturn]] void train_with_own_allocator() {
  static std::atomic<int> taken = 0, given_back = 0;
  change_current_allocator(kCUDA, {[](std::size_t bytes, int, void*) {
                                     void* data = nullptr;
                                     if (cudaMalloc(&data, bytes) != cudaSuccess)
                                       return static_cast<void*>(nullptr);
                                     ++taken;
                                     return data;
                                   },
                                   [](void* data, std::size_t, int, void*) {
                                     given_back += cudaFree(data) == cudaSuccess;
                                   }});
  const Tensor gradient = gradient_of_a_step();
  const bool is_right = gradient.abs().max().item() > 0 && taken > 5 && taken == given_back &&
                        emulator::take_findings().empty();
  std::fprintf(stderr, "took %d pieces\n", taken.load());
  std::_Exit(is_right ? 0 : 1);
}

TEST(EmulatedAllocator, CanBeReplacedByAProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // anew: nothing was allocated there
  EXPECT_EXIT(train_with_own_allocator(), ::testing::ExitedWithCode(0), "took");
}

TEST(EmulatedAllocator, ShowsItsMemory) {
  const Tensor x = zeros({1000}).to(Device(kCUDA));
  const MemoryStats stats = memory_stats(kCUDA);
  std::size_t reserved = 0, active = 0;
  bool has_x = false;
  for (const MemorySegment& segment : memory_snapshot(kCUDA)) {
    reserved += segment.bytes;
    uint64_t at = segment.address;
    for (const MemoryBlock& block : segment.blocks) {
      EXPECT_EQ(block.address, at);
      at += block.bytes;
      if (block.state == MemoryBlockState::Active) active += block.bytes;
      has_x = has_x || block.address == reinterpret_cast<uint64_t>(x.data_ptr());
    }
    EXPECT_EQ(at, segment.address + segment.bytes);
  }
  EXPECT_EQ(reserved, stats.reserved);
  EXPECT_EQ(active, stats.allocated);
  EXPECT_TRUE(has_x);
}

}  // namespace
}  // namespace notape
