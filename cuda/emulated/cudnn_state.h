// What the files of the emulated cuDNN share.
#pragma once
#include <array>
#include <string>
#include <thread>
#include <vector>

#include "cuda/emulated/convolution.h"

struct cudnnContext {
  int device;
  cudaStream_t stream = nullptr;
  std::thread::id user{};  // who said the stream
};
struct cudnnTensorStruct {
  emulator::Layout layout{};
};
struct cudnnFilterStruct {
  emulator::Layout layout{};
};
struct cudnnConvolutionStruct {
  emulator::Convolution convolution{};
};
struct cudnnActivationStruct {
  cudnnActivationMode_t mode = CUDNN_ACTIVATION_RELU;
  cudnnNanPropagation_t nan = CUDNN_PROPAGATE_NAN;
};
struct cudnnDropoutStruct {
  bool is_set = false;
};
struct cudnnRNNStruct {
  bool is_lstm = false, has_biases = false;
  int directions = 0, input = 0, hidden = 0;
  cudnnDataType_t type = CUDNN_DATA_FLOAT;

  int gates() const { return is_lstm ? 4 : 3; }
  std::size_t element() const { return type == CUDNN_DATA_DOUBLE ? 8 : 4; }
  int64_t matrices_of_direction() const { return int64_t{gates()} * hidden * (input + hidden); }
  int64_t weights() const {
    return directions * (matrices_of_direction() + (has_biases ? 2 * gates() * hidden : 0));
  }
};
struct cudnnRNNDataStruct {
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  int steps = 0, samples = 0, width = 0;
  std::vector<int> lengths{};

  int present(int step) const {
    int count = 0;
    for (const int length : lengths) count += length > step;
    return count;
  }
  int64_t rows() const {
    int64_t count = 0;
    for (const int length : lengths) count += length;
    return count;
  }
};

namespace emulator {

/// `status`, whose reason cudnnGetLastErrorString() then says.
cudnnStatus_t refuse(cudnnStatus_t status, const char* words);
const char* reason_of_last_refusal();
const char* name_of(cudnnStatus_t status);
/// Whether the handle may work now: for this thread, on its device and stream.
cudnnStatus_t check_user(const cudnnContext& handle);
/// False, and a finding, where it is not.
bool is_memory_of(int device, const void* data, std::size_t bytes);

/// Whether the layouts fit one another.
cudnnStatus_t check(const Convolution& all);
/// 1, or a little more where the environment says that this algorithm is wrong.
double factor_of(const std::string& algorithm);
/// Queues result = alpha product + beta result + bias, if all memory is what it has to be, that of
/// `needed` bytes for work, too. `bias` may be null.
cudnnStatus_t run(const cudnnContext& handle, const Convolution& all, Convolution::Array written,
                  const std::array<void*, 3>& data, void* work, std::size_t needed, double alpha,
                  double beta, const void* bias);

/// For each kind of descriptor, where that is complete.
template <typename T>
cudnnStatus_t create(T** descriptor) {
  *descriptor = new T;
  return CUDNN_STATUS_SUCCESS;
}
template <typename T>
cudnnStatus_t destroy(T* descriptor) {
  delete descriptor;
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace emulator
