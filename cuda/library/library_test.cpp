// The library as libnotape meets it: opened at run time, with or without a driver.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include "autograd/tensor/device_interface.h"
#include "autograd/tensor/factories.h"
#include "cuda/testing/gpu_test.h"
#include "ops/core/kernel_by_name.h"
#include "ops/elementwise.h"

#ifdef NOTAPE_CUDA_LIBRARY
#include "cuda/cudnn/convolution_library.h"
#include "cuda/cusolver/decomposition_library.h"
#include "cuda/library/library.h"
#endif

namespace notape::cuda {
namespace {

#ifdef NOTAPE_CUDA_LIBRARY

TEST(CudaLibrary, LoadsWithOrWithoutADriver) {
  ASSERT_NE(dlopen(NOTAPE_CUDA_LIBRARY, RTLD_NOW | RTLD_GLOBAL), nullptr) << dlerror();
  EXPECT_GE(device_count(DeviceType::CUDA), 0);
}

TEST(CudaLibrary, HasEveryKernelThatIsMadeOfAFunctor) {
  ASSERT_NE(dlopen(NOTAPE_CUDA_LIBRARY, RTLD_NOW | RTLD_GLOBAL), nullptr) << dlerror();
  int kernels = 0;
  for (const KernelByName* kernel = KernelByName::first(); kernel; kernel = kernel->next()) {
    for (int type = 0; type < kScalarTypes; ++type) {
      const auto dtype = static_cast<ScalarType>(type);
      EXPECT_EQ(kernel->has(dtype), kernel->cuda(dtype) != nullptr)
          << kernel->name() << " for " << name_of(dtype);
      kernels += kernel->cuda(dtype) != nullptr;
    }
  }
  EXPECT_GT(kernels, 100);
}

#ifdef NOTAPE_CUDNN_LIBRARY
TEST(CudaLibrary, OpensCudnnWithOrWithoutADriver) {
  const ConvolutionLibrary library = open_convolution_library(NOTAPE_CUDNN_LIBRARY);
  EXPECT_EQ(library.version.substr(0, 2), "9.") << library.version;
  EXPECT_NE(library.forward, nullptr);
}
#endif

#ifdef NOTAPE_CUSOLVER_LIBRARY
TEST(CudaLibrary, OpensCusolverWithOrWithoutADriver) {
  const DecompositionLibrary library = open_decomposition_library(NOTAPE_CUSOLVER_LIBRARY);
  EXPECT_EQ(library.version.find("absent"), std::string::npos) << library.version;
  EXPECT_NE(library.svd, nullptr);
}
#endif

TEST(CudaLibrary, RefusesToRecordAStreamForATensorOnTheCpu) {
  EXPECT_THROW(record_stream(zeros({3}), Stream{Device(kCUDA)}), DeviceError);
}

struct Streams : testing::GpuTest {};

TEST_F(Streams, RunWorkBesideTheDefaultStream) {
  const Stream side = new_stream(Device(kCUDA));
  Event ready, done;
  const Tensor x = ones({1000}, Device(kCUDA));
  ready.record(current_stream(Device(kCUDA)));
  Tensor y;
  {
    const StreamGuard guard(side);
    ready.block(side);
    record_stream(x, side);
    y = x + x;
    done.record(side);
  }
  done.block(current_stream(Device(kCUDA)));
  EXPECT_TRUE(equal(y.to(kCPU), full({1000}, 2.0)));
}

TEST_F(Streams, ReadPinnedMemoryWhileTheProgramGoesOn) {
  const Tensor x = ones({1 << 20}).pin_memory();
  const Tensor there = x.to(kCUDA, /*non_blocking=*/true);
  x.fill_(2);  // waits
  EXPECT_TRUE(equal(there.to(kCPU), ones({1 << 20})));
  const void* const before = x.pin_memory().const_data_ptr<float>();
  EXPECT_EQ(before, x.const_data_ptr<float>());
  for (int i = 0; i < 100; ++i) {
    const Tensor batch = full({1000}, i).pin_memory().to(kCUDA, /*non_blocking=*/true);
    EXPECT_TRUE(equal(batch.to(kCPU), full({1000}, i)));
  }
}

TEST_F(Streams, ReuseMemoryOfTheSameStreamWithoutTheDriver) {
  const uint64_t before = [&] {
    const Tensor warm = empty({1 << 20}, Device(kCUDA));
    return memory_stats(kCUDA).driver_allocates;
  }();
  for (int i = 0; i < 10; ++i) const Tensor again = empty({1 << 20}, Device(kCUDA));
  EXPECT_EQ(memory_stats(kCUDA).driver_allocates, before);
}

#endif

TEST(CudaLibrary, ATensorOnAnAbsentDeviceIsAnErrorInOneLine) {
  const Device absent(kCUDA, device_count(DeviceType::CUDA));
  try {
    zeros({3}, absent);
    FAIL();
  } catch (const DeviceError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find(to_string(absent)), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace notape::cuda
