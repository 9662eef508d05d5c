// Layers of LSTM and GRU by the emulated cuDNN: what it is told is checked, and the work queued.
#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "cuda/emulated/accesses.h"
#include "cuda/emulated/recurrent_layer.h"
#include "cuda/emulated/work.h"

using namespace emulator;

namespace emulator {
namespace {

using Guard = std::lock_guard<std::recursive_mutex>;
constexpr std::size_t kWork = 256;
std::size_t reserve_of(const cudnnRNNStruct& rnn, const cudnnRNNDataStruct& data) {
  return static_cast<std::size_t>(data.rows() * rnn.directions * kKept * rnn.hidden) *
         sizeof(double);
}

struct Array {
  const void* data;
  int64_t count;  // of elements
  bool is_written = false, is_read = true;
};

/// Checks a call and queues `run`, which is handed a RecurrentLayer of the type.
template <typename Run>
cudnnStatus_t call(cudnnHandle_t handle, const cudnnRNNStruct& rnn, const int32_t* lengths,
                   const cudnnRNNDataStruct& of_x, const cudnnRNNDataStruct& of_y,
                   const cudnnTensorStruct& of_h, const cudnnTensorStruct* of_c,
                   std::size_t weight_bytes, std::size_t work_bytes, void* work,
                   std::size_t reserve_bytes, void* reserve, bool keeps, std::vector<Array> arrays,
                   const Run& run) {
  const Guard guard(lock);
  if (const cudnnStatus_t status = check_user(*handle)) return status;
  if (lengths) return refuse(CUDNN_STATUS_BAD_PARAM, "devSeqLengths is for older versions");
  const auto is_state = [&](const cudnnTensorStruct& one) {
    const int sizes[] = {rnn.directions, of_x.samples, rnn.hidden};
    return one.layout.type == rnn.type && std::equal(sizes, sizes + 3, one.layout.size) &&
           one.layout.is_row_major();
  };
  if (of_x.type != rnn.type || of_y.type != rnn.type || of_x.lengths != of_y.lengths ||
      of_x.width != rnn.input || of_y.width != rnn.hidden * rnn.directions || !is_state(of_h) ||
      rnn.is_lstm != (of_c != nullptr) || (of_c && !is_state(*of_c)))
    return refuse(CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH, "descriptors do not fit");
  const std::size_t needed = keeps ? reserve_of(rnn, of_x) : 0;
  if (weight_bytes != static_cast<std::size_t>(rnn.weights()) * rnn.element() ||
      work_bytes < kWork || reserve_bytes < needed)
    return refuse(CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT, "a space is too small");
  arrays.push_back({work, static_cast<int64_t>(kWork / rnn.element()), true, false});
  for (const Array& one : arrays) {
    if (!one.data) continue;
    if (reinterpret_cast<uintptr_t>(one.data) % 16 != 0)
      return refuse(CUDNN_STATUS_BAD_PARAM_MISALIGNED_POINTER, "16 bytes is the alignment");
    if (!is_memory_of(handle->device, one.data,
                      static_cast<std::size_t>(one.count) * rnn.element()))
      return CUDNN_STATUS_EXECUTION_FAILED;
  }
  if (keeps && !is_memory_of(handle->device, reserve, needed)) return CUDNN_STATUS_EXECUTION_FAILED;
  if (cudnn.breaks) return refuse(CUDNN_STATUS_EXECUTION_FAILED, "the GPU is on fire");
  ++counts.launches;
  const double flop = 2.0 * static_cast<double>(of_x.rows() * rnn.weights());
  queue(stream_of(handle->stream), "a recurrent layer",
        [=, rnn = rnn, data = of_x, arrays = std::move(arrays)](uint32_t launch) {
          const auto note = [&](const void* at, std::size_t bytes, bool writes) {
            if (at) note_access(at, bytes, writes, launch, "a recurrent layer");
          };
          for (const Array& one : arrays) {
            const std::size_t bytes = static_cast<std::size_t>(one.count) * rnn.element();
            if (one.is_read) note(one.data, bytes, false);
            if (one.is_written) note(one.data, bytes, true);
          }
          if (keeps) note(reserve, needed, true);
          auto* const kept = keeps ? static_cast<double*>(reserve) : nullptr;
          const auto as = [&]<typename T>(T) {
            RecurrentLayer<T> layer{rnn, data};
            layer.kept = kept;
            run(layer);
          };
          rnn.type == CUDNN_DATA_DOUBLE ? as(double()) : as(float());
          return true;
        },
        {.flop = flop});
  return has_faulted ? refuse(CUDNN_STATUS_EXECUTION_FAILED, "an earlier kernel has failed")
                     : CUDNN_STATUS_SUCCESS;
}

}  // namespace
}  // namespace emulator

cudnnStatus_t cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t descriptor, cudnnDataType_t type,
                                         int dims, const int* sizes, const int* strides) {
  if (dims != 3) return refuse(CUDNN_STATUS_NOT_SUPPORTED, "only three dimensions");
  descriptor->layout = {
      type, {sizes[0], sizes[1], sizes[2], 1}, {strides[0], strides[1], strides[2], 1}};
  return std::all_of(sizes, sizes + dims, [](int one) { return one > 0; })
             ? CUDNN_STATUS_SUCCESS
             : refuse(CUDNN_STATUS_BAD_PARAM, "a tensor of nothing");
}
cudnnStatus_t cudnnSetDropoutDescriptor(cudnnDropoutDescriptor_t descriptor, cudnnHandle_t, float p,
                                        void*, std::size_t, unsigned long long) {
  descriptor->is_set = p == 0;
  return p == 0 ? CUDNN_STATUS_SUCCESS : refuse(CUDNN_STATUS_NOT_SUPPORTED, "dropout");
}
cudnnStatus_t cudnnSetRNNDescriptor_v8(cudnnRNNDescriptor_t descriptor, cudnnRNNAlgo_t,
                                       cudnnRNNMode_t mode, cudnnRNNBiasMode_t biases,
                                       cudnnDirectionMode_t directions, cudnnRNNInputMode_t,
                                       cudnnDataType_t type, cudnnDataType_t computes_in,
                                       cudnnMathType_t, int32_t input, int32_t hidden,
                                       int32_t projected, int32_t layers,
                                       cudnnDropoutDescriptor_t dropout, uint32_t) {
  if (!cudnn.offers) return refuse(CUDNN_STATUS_NOT_SUPPORTED, "nothing is offered");
  if (!dropout->is_set || computes_in != type || projected != hidden || layers != 1 || input < 1 ||
      hidden < 1)
    return refuse(CUDNN_STATUS_BAD_PARAM, "a layer that is not described well");
  *descriptor = {mode == CUDNN_LSTM,
                 biases == CUDNN_RNN_DOUBLE_BIAS,
                 directions == CUDNN_BIDIRECTIONAL ? 2 : 1,
                 input,
                 hidden,
                 type};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetRNNDataDescriptor(cudnnRNNDataDescriptor_t descriptor, cudnnDataType_t type,
                                        cudnnRNNDataLayout_t, int steps, int samples, int width,
                                        const int* lengths, void*) {
  *descriptor = {type, steps, samples, width, {lengths, lengths + samples}};
  const bool falls = std::is_sorted(lengths, lengths + samples, std::greater<>());
  return samples > 0 && falls && lengths[0] == steps && lengths[samples - 1] > 0
             ? CUDNN_STATUS_SUCCESS
             : refuse(CUDNN_STATUS_BAD_PARAM, "lengths of packed sequences do not rise");
}
cudnnStatus_t cudnnGetRNNWeightSpaceSize(cudnnHandle_t, cudnnRNNDescriptor_t rnn,
                                         std::size_t* bytes) {
  *bytes = static_cast<std::size_t>(rnn->weights()) * rnn->element();
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetRNNWeightParams(cudnnHandle_t, cudnnRNNDescriptor_t rnn, int32_t direction,
                                      std::size_t, const void* weights, int32_t which,
                                      cudnnTensorDescriptor_t, void** matrix,
                                      cudnnTensorDescriptor_t, void** bias) {
  const auto at = [&](int64_t element) {
    return const_cast<char*>(static_cast<const char*>(weights)) +
           element * static_cast<int64_t>(rnn->element()) + (cudnn.pads_weights ? 16 : 0);
  };
  const int gates = rnn->gates();
  const int64_t of_x = int64_t{rnn->hidden} * rnn->input, of_h = int64_t{rnn->hidden} * rnn->hidden;
  *matrix = at(direction * rnn->matrices_of_direction() +
               (which < gates ? which * of_x : gates * of_x + (which - gates) * of_h));
  *bias = rnn->has_biases ? at(rnn->directions * rnn->matrices_of_direction() +
                               (2 * direction * gates + which) * rnn->hidden)
                          : nullptr;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetRNNTempSpaceSizes(cudnnHandle_t, cudnnRNNDescriptor_t rnn,
                                        cudnnForwardMode_t mode, cudnnRNNDataDescriptor_t of_x,
                                        std::size_t* work, std::size_t* reserve) {
  *work = kWork;
  *reserve = mode == CUDNN_FWD_MODE_TRAINING ? reserve_of(*rnn, *of_x) : 0;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnRNNForward(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn,
                              cudnnForwardMode_t mode, const int32_t* lengths,
                              cudnnRNNDataDescriptor_t of_x, const void* x,
                              cudnnRNNDataDescriptor_t of_y, void* y, cudnnTensorDescriptor_t of_h,
                              const void* h, void* last_h, cudnnTensorDescriptor_t of_c,
                              const void* c, void* last_c, std::size_t weight_bytes,
                              const void* weights, std::size_t work_bytes, void* work,
                              std::size_t reserve_bytes, void* reserve) {
  const int64_t state = of_h->layout.numel();
  return call(handle, *rnn, lengths, *of_x, *of_y, *of_h, of_c, weight_bytes, work_bytes, work,
              reserve_bytes, reserve, mode == CUDNN_FWD_MODE_TRAINING,
              {{x, of_x->rows() * of_x->width},
               {h, state},
               {c, state},
               {weights, rnn->weights()},
               {y, of_y->rows() * of_y->width, true, false},
               {last_h, state, true, false},
               {last_c, state, true, false}},
              [=]<typename T>(RecurrentLayer<T>& layer) {
                layer.x = static_cast<const T*>(x);
                layer.h = static_cast<const T*>(h);
                layer.c = static_cast<const T*>(c);
                layer.weights = static_cast<const T*>(weights);
                layer.forward(static_cast<T*>(y), static_cast<T*>(last_h), static_cast<T*>(last_c));
              });
}
cudnnStatus_t cudnnRNNBackwardData_v8(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn,
                                      const int32_t* lengths, cudnnRNNDataDescriptor_t of_y,
                                      const void* y, const void* dy, cudnnRNNDataDescriptor_t of_x,
                                      void* dx, cudnnTensorDescriptor_t of_h, const void* h,
                                      const void* last_dh, void* dh, cudnnTensorDescriptor_t of_c,
                                      const void* c, const void* last_dc, void* dc,
                                      std::size_t weight_bytes, const void* weights,
                                      std::size_t work_bytes, void* work, std::size_t reserve_bytes,
                                      void* reserve) {
  const int64_t state = of_h->layout.numel(), rows = of_x->rows();
  return call(handle, *rnn, lengths, *of_x, *of_y, *of_h, of_c, weight_bytes, work_bytes, work,
              reserve_bytes, reserve, true,
              {{y, rows * of_y->width},
               {dy, rows * of_y->width},
               {h, state},
               {c, state},
               {last_dh, state},
               {last_dc, state},
               {weights, rnn->weights()},
               {dx, rows * of_x->width, true, false},
               {dh, state, true, false},
               {dc, state, true, false}},
              [=]<typename T>(RecurrentLayer<T>& layer) {
                layer.weights = static_cast<const T*>(weights);
                layer.backward(static_cast<const T*>(dy), static_cast<const T*>(last_dh),
                               static_cast<const T*>(last_dc), static_cast<T*>(dx),
                               static_cast<T*>(dh), static_cast<T*>(dc));
              });
}
cudnnStatus_t cudnnRNNBackwardWeights_v8(
    cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, cudnnWgradMode_t, const int32_t* lengths,
    cudnnRNNDataDescriptor_t of_x, const void* x, cudnnTensorDescriptor_t of_h, const void* h,
    cudnnRNNDataDescriptor_t of_y, const void* y, std::size_t weight_bytes, void* dweights,
    std::size_t work_bytes, void* work, std::size_t reserve_bytes, void* reserve) {
  return call(handle, *rnn, lengths, *of_x, *of_y, *of_h, rnn->is_lstm ? of_h : nullptr,
              weight_bytes, work_bytes, work, reserve_bytes, reserve, true,
              {{x, of_x->rows() * of_x->width},
               {h, of_h->layout.numel()},
               {y, of_y->rows() * of_y->width},
               {dweights, rnn->weights(), true}},
              [=]<typename T>(RecurrentLayer<T>& layer) {
                layer.x = static_cast<const T*>(x);
                layer.h = static_cast<const T*>(h);
                layer.gradients_of_weights(static_cast<const T*>(y), static_cast<T*>(dweights));
              });
}
