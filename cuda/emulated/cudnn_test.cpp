// What cuDNN would refuse, the emulated one does.
#include <cudnn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "cuda/emulated/emulator.h"

namespace emulator {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A convolution of (1, 2, 4, 4) with (3, 2, 3, 3), as cuDNN is given it.
struct Call {
  cudnnHandle_t handle = nullptr;
  cudnnTensorDescriptor_t image = nullptr, response = nullptr;
  cudnnFilterDescriptor_t filter = nullptr;
  cudnnConvolutionDescriptor_t how = nullptr;
  float *x = nullptr, *w = nullptr, *y = nullptr, *work = nullptr;
  std::size_t bytes = 4096;
  int algorithm = 1;

  Call() {
    cudnnCreate(&handle);
    cudnnSetStream(handle, nullptr);
    cudnnCreateTensorDescriptor(&image);
    cudnnCreateTensorDescriptor(&response);
    cudnnCreateFilterDescriptor(&filter);
    cudnnCreateConvolutionDescriptor(&how);
    cudnnSetTensor4dDescriptorEx(image, CUDNN_DATA_FLOAT, 1, 2, 4, 4, 32, 16, 4, 1);
    cudnnSetTensor4dDescriptorEx(response, CUDNN_DATA_FLOAT, 1, 3, 2, 2, 12, 4, 2, 1);
    cudnnSetFilter4dDescriptor(filter, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 3, 2, 3, 3);
    cudnnSetConvolution2dDescriptor(how, 0, 0, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION,
                                    CUDNN_DATA_FLOAT);
    for (float** memory : {&x, &w, &y, &work}) {
      void* data = nullptr;
      cudaMalloc(&data, 4096);
      cudaMemsetAsync(data, 0, 4096, nullptr);
      *memory = static_cast<float*>(data);
    }
  }
  Call(const Call&) = delete;

  cudnnStatus_t forward() const {
    const float one = 1, zero = 0;
    return cudnnConvolutionForward(handle, &one, image, x, filter, w, how,
                                   cudnnConvolutionFwdAlgo_t(algorithm), work, bytes, &zero,
                                   response, y);
  }
};

TEST(EmulatedCudnn, RefusesWhatDoesNotFit) {
  const struct {
    const char* what;
    std::function<void(Call&)> change;
    cudnnStatus_t expected;
  } cases[] = {
      {"nothing", [](Call&) {}, CUDNN_STATUS_SUCCESS},
      {"the response's size",
       [](Call& call) {
         cudnnSetTensor4dDescriptorEx(call.response, CUDNN_DATA_FLOAT, 1, 3, 2, 3, 18, 6, 3, 1);
       },
       CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH},
      {"channels",
       [](Call& call) {
         cudnnSetFilter4dDescriptor(call.filter, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 3, 1, 3, 3);
       },
       CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH},
      {"groups", [](Call& call) { cudnnSetConvolutionGroupCount(call.how, 2); },
       CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH},
      {"types",
       [](Call& call) {
         cudnnSetFilter4dDescriptor(call.filter, CUDNN_DATA_HALF, CUDNN_TENSOR_NCHW, 3, 2, 3, 3);
       },
       CUDNN_STATUS_BAD_PARAM},
      {"the type to compute in",
       [](Call& call) {
         cudnnSetConvolution2dDescriptor(call.how, 0, 0, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION,
                                         CUDNN_DATA_DOUBLE);
       },
       CUDNN_STATUS_BAD_PARAM},
      {"gaps",
       [](Call& call) {
         cudnnSetTensor4dDescriptorEx(call.image, CUDNN_DATA_FLOAT, 1, 2, 4, 4, 64, 32, 8, 2);
       },
       CUDNN_STATUS_NOT_SUPPORTED_LAYOUT},
      {"Winograd",
       [](Call& call) {
         call.algorithm = 7;
         cudnnSetConvolution2dDescriptor(call.how, 1, 1, 2, 2, 1, 1, CUDNN_CROSS_CORRELATION,
                                         CUDNN_DATA_FLOAT);
       },
       CUDNN_STATUS_NOT_SUPPORTED},
      {"an algorithm that there is not", [](Call& call) { call.algorithm = 3; },
       CUDNN_STATUS_NOT_SUPPORTED},
      {"the workspace's size", [](Call& call) { call.bytes = 4095; },
       CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT},
      {"alignment", [](Call& call) { ++call.w; }, CUDNN_STATUS_BAD_PARAM_MISALIGNED_POINTER},
  };
  for (const auto& one : cases) {
    Call call;
    one.change(call);
    EXPECT_EQ(call.forward(), one.expected) << one.what;
    cudaDeviceSynchronize();
    EXPECT_THAT(take_findings(), IsEmpty()) << one.what;
  }
}

TEST(EmulatedCudnn, FindsMemoryThatIsNotItsDevices) {
  alignas(16) float of_the_cpu[1024];
  for (float* Call::*memory : {&Call::x, &Call::w, &Call::y, &Call::work}) {
    Call call;
    call.*memory = of_the_cpu;
    EXPECT_EQ(call.forward(), CUDNN_STATUS_EXECUTION_FAILED);
    EXPECT_THAT(take_findings(), ElementsAre(HasSubstr("illegal address: cuDNN")));
  }
  Call beyond;
  beyond.x += 1000;
  EXPECT_EQ(beyond.forward(), CUDNN_STATUS_EXECUTION_FAILED);
  EXPECT_THAT(take_findings(), ElementsAre(HasSubstr("past its end")));
}

TEST(EmulatedCudnn, ServesTheThreadThatHasSaidTheStream) {
  const Call call;
  std::thread([&] { EXPECT_EQ(call.forward(), CUDNN_STATUS_BAD_PARAM_STREAM_MISMATCH); }).join();
  std::thread([&] {
    cudnnSetStream(call.handle, nullptr);
    EXPECT_EQ(call.forward(), CUDNN_STATUS_SUCCESS);
  }).join();
}

TEST(EmulatedCudnn, WritesToItsWorkspace) {
  const Call call;
  CUstream_st* other = nullptr;
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  EXPECT_EQ(call.forward(), CUDNN_STATUS_SUCCESS);
  cudaMemsetAsync(call.work, 0, 4096, other);
  cudaDeviceSynchronize();
  EXPECT_THAT(take_findings(), ElementsAre(HasSubstr("race: a memset")));
}

}  // namespace
}  // namespace emulator
