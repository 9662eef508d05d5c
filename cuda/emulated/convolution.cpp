#include "cuda/emulated/convolution.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "autograd/tensor/scalar_type.h"

namespace emulator {
namespace {

/// f(T()) for the type of the elements.
template <typename F>
auto with_type(cudnnDataType_t type, const F& f) {
  switch (type) {
    case CUDNN_DATA_DOUBLE:
      return f(double());
    case CUDNN_DATA_HALF:
      return f(notape::Half());
    case CUDNN_DATA_BFLOAT16:
      return f(notape::BFloat16());
    case CUDNN_DATA_FLOAT:
      break;
  }
  return f(float());
}

/// f(where it is in a row-major array, where it lies)
template <typename F>
void for_each_element(const Layout& at, const F& f) {
  std::size_t i = 0;
  for (int n = 0; n < at.size[0]; ++n)
    for (int c = 0; c < at.size[1]; ++c)
      for (int h = 0; h < at.size[2]; ++h)
        for (int w = 0; w < at.size[3]; ++w, ++i)
          f(i, int64_t{n} * at.stride[0] + int64_t{c} * at.stride[1] + int64_t{h} * at.stride[2] +
                   int64_t{w} * at.stride[3]);
}

double as_tf32(float value) {
  return std::bit_cast<float>((std::bit_cast<uint32_t>(value) + 0x1000u) & ~0x1fffu);
}

std::vector<double> load(const Layout& at, const void* data, bool rounds) {
  std::vector<double> values(static_cast<std::size_t>(at.numel()));
  with_type(at.type, [&]<typename T>(T) {
    for_each_element(at, [&](std::size_t i, int64_t place) {
      const T value = static_cast<const T*>(data)[place];
      if constexpr (std::is_same_v<T, double>)
        values[i] = value;
      else
        values[i] = rounds ? as_tf32(static_cast<float>(value)) : static_cast<float>(value);
    });
  });
  return values;
}

}  // namespace

std::size_t Layout::bytes() const {
  return static_cast<std::size_t>(numel()) * with_type(type, [](auto one) { return sizeof one; });
}
bool Layout::is_row_major() const {
  return stride[3] == 1 && stride[2] == size[3] && stride[1] == size[2] * size[3] &&
         stride[0] == size[1] * stride[1];
}
bool Layout::is_dense() const {
  return is_row_major() || (stride[1] == 1 && stride[3] == size[1] &&
                            stride[2] == size[3] * size[1] && stride[0] == size[2] * stride[2]);
}

void Convolution::compute(Array result, void* const data[3], double alpha, double beta,
                          const void* bias) const {
  const Layout &x = layouts[X], &w = layouts[W], &y = layouts[Y];
  const bool rounds = x.type == CUDNN_DATA_FLOAT && math != CUDNN_FMA_MATH;
  std::vector<double> values[3];
  for (const Array one : {X, W, Y})
    values[one] = one == result
                      ? std::vector<double>(static_cast<std::size_t>(layouts[one].numel()))
                      : load(layouts[one], data[one], rounds);
  double* weight = values[W].data();
  const int outputs = w.size[0] / groups;
  for (int k = 0; k < w.size[0]; ++k)
    for (int c = 0; c < w.size[1]; ++c)
      for (int p = 0; p < w.size[2]; ++p)
        for (int q = 0; q < w.size[3]; ++q, ++weight) {
          // The response's columns that see a pixel through this one of the filter.
          const int left = q * dilation[1] - padding[1], step = stride[1];
          const int begin = left < 0 ? (-left + step - 1) / step : 0;
          const int end =
              std::min(y.size[3], left < x.size[3] ? (x.size[3] - 1 - left) / step + 1 : 0);
          for (int n = 0; n < x.size[0]; ++n)
            for (int i = 0; i < y.size[2]; ++i) {
              const int row = i * stride[0] + p * dilation[0] - padding[0];
              if (row < 0 || row >= x.size[2]) continue;
              const int channel = k / outputs * w.size[1] + c;
              double* const pixels =
                  values[X].data() +
                  ((int64_t{n} * x.size[1] + channel) * x.size[2] + row) * x.size[3] + left;
              double* const sums =
                  values[Y].data() + ((int64_t{n} * y.size[1] + k) * y.size[2] + i) * y.size[3];
              if (result == Y)
                for (int j = begin; j < end; ++j) sums[j] += *weight * pixels[j * step];
              else if (result == X)
                for (int j = begin; j < end; ++j) pixels[j * step] += *weight * sums[j];
              else
                for (int j = begin; j < end; ++j) *weight += sums[j] * pixels[j * step];
            }
        }
  const Layout& at = layouts[result];
  with_type(at.type, [&]<typename T>(T) {
    for_each_element(at, [&](std::size_t i, int64_t place) {
      T& number = static_cast<T*>(data[result])[place];
      double sum = alpha * values[result][i];
      if (bias) {
        const auto channel = static_cast<int64_t>(i) / (at.size[2] * at.size[3]) % at.size[1];
        sum += static_cast<double>(static_cast<const T*>(bias)[channel]);
      }
      if constexpr (std::is_same_v<T, double>) {
        number = beta == 0 ? sum : sum + beta * number;
      } else {
        if (beta != 0) sum += beta * static_cast<double>(static_cast<float>(number));
        number = T(static_cast<float>(sum));
      }
    });
  });
}

}  // namespace emulator
