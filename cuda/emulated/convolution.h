// What the emulated cuDNN computes: the three products of a convolution, added up in double.
#pragma once
#include <cudnn.h>  // the emulated one, but NVIDIA's for backend.cpp

#include <cstdint>

namespace emulator {

/// Elements, and the distance of their neighbours, in (N, C, H, W) or (K, C, H, W).
struct Layout {
  cudnnDataType_t type;
  int size[4], stride[4];

  int64_t numel() const { return int64_t{size[0]} * size[1] * size[2] * size[3]; }
  std::size_t bytes() const;
  bool is_row_major() const;
  /// Row-major, or with the channels last: each place in memory once.
  bool is_dense() const;
};

/// One of the three arrays is the result.
struct Convolution {
  enum Array { X, W, Y };

  Layout layouts[3];
  int padding[2], stride[2], dilation[2], groups = 1;
  cudnnDataType_t computes_in = CUDNN_DATA_FLOAT;
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;

  /// result = alpha product + beta result + bias, a number for each channel, or null. Factors of
  /// float32 become TF32 unless math is FMA.
  void compute(Array result, void* const data[3], double alpha, double beta,
               const void* bias) const;
};

}  // namespace emulator
