// GpuTest: tests that need a GPU. Without one they are skipped, never passed.
#pragma once
#include <gtest/gtest.h>

#include "autograd/tensor/device_interface.h"

namespace notape::cuda::testing {

class GpuTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (device_count(DeviceType::CUDA) == 0) GTEST_SKIP() << "no CUDA device";
  }
};

}  // namespace notape::cuda::testing
