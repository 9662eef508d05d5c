// In place of NVIDIA's header of this name: the part of cuDNN 9 that notape uses. It computes when
// the emulated stream comes to it, and checks what it is given (cudnn.cpp).
#pragma once
#include "cuda_runtime.h"

// NOLINTBEGIN(readability-identifier-naming): the names are cuDNN's.

inline constexpr int CUDNN_MAJOR = 9;

enum cudnnStatus_t {
  CUDNN_STATUS_SUCCESS = 0,
  CUDNN_STATUS_BAD_PARAM = 2000,
  CUDNN_STATUS_BAD_PARAM_MISALIGNED_POINTER = 2003,
  CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT = 2006,
  CUDNN_STATUS_BAD_PARAM_STREAM_MISMATCH = 2007,
  CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH = 2008,
  CUDNN_STATUS_NOT_SUPPORTED = 3000,
  CUDNN_STATUS_NOT_SUPPORTED_LAYOUT = 3004,
  CUDNN_STATUS_INTERNAL_ERROR = 4000,
  CUDNN_STATUS_EXECUTION_FAILED = 5000
};
enum cudnnDataType_t {
  CUDNN_DATA_FLOAT = 0,
  CUDNN_DATA_DOUBLE = 1,
  CUDNN_DATA_HALF = 2,
  CUDNN_DATA_BFLOAT16 = 9
};
enum cudnnTensorFormat_t { CUDNN_TENSOR_NCHW = 0 };
enum cudnnConvolutionMode_t { CUDNN_CROSS_CORRELATION = 1 };
enum cudnnDeterminism_t { CUDNN_NON_DETERMINISTIC = 0, CUDNN_DETERMINISTIC = 1 };
enum cudnnMathType_t {
  CUDNN_DEFAULT_MATH = 0,
  CUDNN_TENSOR_OP_MATH = 1,
  CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION = 2,
  CUDNN_FMA_MATH = 3
};
enum cudnnActivationMode_t { CUDNN_ACTIVATION_RELU = 1, CUDNN_ACTIVATION_IDENTITY = 5 };
enum cudnnNanPropagation_t { CUDNN_NOT_PROPAGATE_NAN, CUDNN_PROPAGATE_NAN };
enum cudnnConvolutionFwdAlgo_t : int { CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM = 1 };
enum cudnnConvolutionBwdDataAlgo_t : int;
enum cudnnConvolutionBwdFilterAlgo_t : int;

using cudnnHandle_t = struct cudnnContext*;
using cudnnTensorDescriptor_t = struct cudnnTensorStruct*;
using cudnnFilterDescriptor_t = struct cudnnFilterStruct*;
using cudnnConvolutionDescriptor_t = struct cudnnConvolutionStruct*;
using cudnnActivationDescriptor_t = struct cudnnActivationStruct*;
using cudnnDropoutDescriptor_t = struct cudnnDropoutStruct*;
using cudnnRNNDescriptor_t = struct cudnnRNNStruct*;
using cudnnRNNDataDescriptor_t = struct cudnnRNNDataStruct*;

namespace emulator {

template <typename T>
cudnnStatus_t create(T** descriptor);
template <typename T>
cudnnStatus_t destroy(T* descriptor);

template <typename Algorithm>
struct Offer {
  Algorithm algo;
  cudnnStatus_t status;
  float time;
  std::size_t memory;
  cudnnDeterminism_t determinism;
  cudnnMathType_t mathType;
  int reserved[3];
};
/// One of the three products: A and B are the descriptors of its factors.
template <typename Algorithm, typename A, typename B, typename Result>
struct Product {
  static cudnnStatus_t count(cudnnHandle_t, int*);
  static cudnnStatus_t list(cudnnHandle_t, A, B, cudnnConvolutionDescriptor_t, Result, int most,
                            int* count, Offer<Algorithm>*);
  static cudnnStatus_t workspace(cudnnHandle_t, A, B, cudnnConvolutionDescriptor_t, Result,
                                 Algorithm, std::size_t*);
  static cudnnStatus_t run(cudnnHandle_t, const void* alpha, A, const void* a, B, const void* b,
                           cudnnConvolutionDescriptor_t, Algorithm, void* workspace,
                           std::size_t bytes, const void* beta, Result, void* result);
};
using Forward = Product<cudnnConvolutionFwdAlgo_t, cudnnTensorDescriptor_t, cudnnFilterDescriptor_t,
                        cudnnTensorDescriptor_t>;
using BackwardData = Product<cudnnConvolutionBwdDataAlgo_t, cudnnFilterDescriptor_t,
                             cudnnTensorDescriptor_t, cudnnTensorDescriptor_t>;
using BackwardFilter = Product<cudnnConvolutionBwdFilterAlgo_t, cudnnTensorDescriptor_t,
                               cudnnTensorDescriptor_t, cudnnFilterDescriptor_t>;

}  // namespace emulator

std::size_t cudnnGetVersion();
const char* cudnnGetErrorString(cudnnStatus_t);
void cudnnGetLastErrorString(char* message, std::size_t size);
cudnnStatus_t cudnnCreate(cudnnHandle_t*);
cudnnStatus_t cudnnSetStream(cudnnHandle_t, cudaStream_t);

inline constexpr auto cudnnCreateTensorDescriptor = emulator::create<cudnnTensorStruct>;
inline constexpr auto cudnnDestroyTensorDescriptor = emulator::destroy<cudnnTensorStruct>;
inline constexpr auto cudnnCreateFilterDescriptor = emulator::create<cudnnFilterStruct>;
inline constexpr auto cudnnDestroyFilterDescriptor = emulator::destroy<cudnnFilterStruct>;
inline constexpr auto cudnnCreateConvolutionDescriptor = emulator::create<cudnnConvolutionStruct>;
inline constexpr auto cudnnDestroyConvolutionDescriptor = emulator::destroy<cudnnConvolutionStruct>;
inline constexpr auto cudnnCreateActivationDescriptor = emulator::create<cudnnActivationStruct>;
inline constexpr auto cudnnDestroyActivationDescriptor = emulator::destroy<cudnnActivationStruct>;
cudnnStatus_t cudnnSetActivationDescriptor(cudnnActivationDescriptor_t, cudnnActivationMode_t,
                                           cudnnNanPropagation_t, double ceiling);
cudnnStatus_t cudnnSetTensor4dDescriptorEx(cudnnTensorDescriptor_t, cudnnDataType_t, int n, int c,
                                           int h, int w, int n_stride, int c_stride, int h_stride,
                                           int w_stride);
cudnnStatus_t cudnnSetFilter4dDescriptor(cudnnFilterDescriptor_t, cudnnDataType_t,
                                         cudnnTensorFormat_t, int k, int c, int h, int w);
cudnnStatus_t cudnnSetConvolution2dDescriptor(cudnnConvolutionDescriptor_t, int pad_h, int pad_w,
                                              int stride_h, int stride_w, int dilation_h,
                                              int dilation_w, cudnnConvolutionMode_t,
                                              cudnnDataType_t compute_type);
cudnnStatus_t cudnnSetConvolutionGroupCount(cudnnConvolutionDescriptor_t, int);
cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t, cudnnMathType_t);

using cudnnConvolutionFwdAlgoPerf_t = emulator::Offer<cudnnConvolutionFwdAlgo_t>;
using cudnnConvolutionBwdDataAlgoPerf_t = emulator::Offer<cudnnConvolutionBwdDataAlgo_t>;
using cudnnConvolutionBwdFilterAlgoPerf_t = emulator::Offer<cudnnConvolutionBwdFilterAlgo_t>;

inline constexpr auto cudnnGetConvolutionForwardAlgorithmMaxCount = emulator::Forward::count;
inline constexpr auto cudnnGetConvolutionForwardAlgorithm_v7 = emulator::Forward::list;
inline constexpr auto cudnnGetConvolutionForwardWorkspaceSize = emulator::Forward::workspace;
inline constexpr auto cudnnConvolutionForward = emulator::Forward::run;
/// y = activation(alpha product + alpha_z z + bias); here without z.
cudnnStatus_t cudnnConvolutionBiasActivationForward(
    cudnnHandle_t, const void* alpha, cudnnTensorDescriptor_t, const void* x,
    cudnnFilterDescriptor_t, const void* w, cudnnConvolutionDescriptor_t, cudnnConvolutionFwdAlgo_t,
    void* workspace, std::size_t bytes, const void* alpha_z, cudnnTensorDescriptor_t of_z,
    const void* z, cudnnTensorDescriptor_t of_bias, const void* bias, cudnnActivationDescriptor_t,
    cudnnTensorDescriptor_t, void* y);
inline constexpr auto cudnnGetConvolutionBackwardDataAlgorithmMaxCount =
    emulator::BackwardData::count;
inline constexpr auto cudnnGetConvolutionBackwardDataAlgorithm_v7 = emulator::BackwardData::list;
inline constexpr auto cudnnGetConvolutionBackwardDataWorkspaceSize =
    emulator::BackwardData::workspace;
inline constexpr auto cudnnConvolutionBackwardData = emulator::BackwardData::run;
inline constexpr auto cudnnGetConvolutionBackwardFilterAlgorithmMaxCount =
    emulator::BackwardFilter::count;
inline constexpr auto cudnnGetConvolutionBackwardFilterAlgorithm_v7 =
    emulator::BackwardFilter::list;
inline constexpr auto cudnnGetConvolutionBackwardFilterWorkspaceSize =
    emulator::BackwardFilter::workspace;
inline constexpr auto cudnnConvolutionBackwardFilter = emulator::BackwardFilter::run;

// ---- Recurrent layers (recurrent.cpp)

enum cudnnRNNAlgo_t { CUDNN_RNN_ALGO_STANDARD = 0 };
enum cudnnForwardMode_t { CUDNN_FWD_MODE_INFERENCE = 0, CUDNN_FWD_MODE_TRAINING = 1 };
enum cudnnRNNMode_t { CUDNN_LSTM = 2, CUDNN_GRU = 3 };
enum cudnnRNNBiasMode_t { CUDNN_RNN_NO_BIAS = 0, CUDNN_RNN_DOUBLE_BIAS = 2 };
enum cudnnDirectionMode_t { CUDNN_UNIDIRECTIONAL = 0, CUDNN_BIDIRECTIONAL = 1 };
enum cudnnRNNInputMode_t { CUDNN_LINEAR_INPUT = 0 };
enum cudnnRNNDataLayout_t { CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED = 1 };
enum cudnnWgradMode_t { CUDNN_WGRAD_MODE_ADD = 0 };
inline constexpr uint32_t CUDNN_RNN_PADDED_IO_DISABLED = 0;

inline constexpr auto cudnnCreateDropoutDescriptor = emulator::create<cudnnDropoutStruct>;
inline constexpr auto cudnnDestroyDropoutDescriptor = emulator::destroy<cudnnDropoutStruct>;
inline constexpr auto cudnnCreateRNNDescriptor = emulator::create<cudnnRNNStruct>;
inline constexpr auto cudnnDestroyRNNDescriptor = emulator::destroy<cudnnRNNStruct>;
inline constexpr auto cudnnCreateRNNDataDescriptor = emulator::create<cudnnRNNDataStruct>;
inline constexpr auto cudnnDestroyRNNDataDescriptor = emulator::destroy<cudnnRNNDataStruct>;
cudnnStatus_t cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t, cudnnDataType_t, int dims,
                                         const int* sizes, const int* strides);
cudnnStatus_t cudnnSetDropoutDescriptor(cudnnDropoutDescriptor_t, cudnnHandle_t, float p,
                                        void* states, std::size_t bytes, unsigned long long seed);
cudnnStatus_t cudnnSetRNNDescriptor_v8(cudnnRNNDescriptor_t, cudnnRNNAlgo_t, cudnnRNNMode_t,
                                       cudnnRNNBiasMode_t, cudnnDirectionMode_t,
                                       cudnnRNNInputMode_t, cudnnDataType_t type,
                                       cudnnDataType_t computes_in, cudnnMathType_t, int32_t input,
                                       int32_t hidden, int32_t projected, int32_t layers,
                                       cudnnDropoutDescriptor_t, uint32_t flags);
cudnnStatus_t cudnnSetRNNDataDescriptor(cudnnRNNDataDescriptor_t, cudnnDataType_t,
                                        cudnnRNNDataLayout_t, int steps, int samples, int width,
                                        const int* lengths, void* padding);
cudnnStatus_t cudnnGetRNNWeightSpaceSize(cudnnHandle_t, cudnnRNNDescriptor_t, std::size_t*);
cudnnStatus_t cudnnGetRNNWeightParams(cudnnHandle_t, cudnnRNNDescriptor_t, int32_t direction,
                                      std::size_t bytes, const void* weights, int32_t which,
                                      cudnnTensorDescriptor_t of_matrix, void** matrix,
                                      cudnnTensorDescriptor_t of_bias, void** bias);
cudnnStatus_t cudnnGetRNNTempSpaceSizes(cudnnHandle_t, cudnnRNNDescriptor_t, cudnnForwardMode_t,
                                        cudnnRNNDataDescriptor_t of_x, std::size_t* work,
                                        std::size_t* reserve);
cudnnStatus_t cudnnRNNForward(cudnnHandle_t, cudnnRNNDescriptor_t, cudnnForwardMode_t,
                              const int32_t* lengths, cudnnRNNDataDescriptor_t of_x, const void* x,
                              cudnnRNNDataDescriptor_t of_y, void* y, cudnnTensorDescriptor_t of_h,
                              const void* h, void* last_h, cudnnTensorDescriptor_t of_c,
                              const void* c, void* last_c, std::size_t weight_bytes,
                              const void* weights, std::size_t work_bytes, void* work,
                              std::size_t reserve_bytes, void* reserve);
cudnnStatus_t cudnnRNNBackwardData_v8(cudnnHandle_t, cudnnRNNDescriptor_t, const int32_t* lengths,
                                      cudnnRNNDataDescriptor_t of_y, const void* y, const void* dy,
                                      cudnnRNNDataDescriptor_t of_x, void* dx,
                                      cudnnTensorDescriptor_t of_h, const void* h,
                                      const void* last_dh, void* dh, cudnnTensorDescriptor_t of_c,
                                      const void* c, const void* last_dc, void* dc,
                                      std::size_t weight_bytes, const void* weights,
                                      std::size_t work_bytes, void* work, std::size_t reserve_bytes,
                                      void* reserve);
cudnnStatus_t cudnnRNNBackwardWeights_v8(cudnnHandle_t, cudnnRNNDescriptor_t, cudnnWgradMode_t,
                                         const int32_t* lengths, cudnnRNNDataDescriptor_t of_x,
                                         const void* x, cudnnTensorDescriptor_t of_h, const void* h,
                                         cudnnRNNDataDescriptor_t of_y, const void* y,
                                         std::size_t weight_bytes, void* dweights,
                                         std::size_t work_bytes, void* work,
                                         std::size_t reserve_bytes, void* reserve);
// NOLINTEND(readability-identifier-naming)
