// The CPU's memory from an allocator of the program's own.
#include "autograd/tensor/device_allocator.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "autograd/autograd.h"
#include "ops/ops.h"

namespace notape {
namespace {

/// In its scope; notes what is out.
struct OwnCpuAllocator {
  std::map<void*, std::size_t> out;
  int taken = 0;

  OwnCpuAllocator() {
    change_current_allocator(kCPU, {[this](std::size_t bytes, int device, void* stream) -> void* {
                                      EXPECT_EQ(device, 0);
                                      EXPECT_EQ(stream, nullptr);
                                      if (bytes > 1 << 20) return nullptr;
                                      void* const data =
                                          std::aligned_alloc(64, (bytes + 63) / 64 * 64);
                                      out[data] = bytes;
                                      ++taken;
                                      return data;
                                    },
                                    [this](void* data, std::size_t bytes, int, void*) {
                                      EXPECT_EQ(out.at(data), bytes);
                                      out.erase(data);
                                      std::free(data);
                                    }});
  }
  ~OwnCpuAllocator() { change_current_allocator(kCPU, {}); }
};

TEST(CpuAllocator, IsTheProgramsWhereThatHasOne) {
  const Tensor before = ones({2, 2});
  OwnCpuAllocator own;
  {
    const Tensor w = ones({2, 2}, requires_grad());
    (mm(w, before) * 2).sum().backward();
    EXPECT_TRUE(own.out.contains(w.data_ptr()));
    EXPECT_TRUE(own.out.contains(w.grad().data_ptr()));
    EXPECT_EQ(w.grad()[0][0].item(), 4);
    EXPECT_EQ(zeros({0}).numel(), 0);
    EXPECT_THROW(zeros({1 << 20}), OutOfMemory);
  }
  EXPECT_GT(own.taken, 5);
  EXPECT_TRUE(own.out.empty());
}

TEST(CpuAllocator, GetsItsMemoryBackWhenAnotherHasComeInItsPlace) {
  OwnCpuAllocator own;
  Tensor x = ones({100});
  change_current_allocator(kCPU, {});
  const Tensor y = x + 1;
  EXPECT_EQ(own.out.size(), 1U);
  x = Tensor();
  EXPECT_TRUE(own.out.empty());
  PluggableAllocator half;
  half.release = [](void*, std::size_t, int, void*) {};
  EXPECT_THROW(change_current_allocator(kCPU, half), ValueError);
}

}  // namespace
}  // namespace notape
