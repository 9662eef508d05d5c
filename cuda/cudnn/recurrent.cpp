#include "cuda/cudnn/recurrent.h"

#include <cstdint>
#include <limits>

#include "autograd/modes/allow_tf32.h"
#include "cuda/cudnn/descriptors.h"
#include "ops/core/allocate.h"

namespace notape::cuda {
namespace {

using RnnDescriptor =
    Descriptor<cudnnRNNDescriptor_t, cudnnCreateRNNDescriptor, cudnnDestroyRNNDescriptor>;
using RnnDataDescriptor = Descriptor<cudnnRNNDataDescriptor_t, cudnnCreateRNNDataDescriptor,
                                     cudnnDestroyRNNDataDescriptor>;
using DropoutDescriptor = Descriptor<cudnnDropoutDescriptor_t, cudnnCreateDropoutDescriptor,
                                     cudnnDestroyDropoutDescriptor>;

/// Where vectors can be loaded: itself, or a copy.
Tensor aligned(const Tensor& tensor) {
  if (!tensor.defined() || reinterpret_cast<std::uintptr_t>(tensor.impl().data()) % 16 == 0)
    return tensor;
  const Tensor copy = allocate(tensor.sizes(), tensor.dtype(), tensor.device());
  raw_copy(copy, tensor);
  return copy;
}

/// On the device of `like`.
Tensor memory(std::size_t bytes, const Tensor& like) {
  return allocate(IntArrayRef({static_cast<int64_t>(bytes)}), kUInt8, like.device());
}

void* data_of(const Tensor& tensor) { return tensor.defined() ? tensor.impl().data() : nullptr; }

/// cuDNN says no, and has done nothing.
struct Refused {};

/// What cuDNN is told of a layer.
class Rnn {
 public:
  /// Throws Refused.
  Rnn(const Operation& op, const Handle& handle, const SequenceLayer& layer, ScalarType dtype)
      : x(op),
        y(op),
        h(op),
        op_(op),
        handle_(handle),
        rnn_(op),
        dropout_(op),
        is_lstm_(layer.is_lstm) {
    const cudnnDataType_t type = dtype == kFloat64 ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
    const bool rounds = dtype == kFloat32 && allow_tf32();
    const auto input = static_cast<int32_t>(layer.input),
               hidden = static_cast<int32_t>(layer.hidden);
    check(op, cudnnSetDropoutDescriptor(dropout_, handle, 0, nullptr, 0, 0));
    take(cudnnSetRNNDescriptor_v8(
        rnn_, CUDNN_RNN_ALGO_STANDARD, layer.is_lstm ? CUDNN_LSTM : CUDNN_GRU,
        layer.has_biases ? CUDNN_RNN_DOUBLE_BIAS : CUDNN_RNN_NO_BIAS,
        layer.directions == 2 ? CUDNN_BIDIRECTIONAL : CUDNN_UNIDIRECTIONAL, CUDNN_LINEAR_INPUT,
        type, type, rounds ? CUDNN_DEFAULT_MATH : CUDNN_FMA_MATH, input, hidden, hidden, 1,
        dropout_, CUDNN_RNN_PADDED_IO_DISABLED));
    const auto samples = static_cast<int>(layer.batch_sizes[0]),
               steps = static_cast<int>(layer.batch_sizes.size()),
               directions = static_cast<int>(layer.directions);
    std::vector<int> lengths(static_cast<std::size_t>(samples), 0);
    for (const int64_t present : layer.batch_sizes)
      for (int64_t i = 0; i < present; ++i) ++lengths[static_cast<std::size_t>(i)];
    const auto describe = [&](const RnnDataDescriptor& one, int width) {
      take(cudnnSetRNNDataDescriptor(one, type, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED, steps,
                                     samples, width, lengths.data(), nullptr));
    };
    describe(x, input);
    describe(y, hidden * directions);
    const int sizes[] = {directions, samples, hidden}, strides[] = {samples * hidden, hidden, 1};
    check(op, cudnnSetTensorNdDescriptor(h, type, 3, sizes, strides));
  }

  /// Whether cuDNN keeps them one after the other, as SequenceOperands has them.
  bool takes(const Tensor& weights, const SequenceLayer& layer) const {
    std::size_t expected = 0;
    take(cudnnGetRNNWeightSpaceSize(handle_, rnn_, &expected));
    if (expected != weights.nbytes()) return false;
    const TensorDescriptor matrix(op_), bias(op_);
    const auto place = [&](const void* at) {
      return (static_cast<const char*>(at) - static_cast<const char*>(data_of(weights))) /
             static_cast<int64_t>(weights.element_size());
    };
    const auto gates = static_cast<int32_t>(layer.gates());
    const int64_t of_x = layer.hidden * layer.input, of_h = layer.hidden * layer.hidden;
    const int64_t matrices = layer.directions * gates * (of_x + of_h);
    for (int32_t d = 0; d < layer.directions; ++d)
      for (int32_t i = 0; i < 2 * gates; ++i) {
        void *matrix_at = nullptr, *bias_at = nullptr;
        take(cudnnGetRNNWeightParams(handle_, rnn_, d, expected, data_of(weights), i, matrix,
                                     &matrix_at, bias, &bias_at));
        const int64_t before = d * gates * (of_x + of_h);
        const int64_t wanted = i < gates ? i * of_x : gates * of_x + (i - gates) * of_h;
        if (place(matrix_at) != before + wanted) return false;
        if (layer.has_biases && place(bias_at) != matrices + (2 * d * gates + i) * layer.hidden)
          return false;
      }
    return true;
  }

  /// Bytes for work, and for what backward needs: none if there is no backward.
  std::pair<std::size_t, std::size_t> spaces(bool keeps) const {
    std::size_t work = 0, reserve = 0;
    take(cudnnGetRNNTempSpaceSizes(handle_, rnn_,
                                   keeps ? CUDNN_FWD_MODE_TRAINING : CUDNN_FWD_MODE_INFERENCE, x,
                                   &work, &reserve));
    return {work, keeps ? reserve : 0};
  }

  void take(cudnnStatus_t status) const {
    if (is_refusal(status)) throw Refused();
    check(op_, status);
  }
  operator cudnnRNNDescriptor_t() const { return rnn_; }
  cudnnTensorDescriptor_t c() const {
    return is_lstm_ ? static_cast<cudnnTensorDescriptor_t>(h) : nullptr;
  }

  RnnDataDescriptor x, y;
  TensorDescriptor h;

 private:
  const Operation& op_;
  const Handle& handle_;
  RnnDescriptor rnn_;
  DropoutDescriptor dropout_;
  bool is_lstm_;
};

std::size_t bytes_of(const Tensor& tensor) { return tensor.defined() ? tensor.nbytes() : 0; }

/// cuDNN counts in 32 bits.
bool is_within_cudnn(const SequenceOperands& in, const SequenceResults& out) {
  for (const Tensor* one : {&in.x, &in.weights, &out.output, &out.h})
    if (one->numel() > std::numeric_limits<int32_t>::max()) return false;
  return true;
}

}  // namespace

void sequence_forward(const Operation& op, SequenceForward& run) {
  run.in.weights = run.join_weights();
  if (!is_within_cudnn(run.in, run.out)) return;
  const Tensor x = aligned(run.in.x), h = aligned(run.in.h), c = aligned(run.in.c),
               &weights = run.in.weights;
  const Handle handle(op, x.device());
  try {
    const Rnn rnn(op, handle, run.layer, x.dtype());
    if (!rnn.takes(weights, run.layer)) return;
    const auto [work_bytes, reserve_bytes] = rnn.spaces(run.keeps);
    const Tensor work = memory(work_bytes, x), reserve = memory(reserve_bytes, x);
    rnn.take(cudnnRNNForward(
        handle, rnn, run.keeps ? CUDNN_FWD_MODE_TRAINING : CUDNN_FWD_MODE_INFERENCE, nullptr, rnn.x,
        data_of(x), rnn.y, data_of(run.out.output), rnn.h, data_of(h), data_of(run.out.h), rnn.c(),
        data_of(c), data_of(run.out.c), bytes_of(weights), data_of(weights), bytes_of(work),
        data_of(work), bytes_of(reserve), data_of(reserve)));
    run.reserve = reserve;
    run.is_done = true;
  } catch (const Refused&) {
    run.is_done = false;
  }
}

void sequence_backward(const Operation& op, SequenceBackward& run) {
  const Tensor x = aligned(run.in.x), h = aligned(run.in.h), c = aligned(run.in.c),
               output = aligned(run.output), grad = aligned(run.grads.output),
               grad_h = aligned(run.grads.h), grad_c = aligned(run.grads.c),
               &weights = run.in.weights;
  const Handle handle(op, x.device());
  try {
    const Rnn rnn(op, handle, run.layer, x.dtype());
    const Tensor work = memory(rnn.spaces(true).first, x);
    rnn.take(cudnnRNNBackwardData_v8(
        handle, rnn, nullptr, rnn.y, data_of(output), data_of(grad), rnn.x, data_of(run.out.x),
        rnn.h, data_of(h), data_of(grad_h), data_of(run.out.h), rnn.c(), data_of(c),
        data_of(grad_c), data_of(run.out.c), bytes_of(weights), data_of(weights), bytes_of(work),
        data_of(work), bytes_of(run.reserve), data_of(run.reserve)));
    if (!run.out.weights.defined()) return;
    rnn.take(cudnnRNNBackwardWeights_v8(
        handle, rnn, CUDNN_WGRAD_MODE_ADD, nullptr, rnn.x, data_of(x), rnn.h, data_of(h), rnn.y,
        data_of(output), bytes_of(weights), data_of(run.out.weights), bytes_of(work), data_of(work),
        bytes_of(run.reserve), data_of(run.reserve)));
  } catch (const Refused&) {
    op.fail<DeviceError>("cuDNN refuses the gradient of a layer that it has run");
  }
}

}  // namespace notape::cuda
