// The functions of cuDNN: descriptors that are checked, algorithms that are listed, and
// convolutions that are queued. What a real one may do beside that, tests plant (emulator.h).
#include "cudnn.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "cuda/emulated/accesses.h"
#include "cuda/emulated/cudnn_state.h"
#include "cuda/emulated/findings.h"
#include "cuda/emulated/memory.h"
#include "cuda/emulated/work.h"

using namespace emulator;

namespace emulator {

Cudnn cudnn;

namespace {
thread_local const char* last_words = "";
using Guard = std::lock_guard<std::recursive_mutex>;
}  // namespace

const char* reason_of_last_refusal() { return last_words; }
const char* name_of(cudnnStatus_t status) {
  return status == CUDNN_STATUS_SUCCESS            ? "CUDNN_STATUS_SUCCESS"
         : status == CUDNN_STATUS_EXECUTION_FAILED ? "CUDNN_STATUS_EXECUTION_FAILED"
         : status < CUDNN_STATUS_NOT_SUPPORTED     ? "CUDNN_STATUS_BAD_PARAM"
                                                   : "CUDNN_STATUS_NOT_SUPPORTED";
}

cudnnStatus_t refuse(cudnnStatus_t status, const char* words) {
  last_words = words;
  return status;
}

cudnnStatus_t check_user(const cudnnContext& handle) {
  if (handle.user == std::this_thread::get_id() &&
      stream_of(handle.stream).device == handle.device && current_device == handle.device)
    return CUDNN_STATUS_SUCCESS;
  return refuse(CUDNN_STATUS_BAD_PARAM_STREAM_MISMATCH,
                "the handle is for another thread, device or stream");
}

bool is_memory_of(int device, const void* data, std::size_t bytes) {
  if (owner_of(data, bytes) == device) return true;
  found("illegal address: cuDNN works in memory that is not its device's, or past its end");
  return false;
}

namespace {

struct Way {
  int number;
  bool is_deterministic, needs_workspace, is_winograd = false;
};
/// By the result: BackwardData, BackwardFilter, Forward. The numbers are cuDNN's.
const std::vector<Way> kWays[3] = {
    {{1, true, true}, {0, false, false}, {5, true, true, true}},
    {{1, true, true}, {0, false, false}, {3, false, true}},
    {{1, true, true}, {0, true, false}, {7, true, true, true}},
};

std::size_t workspace_of(const Way& way) { return way.needs_workspace ? cudnn.workspace : 0; }

}  // namespace

cudnnStatus_t check(const Convolution& all) {
  const auto& [image, filter, response] = all.layouts;
  if (image.type != filter.type || image.type != response.type ||
      (image.type == CUDNN_DATA_DOUBLE) != (all.computes_in == CUDNN_DATA_DOUBLE))
    return refuse(CUDNN_STATUS_BAD_PARAM, "data types do not fit");
  if (image.size[1] != filter.size[1] * all.groups || filter.size[0] % all.groups != 0 ||
      response.size[0] != image.size[0] || response.size[1] != filter.size[0])
    return refuse(CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH, "images or channels do not fit");
  for (int d = 0; d < 2; ++d) {
    const int reach = all.dilation[d] * (filter.size[2 + d] - 1) + 1;
    const int room = image.size[2 + d] + 2 * all.padding[d] - reach;
    if (room < 0 || room / all.stride[d] + 1 != response.size[2 + d])
      return refuse(CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH, "the response has another size");
  }
  return CUDNN_STATUS_SUCCESS;
}

double factor_of(const std::string& algorithm) {
  static const char* const wrong = std::getenv("NOTAPE_EMULATED_WRONG_ALGORITHM");
  return wrong && wrong == algorithm ? 1.01 : 1;
}

cudnnStatus_t run(const cudnnContext& handle, const Convolution& all, Convolution::Array written,
                  const std::array<void*, 3>& data, void* work, std::size_t needed, double alpha,
                  double beta, const void* bias) {
  const Guard guard(lock);
  if (cudnn.refusals > 0 && cudnn.refusals--)
    return refuse(CUDNN_STATUS_NOT_SUPPORTED, "not this time");
  if (const cudnnStatus_t status = check_user(handle)) return status;
  for (std::size_t i = 0; i < 3; ++i) {
    if (reinterpret_cast<uintptr_t>(data[i]) % 16 != 0)
      return refuse(CUDNN_STATUS_BAD_PARAM_MISALIGNED_POINTER, "16 bytes is the alignment");
    if (!is_memory_of(handle.device, data[i], all.layouts[i].bytes()))
      return CUDNN_STATUS_EXECUTION_FAILED;
  }
  const Layout& filters = all.layouts[Convolution::W];
  const std::size_t bias_bytes = filters.bytes() / static_cast<std::size_t>(filters.numel()) *
                                 static_cast<std::size_t>(filters.size[0]);
  if (bias && !is_memory_of(handle.device, bias, bias_bytes)) return CUDNN_STATUS_EXECUTION_FAILED;
  if (needed > 0 && !is_memory_of(handle.device, work, needed))
    return CUDNN_STATUS_EXECUTION_FAILED;
  if (cudnn.breaks) return refuse(CUDNN_STATUS_EXECUTION_FAILED, "the GPU is on fire");
  ++counts.launches;
  const int* const filter = filters.size;
  const double flop = 2.0 * static_cast<double>(all.layouts[Convolution::Y].numel()) * filter[1] *
                      filter[2] * filter[3];
  queue(stream_of(handle.stream), "a convolution",
        [=](uint32_t launch) {
          for (const auto array : {Convolution::X, Convolution::W, Convolution::Y}) {
            const auto note = [&](bool writes) {
              note_access(data[array], all.layouts[array].bytes(), writes, launch, "a convolution");
            };
            if (array != written || beta != 0) note(false);
            if (array == written) note(true);
          }
          note_access(work, needed, true, launch, "a convolution");
          note_access(bias, bias ? bias_bytes : 0, false, launch, "a convolution");
          all.compute(written, data.data(), alpha, beta, bias);
          return true;
        },
        {.flop = flop});
  return has_faulted ? refuse(CUDNN_STATUS_EXECUTION_FAILED, "an earlier kernel has failed")
                     : CUDNN_STATUS_SUCCESS;
}

namespace {

cudnnStatus_t status_of(const Way& way, const Convolution& all, Convolution::Array result) {
  const auto& [x, w, y] = all.layouts;
  if (!cudnn.offers || cudnn.offers_graphs_only)
    return refuse(CUDNN_STATUS_NOT_SUPPORTED, "nothing is offered");
  if (!x.is_dense() || !y.is_dense())
    return refuse(CUDNN_STATUS_NOT_SUPPORTED_LAYOUT, "there are gaps in a tensor");
  const bool is_implicit_gemm = result == Convolution::Y && way.number == 0;
  if ((!x.is_row_major() || !y.is_row_major()) && !is_implicit_gemm)
    return refuse(CUDNN_STATUS_NOT_SUPPORTED_LAYOUT, "the channels are last");
  if (way.is_winograd &&
      (w.size[2] != 3 || w.size[3] != 3 || all.stride[0] * all.stride[1] != 1 || all.groups != 1 ||
       all.dilation[0] * all.dilation[1] != 1 || x.type == CUDNN_DATA_DOUBLE))
    return refuse(CUDNN_STATUS_NOT_SUPPORTED, "this is no convolution for Winograd's transforms");
  return CUDNN_STATUS_SUCCESS;
}

const Way* find(Convolution::Array result, int number) {
  const auto& ways = kWays[result];
  const auto found =
      std::find_if(ways.begin(), ways.end(), [&](const Way& way) { return way.number == number; });
  return found == ways.end() ? nullptr : &*found;
}

/// Which array is which descriptor's: the factors come in the order of Array.
template <typename Algorithm>
constexpr Convolution::Array kResult =
    std::is_same_v<Algorithm, cudnnConvolutionFwdAlgo_t>       ? Convolution::Y
    : std::is_same_v<Algorithm, cudnnConvolutionBwdDataAlgo_t> ? Convolution::X
                                                               : Convolution::W;
constexpr Convolution::Array first_factor(Convolution::Array result) {
  return result == Convolution::X ? Convolution::W : Convolution::X;
}
constexpr Convolution::Array second_factor(Convolution::Array result) {
  return result == Convolution::Y ? Convolution::W : Convolution::Y;
}

template <typename Algorithm, typename A, typename B, typename Result>
Convolution joined(const cudnnConvolutionStruct& how, const A& a, const B& b,
                   const Result& result) {
  Convolution all = how.convolution;
  all.layouts[kResult<Algorithm>] = result.layout;
  all.layouts[first_factor(kResult<Algorithm>)] = a.layout;
  all.layouts[second_factor(kResult<Algorithm>)] = b.layout;
  return all;
}

}  // namespace

template <typename Algorithm, typename A, typename B, typename Result>
cudnnStatus_t Product<Algorithm, A, B, Result>::count(cudnnHandle_t, int* count) {
  *count = 8;
  return CUDNN_STATUS_SUCCESS;
}

template <typename Algorithm, typename A, typename B, typename Result>
cudnnStatus_t Product<Algorithm, A, B, Result>::list(cudnnHandle_t, A a, B b,
                                                     cudnnConvolutionDescriptor_t how,
                                                     Result result, int most, int* count,
                                                     Offer<Algorithm>* offers) {
  const Guard guard(lock);
  const Convolution all = joined<Algorithm>(*how, *a, *b, *result);
  if (const cudnnStatus_t status = check(all)) return status;
  std::vector<Way> ways = kWays[kResult<Algorithm>];
  if (cudnn.prefers_nondeterministic)
    std::stable_partition(ways.begin(), ways.end(),
                          [](const Way& way) { return !way.is_deterministic; });
  *count = std::min(most, static_cast<int>(ways.size()));
  for (int i = 0; i < *count; ++i) {
    const Way& way = ways[static_cast<std::size_t>(i)];
    offers[i] = {Algorithm(way.number),
                 status_of(way, all, kResult<Algorithm>),
                 static_cast<float>(i + 1),
                 workspace_of(way),
                 way.is_deterministic ? CUDNN_DETERMINISTIC : CUDNN_NON_DETERMINISTIC,
                 all.math,
                 {}};
  }
  return CUDNN_STATUS_SUCCESS;
}

template <typename Algorithm, typename A, typename B, typename Result>
cudnnStatus_t Product<Algorithm, A, B, Result>::workspace(cudnnHandle_t, A a, B b,
                                                          cudnnConvolutionDescriptor_t how,
                                                          Result result, Algorithm number,
                                                          std::size_t* bytes) {
  const Guard guard(lock);
  const Convolution all = joined<Algorithm>(*how, *a, *b, *result);
  if (const cudnnStatus_t status = check(all)) return status;
  const Way* const way = find(kResult<Algorithm>, number);
  if (!way) return refuse(CUDNN_STATUS_NOT_SUPPORTED, "there is no such algorithm");
  *bytes = workspace_of(*way);
  return status_of(*way, all, kResult<Algorithm>);
}

namespace {

/// A product, and a bias unless that is null.
template <typename Product, typename Algorithm, typename A, typename B, typename Result>
cudnnStatus_t run_product(cudnnHandle_t handle, const void* alpha, A of_a, const void* a, B of_b,
                          const void* b, cudnnConvolutionDescriptor_t how, Algorithm number,
                          void* work, std::size_t bytes, const void* beta, Result of_result,
                          void* result, const void* bias) {
  const Guard guard(lock);
  constexpr Convolution::Array kWritten = kResult<Algorithm>;
  const Convolution all = joined<Algorithm>(*how, *of_a, *of_b, *of_result);
  std::size_t needed = 0;
  if (const cudnnStatus_t status =
          Product::workspace(handle, of_a, of_b, how, of_result, number, &needed))
    return status;
  std::array<void*, 3> data{};
  data[first_factor(kWritten)] = const_cast<void*>(a);
  data[second_factor(kWritten)] = const_cast<void*>(b);
  data[kWritten] = result;
  if (bytes < needed)
    return refuse(CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT, "the workspace is too small");
  const auto number_at = [&](const void* at) {
    return all.computes_in == CUDNN_DATA_DOUBLE
               ? *static_cast<const double*>(at)
               : static_cast<double>(*static_cast<const float*>(at));
  };
  const cudnnStatus_t status =
      run(*handle, all, kWritten, data, work, needed,
          factor_of(std::to_string(number)) * number_at(alpha), number_at(beta), bias);
  if (status == CUDNN_STATUS_SUCCESS) cudnn.algorithm = number;
  return status;
}

}  // namespace

template <typename Algorithm, typename A, typename B, typename Result>
cudnnStatus_t Product<Algorithm, A, B, Result>::run(cudnnHandle_t handle, const void* alpha, A of_a,
                                                    const void* a, B of_b, const void* b,
                                                    cudnnConvolutionDescriptor_t how,
                                                    Algorithm number, void* work, std::size_t bytes,
                                                    const void* beta, Result of_result,
                                                    void* result) {
  return run_product<Product>(handle, alpha, of_a, a, of_b, b, how, number, work, bytes, beta,
                              of_result, result, nullptr);
}

template struct Product<cudnnConvolutionFwdAlgo_t, cudnnTensorDescriptor_t, cudnnFilterDescriptor_t,
                        cudnnTensorDescriptor_t>;
template struct Product<cudnnConvolutionBwdDataAlgo_t, cudnnFilterDescriptor_t,
                        cudnnTensorDescriptor_t, cudnnTensorDescriptor_t>;
template struct Product<cudnnConvolutionBwdFilterAlgo_t, cudnnTensorDescriptor_t,
                        cudnnTensorDescriptor_t, cudnnFilterDescriptor_t>;

template cudnnStatus_t create(cudnnTensorStruct**);
template cudnnStatus_t create(cudnnFilterStruct**);
template cudnnStatus_t create(cudnnConvolutionStruct**);
template cudnnStatus_t create(cudnnActivationStruct**);
template cudnnStatus_t create(cudnnDropoutStruct**);
template cudnnStatus_t create(cudnnRNNStruct**);
template cudnnStatus_t create(cudnnRNNDataStruct**);
template cudnnStatus_t destroy(cudnnTensorStruct*);
template cudnnStatus_t destroy(cudnnFilterStruct*);
template cudnnStatus_t destroy(cudnnConvolutionStruct*);
template cudnnStatus_t destroy(cudnnActivationStruct*);
template cudnnStatus_t destroy(cudnnDropoutStruct*);
template cudnnStatus_t destroy(cudnnRNNStruct*);
template cudnnStatus_t destroy(cudnnRNNDataStruct*);

}  // namespace emulator

std::size_t cudnnGetVersion() { return cudnn.version; }
const char* cudnnGetErrorString(cudnnStatus_t status) { return name_of(status); }
void cudnnGetLastErrorString(char* message, std::size_t size) {
  std::snprintf(message, size, "%s", reason_of_last_refusal());
}
cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
  *handle = new cudnnContext{current_device};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  handle->user = std::this_thread::get_id();
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetTensor4dDescriptorEx(cudnnTensorDescriptor_t descriptor, cudnnDataType_t type,
                                           int n, int c, int h, int w, int n_stride, int c_stride,
                                           int h_stride, int w_stride) {
  descriptor->layout = {type, {n, c, h, w}, {n_stride, c_stride, h_stride, w_stride}};
  return n > 0 && c > 0 && h > 0 && w > 0 ? CUDNN_STATUS_SUCCESS
                                          : refuse(CUDNN_STATUS_BAD_PARAM, "a tensor of nothing");
}
cudnnStatus_t cudnnSetFilter4dDescriptor(cudnnFilterDescriptor_t descriptor, cudnnDataType_t type,
                                         cudnnTensorFormat_t, int k, int c, int h, int w) {
  descriptor->layout = {type, {k, c, h, w}, {c * h * w, h * w, w, 1}};
  return k > 0 && c > 0 && h > 0 && w > 0 ? CUDNN_STATUS_SUCCESS
                                          : refuse(CUDNN_STATUS_BAD_PARAM, "a filter of nothing");
}
cudnnStatus_t cudnnSetConvolution2dDescriptor(cudnnConvolutionDescriptor_t descriptor, int pad_h,
                                              int pad_w, int stride_h, int stride_w, int dilation_h,
                                              int dilation_w, cudnnConvolutionMode_t,
                                              cudnnDataType_t compute_type) {
  descriptor->convolution = {.layouts = {},
                             .padding = {pad_h, pad_w},
                             .stride = {stride_h, stride_w},
                             .dilation = {dilation_h, dilation_w},
                             .computes_in = compute_type};
  return pad_h >= 0 && pad_w >= 0 && stride_h > 0 && stride_w > 0 && dilation_h > 0 &&
                 dilation_w > 0
             ? CUDNN_STATUS_SUCCESS
             : refuse(CUDNN_STATUS_BAD_PARAM, "padding, stride or dilation");
}
cudnnStatus_t cudnnSetConvolutionGroupCount(cudnnConvolutionDescriptor_t descriptor, int groups) {
  descriptor->convolution.groups = groups;
  return groups > 0 ? CUDNN_STATUS_SUCCESS : refuse(CUDNN_STATUS_BAD_PARAM, "groups");
}
cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t descriptor,
                                          cudnnMathType_t math) {
  descriptor->convolution.math = math;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetActivationDescriptor(cudnnActivationDescriptor_t descriptor,
                                           cudnnActivationMode_t mode, cudnnNanPropagation_t nan,
                                           double) {
  *descriptor = {mode, nan};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnConvolutionBiasActivationForward(
    cudnnHandle_t handle, const void* alpha, cudnnTensorDescriptor_t of_x, const void* x,
    cudnnFilterDescriptor_t of_w, const void* w, cudnnConvolutionDescriptor_t how,
    cudnnConvolutionFwdAlgo_t number, void* work, std::size_t bytes, const void* alpha_z,
    cudnnTensorDescriptor_t of_z, const void* z, cudnnTensorDescriptor_t of_bias, const void* bias,
    cudnnActivationDescriptor_t activation, cudnnTensorDescriptor_t of_y, void* y) {
  if (cudnn.refuses_bias || activation->mode != CUDNN_ACTIVATION_IDENTITY ||
      activation->nan != CUDNN_NOT_PROPAGATE_NAN ||
      number != CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM)
    return refuse(CUDNN_STATUS_NOT_SUPPORTED, "not with this activation and algorithm");
  const Layout &all = of_y->layout, &one = of_bias->layout;
  const bool is_bias = one.type == all.type && one.size[0] == 1 && one.size[1] == all.size[1] &&
                       one.size[2] == 1 && one.size[3] == 1 && one.stride[1] == 1;
  if (!is_bias || z != y || of_z != of_y)
    return refuse(CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH, "bias or z do not fit");
  return run_product<Forward>(handle, alpha, of_x, x, of_w, w, how, number, work, bytes, alpha_z,
                              of_y, y, bias);
}
