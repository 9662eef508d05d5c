// The library as libnotape meets it: opened at run time, with or without a driver.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include "autograd/tensor/device_interface.h"
#include "autograd/tensor/factories.h"
#include "ops/elementwise/kernel.h"

namespace notape::cuda {
namespace {

#ifdef NOTAPE_CUDA_LIBRARY

TEST(CudaLibrary, LoadsWithOrWithoutADriver) {
  ASSERT_NE(dlopen(NOTAPE_CUDA_LIBRARY, RTLD_NOW | RTLD_GLOBAL), nullptr) << dlerror();
  EXPECT_GE(device_count(DeviceType::CUDA), 0);
}

TEST(CudaLibrary, HasEveryElementwiseKernelThatTheCpuHas) {
  ASSERT_NE(dlopen(NOTAPE_CUDA_LIBRARY, RTLD_NOW | RTLD_GLOBAL), nullptr) << dlerror();
  int kernels = 0;
  for (const ElementwiseSlots* slots = ElementwiseSlots::first(); slots; slots = slots->next()) {
    for (int type = 0; type < kScalarTypes; ++type) {
      const auto dtype = static_cast<ScalarType>(type);
      EXPECT_EQ(slots->cpu(dtype) != nullptr, slots->cuda(dtype) != nullptr)
          << slots->name() << " for " << name_of(dtype);
      kernels += slots->cuda(dtype) != nullptr;
    }
  }
  EXPECT_GT(kernels, 100);
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
