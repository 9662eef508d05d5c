// What the emulated cuDNN does with a layer of an LSTM or GRU along packed sequences: it checks
// what it is told, and adds up in double when the emulated stream comes to it. Weights lie one
// after the other. As a real one's, its backward by data leaves in the reserve space what its
// backward by weights reads.
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "cuda/emulated/accesses.h"
#include "cuda/emulated/cudnn_state.h"
#include "cuda/emulated/work.h"

using namespace emulator;

namespace emulator {
namespace {

using Guard = std::lock_guard<std::recursive_mutex>;
constexpr std::size_t kWork = 256;
/// Per row, direction and hidden unit, in numbers of double: gates, what the state was made of, and
/// gradients of the gates.
constexpr int kKept = 10;

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// The arrays of a call; null ones are zero, or not wanted.
template <typename T>
struct Layer {
  cudnnRNNStruct rnn;
  cudnnRNNDataStruct data;
  const T *x = nullptr, *h = nullptr, *c = nullptr, *weights = nullptr;
  double* kept = nullptr;

  int direction = 0;
  std::vector<int64_t> first_row = {};  // of each step

  void begin(int which) {
    direction = which;
    first_row.assign(1, 0);
    for (int t = 0; t < data.steps; ++t) first_row.push_back(first_row.back() + data.present(t));
  }
  int step(int i) const { return direction == 0 ? i : data.steps - 1 - i; }
  const T* matrix(bool of_h) const {
    return weights + direction * rnn.matrices_of_direction() +
           (of_h ? int64_t{rnn.gates()} * rnn.hidden * rnn.input : 0);
  }
  double bias(bool of_h, int row) const {
    if (!rnn.has_biases) return 0;
    return weights[rnn.directions * rnn.matrices_of_direction() +
                   (2 * direction + of_h) * rnn.gates() * rnn.hidden + row];
  }
  double* kept_at(int64_t row, int part) const {
    return kept + ((row * rnn.directions + direction) * kKept + part) * rnn.hidden;
  }
  std::vector<double> state(const T* given) const {
    const auto count =
        static_cast<std::size_t>(data.samples) * static_cast<std::size_t>(rnn.hidden);
    std::vector<double> result(count, 0);
    if (given) std::copy_n(given + direction * static_cast<int64_t>(count), count, result.begin());
    return result;
  }
  void store(T* to, const std::vector<double>& state) const {
    if (to)
      std::transform(state.begin(), state.end(),
                     to + direction * static_cast<int64_t>(state.size()),
                     [](double one) { return static_cast<T>(one); });
  }
  double product(const T* matrix, int row, const auto* vector, int width) const {
    double sum = 0;
    for (int k = 0; k < width; ++k) sum += double(matrix[int64_t{row} * width + k]) * vector[k];
    return sum;
  }

  void forward(T* y, T* last_h, T* last_c) {
    const int hidden = rnn.hidden;
    for (int d = 0; d < rnn.directions; ++d) {
      begin(d);
      std::vector<double> now_h = state(h), now_c = state(c);
      for (int i = 0; i < data.steps; ++i)
        for (int s = 0; s < data.present(step(i)); ++s) {
          const int64_t row = first_row[static_cast<std::size_t>(step(i))] + s;
          double* const own_h = &now_h[static_cast<std::size_t>(s * hidden)];
          double* const own_c = &now_c[static_cast<std::size_t>(s * hidden)];
          const std::vector<double> before(own_h, own_h + hidden);
          for (int j = 0; j < hidden; ++j) {
            double of_x[4], of_h[4];
            for (int g = 0; g < rnn.gates(); ++g) {
              const int r = g * hidden + j;
              of_x[g] = product(matrix(false), r, x + row * rnn.input, rnn.input) + bias(false, r);
              of_h[g] = product(matrix(true), r, before.data(), hidden) + bias(true, r);
            }
            double parts[6];
            if (rnn.is_lstm) {
              for (int g = 0; g < 4; ++g)
                parts[g] = g == 2 ? std::tanh(of_x[g] + of_h[g]) : sigmoid(of_x[g] + of_h[g]);
              parts[4] = own_c[j];
              own_c[j] = parts[1] * own_c[j] + parts[0] * parts[2];
              parts[5] = own_c[j];
              own_h[j] = parts[3] * std::tanh(own_c[j]);
            } else {
              for (int g = 0; g < 2; ++g) parts[g] = sigmoid(of_x[g] + of_h[g]);
              parts[2] = std::tanh(of_x[2] + parts[0] * of_h[2]);
              parts[3] = before[static_cast<std::size_t>(j)];
              parts[4] = of_h[2];
              parts[5] = 0;
              own_h[j] = parts[2] + parts[1] * (parts[3] - parts[2]);
            }
            own_h[j] = static_cast<T>(own_h[j]);
            y[(row * rnn.directions + d) * hidden + j] = static_cast<T>(own_h[j]);
            for (int part = 0; kept && part < 6; ++part) kept_at(row, part)[j] = parts[part];
          }
        }
      store(last_h, now_h);
      if (rnn.is_lstm) store(last_c, now_c);
    }
  }

  /// Gradients of the gates, in what is kept, and of the state before, through all but the weights.
  void through_gates(int64_t row, int j, double& of_h, double& of_c) const {
    const auto at = [&](int part) -> double& { return kept_at(row, part)[j]; };
    if (rnn.is_lstm) {
      const double t = std::tanh(at(5)), e = of_c + of_h * at(3) * (1 - t * t);
      at(6) = e * at(2) * at(0) * (1 - at(0));
      at(7) = e * at(4) * at(1) * (1 - at(1));
      at(8) = e * at(0) * (1 - at(2) * at(2));
      at(9) = of_h * t * at(3) * (1 - at(3));
      of_h = 0;
      of_c = e * at(1);
      return;
    }
    at(7) = of_h * (at(3) - at(2)) * at(1) * (1 - at(1));
    at(8) = of_h * (1 - at(1)) * (1 - at(2) * at(2));
    at(6) = at(8) * at(4) * at(0) * (1 - at(0));
    at(9) = at(8) * at(0);  // of the part of n that comes from h
    of_h *= at(1);
  }
  int gradient_part(bool of_h, int gate) const {
    return !rnn.is_lstm && of_h && gate == 2 ? 9 : 6 + gate;
  }

  void backward(const T* dy, const T* last_dh, const T* last_dc, T* dx, T* dh, T* dc) {
    const int hidden = rnn.hidden;
    std::vector<double> of_x(static_cast<std::size_t>(data.rows() * rnn.input), 0);
    for (int d = 0; d < rnn.directions; ++d) {
      begin(d);
      std::vector<double> of_h = state(last_dh), of_c = state(last_dc);
      for (int i = data.steps; i-- > 0;)
        for (int s = 0; s < data.present(step(i)); ++s) {
          const int64_t row = first_row[static_cast<std::size_t>(step(i))] + s;
          double* const own = &of_h[static_cast<std::size_t>(s * hidden)];
          for (int j = 0; j < hidden; ++j) {
            own[j] += dy[(row * rnn.directions + d) * hidden + j];
            through_gates(row, j, own[j], of_c[static_cast<std::size_t>(s * hidden + j)]);
          }
          for (int g = 0; g < rnn.gates(); ++g)
            for (int j = 0; j < hidden; ++j) {
              const int64_t r = g * hidden + j;
              const double by_x = kept_at(row, gradient_part(false, g))[j];
              const double by_h = kept_at(row, gradient_part(true, g))[j];
              for (int k = 0; k < rnn.input; ++k)
                of_x[static_cast<std::size_t>(row * rnn.input + k)] +=
                    by_x * matrix(false)[r * rnn.input + k];
              for (int k = 0; k < hidden; ++k) own[k] += by_h * matrix(true)[r * hidden + k];
            }
        }
      store(dh, of_h);
      if (rnn.is_lstm) store(dc, of_c);
    }
    for (std::size_t i = 0; i < of_x.size(); ++i) dx[i] = static_cast<T>(of_x[i]);
  }

  /// Adds to them.
  void gradients_of_weights(const T* y, T* gradients) {
    const int hidden = rnn.hidden;
    std::vector<double> sums(static_cast<std::size_t>(rnn.weights()), 0);
    for (int d = 0; d < rnn.directions; ++d) {
      begin(d);
      const int64_t matrices = d * rnn.matrices_of_direction();
      const int64_t biases =
          rnn.directions * rnn.matrices_of_direction() + int64_t{2} * d * rnn.gates() * hidden;
      const std::vector<double> first = state(h);
      for (int i = 0; i < data.steps; ++i)
        for (int s = 0; s < data.present(step(i)); ++s) {
          const int64_t row = first_row[static_cast<std::size_t>(step(i))] + s;
          const bool is_first = i == 0 || s >= data.present(step(i - 1));
          const auto before = [&](int k) -> double {
            if (is_first) return first[static_cast<std::size_t>(s * hidden + k)];
            const int64_t earlier = first_row[static_cast<std::size_t>(step(i - 1))] + s;
            return y[(earlier * rnn.directions + d) * hidden + k];
          };
          const auto add = [&](int64_t at, double value) {
            sums[static_cast<std::size_t>(at)] += value;
          };
          for (int g = 0; g < rnn.gates(); ++g)
            for (int j = 0; j < hidden; ++j) {
              const int64_t r = g * hidden + j, rows = int64_t{rnn.gates()} * hidden;
              const double by_x = kept_at(row, gradient_part(false, g))[j];
              const double by_h = kept_at(row, gradient_part(true, g))[j];
              for (int k = 0; k < rnn.input; ++k)
                add(matrices + r * rnn.input + k, by_x * x[row * rnn.input + k]);
              for (int k = 0; k < hidden; ++k)
                add(matrices + rows * rnn.input + r * hidden + k, by_h * before(k));
              if (!rnn.has_biases) continue;
              add(biases + r, by_x);
              add(biases + rows + r, by_h);
            }
        }
    }
    for (std::size_t i = 0; i < sums.size(); ++i)
      gradients[i] = static_cast<T>(gradients[i] + sums[i]);
  }
};

std::size_t reserve_of(const cudnnRNNStruct& rnn, const cudnnRNNDataStruct& data) {
  return static_cast<std::size_t>(data.rows() * rnn.directions * kKept * rnn.hidden) *
         sizeof(double);
}

struct Array {
  const void* data;
  int64_t count;  // of elements
  bool is_written = false, is_read = true;
};

/// Checks a call and queues `run`, which is handed a Layer of the type.
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
            Layer<T> layer{rnn, data};
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
              [=]<typename T>(Layer<T>& layer) {
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
              [=]<typename T>(Layer<T>& layer) {
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
              [=]<typename T>(Layer<T>& layer) {
                layer.x = static_cast<const T*>(x);
                layer.h = static_cast<const T*>(h);
                layer.gradients_of_weights(static_cast<const T*>(y), static_cast<T*>(dweights));
              });
}
